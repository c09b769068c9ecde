// Charts of a simulation's page.
#pragma once
#include "tools/sim/sim_report.h"

// Draws the launches and the series of a run over cycles 0 to `most`.
void sim_chart_timeline(const struct sim_report *report, double most, struct arena *arena,
                        FILE *to);
// An interval of a run, in cycles.
struct sim_window {
    double from, until;
};
// Returns the number of samples in the window, and the index of the first.
uint32_t sim_samples_in(const struct sim_report *report, struct sim_window window, uint32_t *first);
// Draws the series in the window, which must not be empty.
void sim_chart_launch(const struct sim_report *report, struct sim_window window,
                      struct arena *arena, FILE *to);
// Draws the kernels over instructions per DRAM byte, below the roofs of issue and DRAM.
void sim_chart_roofline(const struct sim_report *report, const struct sim_report *beside,
                        struct arena *arena, FILE *to);
// Returns the cycle at which the last launch or sample ends.
double sim_last_cycle(const struct sim_report *report);
