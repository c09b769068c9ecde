// Traces the commands of DRAM channels (base/trace.h): a process per channel, with a row per bank
// for its open rows and commands, one row for the data bus and one for refresh.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/dram/dram.h"

// A traced channel and its open rows.
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

// Writes the name of a channel's process, NAME NUMBER, and the names of its rows.
void dram_trace_name(const struct dram_config *config, struct trace *to, uint32_t process,
                     const char *name, uint32_t number);
// Starts the trace of a channel as process `process`.
void dram_trace_begin(struct dram_trace_channel *channel, const struct dram_config *config,
                      struct trace *to, struct trace_clock clock, uint32_t process);
// The dram_trace of a channel, which is its context.
void dram_trace_command(void *channel, uint64_t now, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t id);
// Ends the spans of open rows at clock `now`.
void dram_trace_end(struct dram_trace_channel *channel, uint64_t now);

// A trace file with channels that are simulated one after another. A clock is shown as a
// microsecond.
struct dram_trace_file {
    struct trace trace;
    const struct dram_config *config;
    struct dram_trace_channel *channels;
    uint32_t channel;        // channel of the next command
    uint32_t channel_before; // channel of the previous command
    uint64_t last;           // clock of the previous command
};

// Begins a trace file.
void dram_trace_file_begin(struct dram_trace_file *file, struct arena *arena,
                           const struct dram_config *config, FILE *to);
// The dram_trace of a file, which is its context.
void dram_trace_file_command(void *file, uint64_t now, enum dram_command command, uint32_t bank,
                             uint32_t row, uint64_t id);
// Ends the document and flushes the stream.
void dram_trace_file_end(struct dram_trace_file *file);
