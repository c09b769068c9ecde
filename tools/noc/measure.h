// Measures a network under synthetic traffic: a warm-up, a measurement window, and a drain until
// the last packet of the window has arrived. The sources continue throughout.
//
// Latency is measured from a packet's creation, so it includes the time in the source's queue, and
// is averaged over all packets created in the window.
#pragma once
#include "runtime-sim/noc/noc.h"
#include "tools/noc/traffic.h"
#include <stdatomic.h>

struct measure_plan {
    const struct noc_config *config;
    const struct noc_traffic *traffic; // bound by measure_traffic
    // Packets of a trace in place of random ones, without a warm-up, up to the last arrival; NULL:
    // random ones. `flits.max` is then the largest packet.
    struct traffic_list *list;
    struct traffic_sizes flits; // packet sizes
    double load;                // mean flits created per sender and cycle; at most flits.mean
    uint64_t seed;
    uint64_t warmup, cycles; // window length, at least 1
    uint64_t shuffle;        // see noc_shuffle
    uint64_t patience;       // cycles without movement after which the network counts as stuck
    // Called periodically, unless NULL, with the load and the simulated cycles.
    void (*progress)(void *context, double load, uint64_t cycle);
    void *context;
    const atomic_int *stop; // ends the measurement when not 0; may be NULL
};

enum measure_outcome {
    MEASURE_DONE,
    MEASURE_STUCK, // packets are in flight, but no flit moves
    MEASURE_INTERRUPTED,
    MEASURE_FAULT, // an internal fault, described by `fault`
};

// Buckets of latencies: exact below 128, with a resolution of 1/64 above.
enum { LATENCY_BUCKETS = 64 * 60 };

struct measured {
    enum measure_outcome outcome;
    double load;
    uint32_t senders, receivers;
    uint64_t cycles; // all simulated cycles
    uint64_t warmup, window, drain;
    double cpu_seconds;

    // Packets created in the window.
    uint64_t packets_created, packets;
    uint64_t latency_sum, wait_sum, router_sum;
    uint64_t latency_least, latency_most;
    uint32_t *latencies; // count per bucket
    // Flits in the window.
    uint64_t flits_created, flits_arrived;
    bool stable;
    // Flits in flight at the start and end of the window.
    uint64_t behind_before, behind_after;

    struct noc *noc;         // state at the end
    struct stats_mark since; // counters at the start of the window; NULL if it has not started
    struct stats stats;
    uint32_t channels;
    uint64_t *channel_flits; // flits of each channel in the window
    const char *fault;
};

// Binds the pattern to the network. Requires a configuration that noc_check accepts. Returns NULL,
// or why this is impossible.
const char *measure_traffic(struct noc_traffic *traffic, struct arena *arena,
                            const struct noc_config *config);

// Measures a load. The members of the result are in the arena.
void measure(struct measured *measured, struct arena *arena, const struct measure_plan *plan);

// Return the flits created and arrived per sender and cycle of the window.
double measured_offered(const struct measured *measured);
double measured_accepted(const struct measured *measured);
// Returns the total flits that arrived per cycle.
double measured_flow(const struct measured *measured);
// Return the mean latency and the mean time in the source's queue, in cycles; NAN if no packet
// arrived.
double measured_latency(const struct measured *measured);
double measured_wait(const struct measured *measured);
// Returns the mean number of routers that packets passed.
double measured_routers(const struct measured *measured);
// Returns the latency that this fraction (0 … 1) of the packets did not exceed, in cycles.
uint64_t measured_quantile(const struct measured *measured, double part);

// Measures a network under one kind of traffic at several loads.

struct sweep {
    VEC(struct measured) points; // sorted by load
    double saturation;           // highest stable load; 0 if no load is stable
    uint32_t best;               // index of that point; 0 if no load is stable
    bool failed;                 // the last measurement did not complete
};

// Measures at these loads; `plan->load` is ignored.
void sweep_loads(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                 const double *loads, uint32_t count);
// Selects loads up to `most`: finds the highest stable load by bisection, to one percent, and
// measures at tenths of it and above.
void sweep_automatic(struct sweep *sweep, struct arena *arena, const struct measure_plan *plan,
                     double max);

// Writes the results as JSON and CSV.

struct measure_head {
    const struct config *config;
    const struct measure_plan *plan;
    const char *traffic; // as given by the user
};

// Writes the inputs and results of a measurement, and all statistics of the window.
void measure_write_json(const struct measure_head *head, const struct measured *measured, FILE *to);
// Writes the inputs of a sweep once, and the results of each point.
void sweep_write_json(const struct measure_head *head, const struct sweep *sweep, FILE *to);
// Writes a heading and a line for each point. The columns are the members of the JSON document.
void sweep_write_csv(const struct sweep *sweep, FILE *to);

// Returns the word for an outcome.
const char *measure_outcome_name(enum measure_outcome outcome);
