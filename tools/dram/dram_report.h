// Output of the results as text, JSON, CSV, and as a plot of latency over load.
#pragma once
#include "tools/dram/dram_drive.h"

struct dram_head {
    const struct config *config;
    const struct dram_drive *drive;
    const char *pattern; // its name
};

// Bytes per second, in 10⁹.
double dram_report_bandwidth(const struct dram_result *result);

void dram_report_text(const struct dram_result *result, FILE *to);
// Writes the inputs, the results, and all statistics.
void dram_report_json(const struct dram_head *head, const struct dram_result *result, FILE *to);
// The same for a sweep: the inputs once, the results of each point.
void dram_sweep_json(const struct dram_head *head, const struct dram_sweep *sweep, FILE *to);
// Writes a line for each point, below a line with the names of the columns, which are those of
// JSON.
void dram_sweep_csv(const struct dram_sweep *sweep, FILE *to);
// Plots latency and served load over the offered load.
void dram_sweep_plot(const struct dram_head *head, const struct dram_sweep *sweep, FILE *to);

// The statistics of the channels.
void dram_report_stats(struct stats *stats, struct arena *arena, const struct dram_result *result);
