// Functions that the files of a timed device share: timed.c (regions, the machine), timed_run.c.
#pragma once
#include "runtime-sim/device/timed.h"

// Adds the statistics since `before` for all kernels, and for one unless it is NULL.
void timed_count_run(struct timed *timed, struct timed_kernel *kernel,
                     const struct stats_mark *before, uint64_t launches, uint64_t cycles);
struct machine_limits timed_limits(struct timed *timed);
// Executes commands, as device->execute.
void timed_execute(void *context, struct device_command *const *commands, uint32_t count,
                   struct grid_result *result);
