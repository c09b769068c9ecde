// Functions shared by timed.c (regions, the machine) and timed_run.c (execution).
#pragma once
#include "runtime-sim/device/timed.h"

// Adds the statistics since `before` to those of all kernels, and to those of `kernel` unless it is
// NULL.
void timed_count_run(struct timed *timed, struct timed_kernel *kernel,
                     const struct stats_mark *before, uint64_t launches, uint64_t cycles);
// Returns limits for the machine with the samples and progress of the device.
struct machine_limits timed_limits(struct timed *timed);
// Implements `execute` of struct device.
void timed_execute(void *context, struct device_command *const *commands, uint32_t count,
                   struct grid_result *result);
