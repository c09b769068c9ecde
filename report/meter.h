// Reads counts of a machine over consecutive intervals. The counts that a meter reads are found by
// name once.
#pragma once
#include "report/resources.h"

// A value per interval: the sum of the increases of some counts or, if `largest`, the largest one.
struct sim_column {
    uint32_t first, count; // in refs
    bool largest;
    // Not NULL: the value is divided by the capacity in the interval, and multiplied by the cycles
    // of the cores, so that it is the cycles in which the part was used.
    const struct sim_resource_row *resource;
    double capacity; // of what the column counts, per clock
};

struct sim_meter {
    const struct timed *timed;
    struct arena *arena;
    sim_resource_rows resources; // without warp slots and parts without counts
    VEC(struct stat_ref) refs;   // group METER_NONE: the machine does not have the statistic
    VEC(const char *) names;     // of the refs
    VEC(struct sim_column) columns;
    uint64_t *last;   // by ref: the count at the last reading
    uint32_t machine; // number of the machine that was read last
    uint32_t used;    // first column of the use of each resource
    uint32_t cycles;  // columns of the clocks: machine, request and reply network
};

enum { METER_NONE = UINT32_MAX };

// Begins a meter without columns.
void sim_meter_init(struct sim_meter *meter, const struct timed *timed, struct arena *arena);
// Adds a column with the sum of statistics, whose names are separated by blanks. Returns its
// number, or METER_NONE if a name is unknown.
uint32_t sim_meter_add(struct sim_meter *meter, const char *names);
// Adds the columns of the use of all resources, or of their busiest instances, and those of the
// clocks. Called last.
void sim_meter_add_resources(struct sim_meter *meter, bool busiest);
// Writes the increases since the last reading, or since the beginning, to `values`, one for each
// column.
void sim_meter_read(struct sim_meter *meter, double *values);
