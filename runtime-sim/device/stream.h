// Streams: commands of one stream run in the order of issue; those of two streams may run at the
// same time. Commands run when the host synchronises. Commands with an address return false if the
// bytes are not in one live allocation.
#pragma once
#include "runtime-sim/device/launch.h"

enum command_kind { COMMAND_LAUNCH, COMMAND_COPY, COMMAND_SET, COMMAND_CALL };

// A command that was issued.
struct device_command {
    enum command_kind kind;
    struct device_stream *stream;
    uint32_t number; // in the queue
    // The last of its stream, and the one of an event; NULL: none that has not run.
    struct device_command *after[2];
    struct device_launch *launch;
    uint64_t to, from, bytes; // addresses; 0: host memory
    uint8_t *data_to;
    const uint8_t *data_from;
    uint8_t value; // of COMMAND_SET
    uint8_t mark;  // of a copy or set: trigger and action on state planes (exec/memory/plane.h)
    void (*call)(void *context);
    void *context;
    struct device_event *event; // set when it has run; NULL: no event
    bool has_ended;
    uint64_t begun, ended; // cycles; 0 without time
};

struct device_stream {
    struct device *device;
    struct device_command *last; // NULL: no command since the last synchronisation
};

// A point in a stream. Zero: not recorded.
struct device_event {
    struct device_command *command; // that records it, until it has run
    bool has_ended;
    uint64_t cycle; // in which it happened
};

void device_stream_init(struct device_stream *stream, struct device *device);
void device_stream_launch(struct device_stream *stream, struct device_launch *launch);
// From host memory, to it, and within the device. Host memory is read and written when the command
// runs.
bool device_stream_write(struct device_stream *stream, uint64_t to, const void *from,
                         uint64_t bytes);
bool device_stream_read(struct device_stream *stream, void *to, uint64_t from, uint64_t bytes);
bool device_stream_copy(struct device_stream *stream, uint64_t to, uint64_t from, uint64_t bytes);
bool device_stream_set(struct device_stream *stream, uint64_t to, uint8_t value, uint64_t bytes);
// Calls a function of the host, which must not use the device.
void device_stream_call(struct device_stream *stream, void (*call)(void *context), void *context);
// The event happens when all commands of the stream so far have run.
void device_stream_record(struct device_stream *stream, struct device_event *event);
// Later commands of the stream run after the event as it was recorded last, if it was.
void device_stream_wait(struct device_stream *stream, const struct device_event *event);

enum device_end {
    DEVICE_DONE,
    DEVICE_STOPPED, // device->stop
    DEVICE_LIMITED, // max_instructions, or the executor's limit of cycles
    DEVICE_STUCK,   // result->grid.stalls
    DEVICE_REFUSED, // result->grid.fault: the launch does not fit the machine
    DEVICE_FAULT,   // result->grid.fault
};

struct device_result {
    enum device_end end;
    struct grid_result grid; // of the launches that ran last
    // The launch that has ended so, counted from 1, and its kernel; NULL: the end is of no launch.
    const struct device_kernel *kernel;
    uint64_t launch;
};

// Runs all commands of all streams, and frees them and their launches. After another end than
// DEVICE_DONE some have not run.
enum device_end device_synchronise(struct device *device, struct device_result *result);
// Frees all commands that have not run, and launches that were prepared for them.
void device_drop(struct device *device);

// For an owner with a clock of its own, which executes commands one by one.

// Returns true if the device's executor takes the launch, as the next one.
bool device_takes_time(const struct device *device, const struct device_launch *launch);
// Executes a command without time.
enum device_end device_run_now(struct device *device, struct device_command *command,
                               struct device_result *result);
// The same for a launch whose loads need full words, if memory has state planes. Returns false if
// it has read an empty word: its address is in result->grid.fault, and nothing has changed.
bool device_attempt(struct device *device, struct device_command *command,
                    struct device_result *result);
// Count a launch that begins in an executor, and one that has ended there. `result->grid` is the
// end of all launches at the same time.
void device_begin_launch(struct device *device, struct device_launch *launch);
void device_end_launch(struct device_launch *launch, struct device_result *result);
enum device_end device_end_of(const struct grid_result *result);
