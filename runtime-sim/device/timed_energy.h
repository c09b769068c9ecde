// Energy of a device with timed launches, for its statistics and its trace.
#pragma once
#include "runtime-sim/device/timed.h"

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
