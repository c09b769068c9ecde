// Writes the commands of a run as Chrome trace events, which Perfetto and chrome://tracing open: a
// process for each channel; in it a track for each bank with its open rows and commands, one for
// the data bus and one for refresh. A clock is a microsecond there.
#pragma once
#include "runtime-sim/memory/dram.h"
#include "support/sink.h"

struct dram_trace_file {
    const struct dram_config *config;
    struct dram_timing time;
    struct sink to;
    bool first;
    uint32_t channel;        // of what is told next
    uint32_t channel_before; // of what was told last
    uint64_t last;           // when that was
    uint64_t row_since[DRAM_BANKS];
    uint32_t row[DRAM_BANKS];
    uint64_t open;
};

void dram_trace_begin(struct dram_trace_file *trace, const struct dram_config *config, FILE *to);
// A dram_trace with the file as its context.
void dram_trace_command(void *file, uint64_t now, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t id);
// Ends the document. Only then all of it has gone to the stream.
void dram_trace_end(struct dram_trace_file *trace);
