// Parts of the page of a simulation.
#pragma once
#include "tools/sim/sim_report.h"

// The launches and the series of a run over its cycles, up to `most`.
void sim_chart_timeline(const struct sim_report *report, double most, struct arena *arena,
                        FILE *to);
// A part of a run, in cycles.
struct sim_window {
    double from, until;
};
// Returns the number of samples in this part, and the first one.
uint32_t sim_samples_in(const struct sim_report *report, struct sim_window window, uint32_t *first);
// The series in this part, which is not empty.
void sim_chart_launch(const struct sim_report *report, struct sim_window window,
                      struct arena *arena, FILE *to);
// Kernels by instructions for each byte of the DRAM, below the roofs of issue and DRAM.
void sim_chart_roofline(const struct sim_report *report, const struct sim_report *beside,
                        struct arena *arena, FILE *to);
// Cycles at the end of the last launch or sample.
double sim_last_cycle(const struct sim_report *report);
