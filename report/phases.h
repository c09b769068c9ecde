// The phases of launches, and what limits each of them.
//
// A launch is steady from the first to the last interval in which at least half of its largest
// number of warps run; what is before is its start, what is after its tail. An interval is limited
// by its most used part if that is used at least to SIM_PRESSES, else by latency. If a part has
// several instances, the use is that of the busiest one: its share of the work is that in the whole
// launch, because in a short interval one instance of many is always busy.
#pragma once
#include "report/meter.h"
#include "report/sim_facts.h"

// Use from which a part limits a kernel, and from which it probably does.
#define SIM_LIMITS 0.85
#define SIM_PRESSES 0.6

// Sums over the intervals with the same limit.
struct sim_limit_sums {
    double cycles;
    double without; // cycles that these intervals would take if their limit did not exist
    double *used;   // by resource: cycles × use of its busiest instance
    double *waits;  // by reason: slot cycles, of warps that do not issue
};

enum sim_phase_kind { SIM_START, SIM_STEADY, SIM_TAIL, SIM_PHASES };

// Sums over launches. The limits are the resources of the meter, and latency as the last one.
struct sim_phase_sums {
    double cycles[SIM_PHASES];
    struct sim_limit_sums *limits[SIM_PHASES];
};

// The columns of a meter that phases need.
struct sim_phase_columns {
    const struct sim_meter *meter;
    double *factors; // by resource: use of the busiest instance in the launch, relative to the mean
    uint32_t reasons, count;                 // first column of the slots' states, and their number
    const char *const *names, *const *texts; // by state, without prefix
};

void sim_phase_sums_init(struct sim_phase_sums *sums, const struct sim_phase_columns *columns,
                         struct arena *arena);
// Adds a launch, or several at the same time, that ran from cycle `begun` to `ended`. `samples` are
// those of the meter, in order.
void sim_phases_add(struct sim_phase_sums *sums, const struct sim_phase_columns *columns,
                    const struct sim_sample *samples, uint32_t count, double begun, double ended);
// Adds the phases and limits of a kernel to its report.
void sim_phases_report(const struct sim_phase_sums *sums, const struct sim_phase_columns *columns,
                       struct arena *arena, struct sim_kernel *kernel);
