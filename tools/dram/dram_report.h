// Writes the results as text, JSON and CSV, and as a plot of latency over load.
#pragma once
#include "tools/dram/dram_drive.h"

struct dram_head {
    const struct config *config;
    const struct dram_drive *drive;
    const char *pattern; // name of the pattern
};

// Returns the bandwidth in 10⁹ bytes per second.
double dram_report_bandwidth(const struct dram_result *result);

// Writes one line for each result.
void dram_report_text(const struct dram_result *result, FILE *to);
// Writes the inputs, the results and all statistics.
void dram_report_json(const struct dram_head *head, const struct dram_result *result, FILE *to);
// Writes the inputs of a sweep once, and the results of each point.
void dram_sweep_json(const struct dram_head *head, const struct dram_sweep *sweep, FILE *to);
// Writes a heading and a line for each point. The columns are the members of the JSON document.
void dram_sweep_csv(const struct dram_sweep *sweep, FILE *to);
// Plots latency and served load over the offered load.
void dram_sweep_plot(const struct dram_head *head, const struct dram_sweep *sweep, FILE *to);

// Registers the statistics of the channels.
void dram_report_stats(struct stats *stats, struct arena *arena, const struct dram_result *result);
