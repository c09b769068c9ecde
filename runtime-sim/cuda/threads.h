// The lock of the process's `struct cuda`, and what a thread does while it holds it.
//
// A kernel runs with the lock held. It releases the lock between turns if another thread waits for
// it, so that this thread can issue commands.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Lock, for a thread that may hold the lock already, and unlock. threads_try_lock returns false if
// another thread holds it.
void threads_lock(void);
bool threads_try_lock(void);
void threads_unlock(void);
// Returns the number of locks that this thread holds.
uint32_t threads_depth(void);
// Lets the threads that wait for the lock have it first. threads_are_waiting returns true if any
// do.
void threads_yield(void);
bool threads_are_waiting(void);

// Events: another thread has changed something; work for the executor; a function to call.
enum threads_event { THREADS_CHANGE, THREADS_WORK, THREADS_CALL, THREADS_EVENTS };
// Releases the lock until the event or for this number of microseconds (0: no limit), and holds it
// again. Returns false if the time is over.
bool threads_wait(enum threads_event event, uint64_t microseconds);
void threads_notify(enum threads_event event);

// Mark the calling thread as one that calls a function of the program, and set its name. A thread
// named THREADS_OWN is not one of the program.
#define THREADS_OWN "ptxoffload"
void threads_set_calling(bool calling);
bool threads_is_calling(void);
void threads_set_name(const char *name);

// A number that is equal twice only if meanwhile all threads have been blocked without a limit of
// time, or in threads_wait, so that they can only continue by the work of ours. 0: some may be
// running.
uint64_t threads_quiet(void);
// Returns the time, and the processor's time of all threads but this one, in nanoseconds.
uint64_t threads_now(void);
uint64_t threads_others_time(void);

// Makes the lock usable in a child process; called around fork.
void threads_forked(void);
