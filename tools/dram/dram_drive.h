// Drives the channels of a memory with a pattern of requests, for validation and measurement,
// without caches and network. Each channel has a source of its own for its share of the load.
#pragma once
#include "runtime-sim/dram/dram.h"
#include "runtime-sim/dram/dram_map.h"
#include <stdatomic.h>

enum dram_pattern {
    DRAM_SEQ,      // consecutive addresses
    DRAM_RANDOM,   // any request of the memory, uniformly
    DRAM_ONE_BANK, // bank 0, a new row each time
    DRAM_BANK_RR,  // one bank after the other, a new row each time
};

struct dram_drive {
    const struct dram_config *config;
    enum dram_pattern pattern;
    double writes; // share of writes among the requests, 0 to 1
    double load;   // mean requests per clock, over all channels; 0: the queues are always full
    uint64_t warmup, cycles; // clocks before the measurement, and of it
    uint64_t seed;
    dram_trace *trace; // of all channels, one after the other; NULL: no trace
    void *trace_context;
    uint32_t *channel;      // unless NULL: the number of the channel whose commands are reported
    const atomic_int *stop; // ends the run when not 0; may be NULL
};

// Counts after the warm-up, by the clock of RD and WR; counts of the whole run are marked.
struct dram_result {
    const struct dram_drive *drive;
    struct dram_stats all;       // all channels together
    struct dram_stats *channels; // each
    uint64_t *clocks;            // measured clocks of each: fewer if the run was stopped
    bool stopped;
    uint64_t offered; // requests that arrived
    // Over the whole run, with requests served after its end.
    uint64_t latency_min, write_latency_min; // UINT64_MAX: none
    uint64_t taken, answered;
    bool conserved;     // every request was served exactly once
    double cpu_seconds; // of this process
};

// Runs.
void dram_drive(const struct dram_drive *drive, struct arena *arena, struct dram_result *result);

// Returns the requests served per clock, of all channels together.
double dram_result_rate(const struct dram_result *result);
// Returns the mean latency in clocks: of reads, of writes if there are no reads.
double dram_result_latency(const struct dram_result *result);
uint64_t dram_result_least(const struct dram_result *result);
// Returns the fraction of the data buses' clocks with data.
double dram_result_use(const struct dram_result *result);

// The memory at several loads.
struct dram_sweep {
    VEC(struct dram_result) points; // by load
    double saturation;              // requests served per clock with full queues
};

// Measures at these loads; with none, at tenths of saturation and just below it.
void dram_sweep(struct dram_sweep *sweep, struct arena *arena, const struct dram_drive *drive,
                const double *loads, uint32_t count);
