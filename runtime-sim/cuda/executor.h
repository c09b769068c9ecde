// Threads that let issued works progress while the program does not call the library: the executor
// runs commands, the caller calls functions of the program. They are started by the first work that
// the program does not wait for.
//
// Without a machine, effects are computed apart from times (host/host_values.c), so the executor
// computes them at once. With a machine it executes commands only if the program waits: all of its
// threads are blocked, or no call has come for a time. It stops after each function of the program.
// It never changes the caller's time.
#pragma once
#include "runtime-sim/cuda/cuda.h"

// Gives the host of the first program the callbacks of this file.
void executor_begin(struct cuda *cuda);
// Called after a work has been issued.
void executor_wake(struct cuda *cuda);
// Lets the threads end, and waits for the executor's end. A function of the program may still run.
void executor_end(struct cuda *cuda);
void executor_join(struct cuda *cuda);
// Waits up to a second until the effects of a stream's commands up to this number are computed, so
// that the number of a program's queries does not depend on the system's. Returns false if they are
// not.
bool executor_settle(struct cuda *cuda, const struct host_stream *stream, uint64_t number);
// Reports to the front that no kernel runs.
void executor_pause(struct cuda *cuda);
// Ends the process if an interrupt has come within the call that ends now.
void executor_check_stop(struct cuda *cuda);

// caller.c
// Starts a thread on a stack of ours: the system keeps its own stacks, with memory that a leak
// checker reports. Returns false if the system has no room.
bool executor_start_thread(struct cuda_thread *thread, void *(*run)(void *context),
                           struct cuda *cuda);
// Waits for the end of a thread, unless it is the calling one.
void executor_join_thread(struct cuda_thread *thread);
// `post` of struct host_owner.
void executor_post(void *context, struct host_command *command);
