// Functions shared by timed.c (regions, the machine), timed_run.c (execution) and timed_energy.c.
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

// Adds a command to the open period, to begin in this cycle or later. `parent` is the launch whose
// thread has issued it; NULL: the host.
struct machine_event *timed_add_command(struct timed *timed, struct device_command *command,
                                        uint64_t cycle, struct timed_family *parent);

// Commands of kernels (timed_spawn.c)

// Adds a record of a command to the period.
void timed_family_add(struct timed *timed, struct device_command *command,
                      struct machine_event *event, struct timed_family *parent);
// Starts the commands that threads have issued since the last call, in an order that does not
// depend on that of the evaluation, and tail launches; ends the commands that have ended with all
// launches by their threads. Returns true if a command has been added. Sets `result->fault` if a
// launch is not allowed.
bool timed_spawn(struct timed *timed, struct grid_result *result);
// Returns true if the command has ended with all launches by its threads. Sets *ended to its end.
bool timed_family_is_over(const struct timed_family *family, uint64_t *ended);
// Returns true if the host has issued the command.
bool timed_family_is_host(const struct timed_family *family);

// Energy of a device with timed launches, for its statistics and its trace.

// Returns the statistics since the mark, including those of energy.
struct timed_stats timed_stats_with_energy(const struct timed *timed,
                                           const struct stats_mark *since, struct arena *arena);
// Adds the statistics of energy without values.
void timed_name_energy(const struct timed_options *options, struct arena *arena,
                       struct stats *stats);

// timed_trace_power_name names the trace's process for power. timed_trace_power writes the power of
// each component as counters, from the last sample up to this cycle.
void timed_trace_power_name(struct timed *timed);
void timed_trace_power(struct timed *timed, uint64_t cycle);
