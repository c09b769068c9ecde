// Parts of the page of a simulation.
#pragma once
#include "tools/sim/sim_report.h"

// The launches and the series of a run over its cycles, up to `most`.
void sim_chart_timeline(const struct sim_report *report, double most, struct arena *arena,
                        FILE *to);
// Kernels by instructions for each byte of the DRAM, below the roofs of issue and DRAM.
void sim_chart_roofline(const struct sim_report *report, const struct sim_report *beside,
                        struct arena *arena, FILE *to);
// Cycles at the end of the last launch or sample.
double sim_last_cycle(const struct sim_report *report);
