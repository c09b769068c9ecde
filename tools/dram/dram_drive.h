// Drives the DRAM channels with a pattern of requests, without caches and network, for validation
// and measurement. Each channel has its own source, which creates its share of the load.
#pragma once
#include "runtime-sim/dram/dram.h"
#include "runtime-sim/dram/dram_map.h"
#include "tools/dram/dram_replay.h"
#include <stdatomic.h>

enum dram_pattern {
    DRAM_SEQ,      // consecutive addresses
    DRAM_RANDOM,   // uniformly random addresses
    DRAM_ONE_BANK, // bank 0, a new row for each request
    DRAM_BANK_RR,  // banks in turn, a new row each round
};

struct dram_drive {
    const struct dram_config *config;
    // Requests in place of a pattern, up to the last reply, without a warm-up; NULL: a pattern.
    struct dram_replay *replay;
    enum dram_pattern pattern;
    double writes; // fraction of requests that are writes, 0 to 1
    double load;   // mean requests per clock of all channels together; 0: queues are always full
    uint64_t warmup, cycles; // clocks before and during the measurement
    uint64_t seed;
    dram_trace *trace; // commands of all channels, one channel after the other; NULL: no trace
    void *trace_context;
    uint32_t *channel;      // unless NULL: set to the channel whose commands are traced
    const atomic_int *stop; // ends the run when not 0; may be NULL
};

// Results. Counts are those after the warm-up, by the clock of RD and WR; counts of the whole run
// are marked.
struct dram_result {
    const struct dram_drive *drive;
    struct dram_stats all;       // sum of all channels
    struct dram_stats *channels; // per channel
    uint64_t *clocks;            // measured clocks per channel; fewer if the run was stopped
    bool stopped;
    uint64_t offered; // requests that arrived
    // Counts of the whole run, including requests served after its end:
    uint64_t latency_min, write_latency_min; // UINT64_MAX: no request
    uint64_t taken, answered;
    bool conserved;     // every request was served exactly once
    double cpu_seconds; // CPU time of this process
};

// Runs the measurement. Members of the result are in the arena.
void dram_drive(const struct dram_drive *drive, struct arena *arena, struct dram_result *result);

// Returns the requests served per clock by all channels together.
double dram_result_rate(const struct dram_result *result);
// Returns the mean latency in clocks: that of reads, or of writes if there are no reads.
double dram_result_latency(const struct dram_result *result);
// Returns the minimum of the same latencies over the whole run.
uint64_t dram_result_least(const struct dram_result *result);
// Returns the fraction of clocks in which the data buses are busy.
double dram_result_use(const struct dram_result *result);

// Results at several loads.
struct dram_sweep {
    VEC(struct dram_result) points; // sorted by load
    double saturation;              // requests served per clock with full queues
};

// Measures at these loads. With `count` 0 the loads are tenths of saturation, and one just below
// it.
void dram_sweep(struct dram_sweep *sweep, struct arena *arena, const struct dram_drive *drive,
                const double *loads, uint32_t count);
