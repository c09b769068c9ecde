// The parts of the machine whose use a report shows.
#pragma once
#include "runtime-sim/device/timed.h"

// A part, with its capacity. Its use over an interval is the increase of `names`, the one of its
// busiest instance the largest increase of `key` in the groups of `collection`.
struct sim_resource_row {
    const char *name, *unit, *text;
    const char *names;  // statistics, as in timed_add_up; or SIM_RESIDENT
    const char *cycles; // statistic with the clocks of the part, when multiplied by `ratio`
    double ratio;
    double count;                 // capacity of all instances per clock
    const char *collection, *key; // "": one instance, or unknown
    double each;                  // capacity of an instance per clock
};
typedef VEC(struct sim_resource_row) sim_resource_rows;

// Stands for the slot cycles with a resident warp, which no single statistic counts.
#define SIM_RESIDENT "core.resident"
// Name of the row of warp slots: they are room, whose use does not indicate a limit.
#define SIM_WARP_SLOTS "warp slots"

// Adds the parts of the machine, including those of its schemes.
void sim_resource_rows_add(sim_resource_rows *rows, struct arena *arena, const struct timed *timed);
