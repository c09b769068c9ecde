// Energy of a device whose launches take time: in its statistics and in its trace.
#pragma once
#include "runtime-sim/device/timed.h"

// Returns the statistics with those of the energy since the mark.
struct timed_stats timed_stats_with_energy(const struct timed *timed,
                                           const struct stats_mark *since, struct arena *arena);
// Adds the names of the statistics of energy.
void timed_name_energy(const struct timed_options *options, struct arena *arena,
                       struct stats *stats);

// The trace: power by component, as counters of a process of its own, from the last sample up to
// this cycle.
void timed_trace_power_name(struct timed *timed);
void timed_trace_power(struct timed *timed, uint64_t cycle);
