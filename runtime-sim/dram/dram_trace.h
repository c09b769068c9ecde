// Commands of DRAM channels as a trace (base/trace.h): a process for each channel, with a row for
// each bank with its open rows and commands, one for the data bus and one for refresh.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/dram/dram.h"

// A channel and its open rows.
struct dram_trace_channel {
    const struct dram_config *config;
    struct dram_timing time;
    struct trace *to;
    struct trace_clock clock;
    uint32_t process;
    uint64_t row_since[DRAM_BANKS];
    uint32_t row[DRAM_BANKS];
    uint64_t open;
};

// Names the process of a channel, NAME NUMBER, and its rows.
void dram_trace_name(const struct dram_config *config, struct trace *to, uint32_t process,
                     const char *name, uint32_t number);
void dram_trace_begin(struct dram_trace_channel *channel, const struct dram_config *config,
                      struct trace *to, struct trace_clock clock, uint32_t process);
// A dram_trace with the channel as its context.
void dram_trace_command(void *channel, uint64_t now, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t id);
// Ends the spans of open rows at this clock.
void dram_trace_end(struct dram_trace_channel *channel, uint64_t now);

// A file with channels that run one after another; a clock is a microsecond in it.
struct dram_trace_file {
    struct trace trace;
    const struct dram_config *config;
    struct dram_trace_channel *channels;
    uint32_t channel;        // channel of the next event
    uint32_t channel_before; // channel of the last event
    uint64_t last;           // time of the last event
};

void dram_trace_file_begin(struct dram_trace_file *file, struct arena *arena,
                           const struct dram_config *config, FILE *to);
// A dram_trace with the file as its context.
void dram_trace_file_command(void *file, uint64_t now, enum dram_command command, uint32_t bank,
                             uint32_t row, uint64_t id);
// Ends the document and flushes it to the stream.
void dram_trace_file_end(struct dram_trace_file *file);
