// Launches by kernels without time: they run when the thread's CTA has had its turn, one after
// another in the order of the calls, and tail launches when the launch has ended. So a launch has
// ended when all launches by its threads have.
#pragma once
#include "runtime-sim/device/launch.h"
#include "runtime-sim/device/command.h"
#include "runtime-sim/exec/warp/spawn.h"

// Lets kernels of the device launch others.
void device_spawns_begin(struct device *device);
// Prepares a launch by a thread. Returns it, or NULL with the rule that it violates.
struct device_launch *device_prepare_spawn(struct device *device, const struct spawn *spawn,
                                           struct launch_refusal *refusal);
// Sets the fault of a launch that the device does not allow.
void device_refuse_spawn(struct device *device, const struct spawn *spawn, struct fault *fault);
// Sets the fault of a copy or set whose bytes are not in one allocation.
void device_move_fault(const struct spawn *spawn, struct fault *fault);
// Drops the commands of threads that have not been executed, after a fault.
void device_spawns_drop(struct device *device);
// Runs a launch functionally, with the launches by its threads.
enum device_end device_run_launch(struct device *device, struct device_launch *launch,
                                  struct device_result *result);
// Runs the tail launches of a launch that has ended.
enum device_end device_run_tails(struct device *device, const struct launch *launch,
                                 struct device_result *result);
