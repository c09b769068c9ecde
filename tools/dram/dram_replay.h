// A trace of requests as the source of the channels, and the latency of each request.
#pragma once
#include "runtime-sim/dram/dram_map.h"
#include "tools/trace/trace.h"

// Requests as long as one transfer of the memory, in the order of the trace.
struct dram_replay {
    const struct trace_text *trace;
    bool timed; // requests arrive in their cycle; otherwise when the queue has room
    uint64_t count;
    uint32_t *line; // index of the request in the trace
    uint64_t *address;
    uint64_t *arrived, *replied; // set by the run; replied 0: no reply
};

// Divides the requests of a trace at the borders of the memory's transfers.
void dram_replay_init(struct dram_replay *replay, struct arena *arena,
                      const struct trace_text *trace, const struct dram_config *config);
// Writes a heading and, for each request of the trace, its number from 0, address, kind, the clock
// of its arrival, that after its last reply, and their difference. Requests without a reply are
// left out.
void dram_replay_write(const struct dram_replay *replay, FILE *to);
