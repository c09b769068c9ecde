// Commands of the device: launches and copies. A device has no streams: its launches run in the
// order of issue when the host synchronises. An owner with its own clock and streams
// (runtime-sim/host) executes commands one by one.
#pragma once
#include "runtime-sim/device/launch.h"

enum command_kind { COMMAND_LAUNCH, COMMAND_COPY, COMMAND_SET, COMMAND_CALL };

struct device_command {
    enum command_kind kind;
    bool peer;     // a copy between devices: the other device's end is at 0, like the host's
    bool together; // a queued launch that begins together with the previous one, if both are timed
    struct device_launch *launch;
    uint64_t to, from, bytes; // device addresses; 0: host memory
    uint8_t *data_to;
    const uint8_t *data_from;
    uint8_t value; // for COMMAND_SET
    uint8_t mark;  // trigger and action on state planes, of a copy or set (exec/memory/plane.h)
    void (*call)(void *context); // function of the host, which must not use the device
    void *context;
    bool has_ended;
    uint64_t begun, ended; // cycles; 0 if the command is untimed
};

// Issues a launch. It begins when all earlier ones have ended or, if `together`, at the same time
// as the previous one.
void device_issue(struct device *device, struct device_launch *launch, bool together);

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
    struct grid_result grid; // result of the launches that ran last
    // The launch to which `end` belongs, counted from 1, and its kernel; NULL if no launch.
    const struct device_kernel *kernel;
    uint64_t launch;
};

// Runs all issued launches, and frees them. If the result is not DEVICE_DONE, some have not run.
enum device_end device_synchronise(struct device *device, struct device_result *result);
// Frees all prepared launches that have not run.
void device_drop(struct device *device);

// For an owner with its own clock, which executes commands one by one

// Returns true if the device's executor accepts the launch as the next one.
bool device_is_timed(const struct device *device, const struct device_launch *launch);
// Executes a command functionally, without time.
enum device_end device_run_now(struct device *device, struct device_command *command,
                               struct device_result *result);
// As device_run_now, for a launch whose loads need full words if memory has state planes. Returns
// false if it has read an empty word: result->grid.fault has the address, and nothing has changed.
bool device_attempt(struct device *device, struct device_command *command,
                    struct device_result *result);
// Count a launch that begins in an executor, and one that has ended there. `result->grid` is the
// result of all launches that ran at the same time.
void device_begin_launch(struct device *device, struct device_launch *launch);
void device_end_launch(struct device_launch *launch, struct device_result *result);
// Returns the end that a grid's result means.
enum device_end device_end_of(const struct grid_result *result);
