// Synthetic traffic: who sends to whom (a pattern), how much (sizes of packets), and when
// (Bernoulli sources with queues that have no end).
//
// A source's queue needs no memory: what a source creates depends on its random numbers only, so
// the queue is one packet, its head, and the state from which the next one is drawn when the head
// has been taken.
#pragma once
#include "support/vec.h"
#include <stdbool.h>

// The places that traffic comes from and goes to, and how they lie: place i has the digits of i,
// the least significant first, with `extent[d]` values of digit d. A mesh of 6 by 4 has extents 6
// and 4, a 4-ary 3-fly 4, 4 and 4, a crossbar of 56 just 56.
struct traffic_shape {
    uint32_t nodes; // the product of the extents
    const uint32_t *extent;
    uint32_t digits;
};

struct traffic_pattern;

struct noc_traffic {
    const struct traffic_pattern *pattern;
    VEC(uint32_t) list; // the places that the pattern names
    // From here on filled in by traffic_bind.
    uint32_t nodes;
    uint32_t sender_count, receiver_count;
    bool *sends;         // of each place
    uint32_t *receivers; // one of them is drawn; or, if `fixed`, the receiver of each place
    bool fixed;
};

// Reads "uniform", "hotspot:3,7" and so on. Returns NULL, or what is wrong with it.
const char *traffic_read(struct noc_traffic *traffic, struct arena *arena, const char *text);
// Fits the pattern to the places there are. Returns NULL, or why that cannot be done.
const char *traffic_bind(struct noc_traffic *traffic, struct arena *arena,
                         const struct traffic_shape *shape);

struct traffic_size {
    uint32_t flits;
    double weight; // how often, relative to the others
};

struct traffic_sizes {
    VEC(struct traffic_size) list;
    const char *text; // as it was read
    uint32_t most;    // flits
    double mean;
};

// Reads "5", "1,5" (as many of each) or "1:3,5:1" (three of 1 flit for one of 5). Returns NULL, or
// what is wrong with it.
const char *traffic_read_sizes(struct traffic_sizes *sizes, struct arena *arena, const char *text);

enum {
    TRAFFIC_MOST_FLITS = 1024, // of a packet
    TRAFFIC_GAP_BITS = 63,     // of the number of cycles without a packet
    TRAFFIC_WHEEL = 256,       // cycles that are looked ahead; a power of two
};

// The sources of all places. Time is in cycles.
struct sources {
    const struct noc_traffic *traffic;
    const struct traffic_sizes *sizes;
    uint64_t *up_to;       // of what is drawn for a size: below this it is this one or one before
    uint32_t nodes, words; // words of a mask
    uint64_t gap[TRAFFIC_GAP_BITS];
    uint32_t gap_bits;
    uint64_t now; // time up to which `ready` holds
    // The head of each source's queue.
    uint64_t *state, *created;
    uint32_t *receiver, *flits;
    // Sources with a head that has been created.
    uint64_t *ready;
    uint32_t ready_count;
    // All other sources: bit i of wheel[(t % TRAFFIC_WHEEL) * words + i / 64] if source i is to be
    // looked at again at time t.
    uint64_t *wheel;
    uint64_t occupied[TRAFFIC_WHEEL / 64];
};

// Each sender creates a packet with the same probability in each cycle, `packets` in the mean
// (0 … 1). Needs traffic_bind. The first cycle is 0. `sizes` stays where it is.
void sources_init(struct sources *sources, struct arena *arena, const struct noc_traffic *traffic,
                  const struct traffic_sizes *sizes, double packets, uint64_t seed);
// Goes on to a time, which must not lie before the last one: what has been created until then,
// this cycle included, is ready.
void sources_advance(struct sources *sources, uint64_t now);
// When the next source gets ready; UINT64_MAX: never. Needs that nothing is ready.
uint64_t sources_next(const struct sources *sources);
// Takes the head of a source that is ready; the next packet takes its place.
void sources_take(struct sources *sources, uint32_t node);
struct sources_waiting {
    uint64_t packets, flits;
};

// What a source has created before `time` and what has not been taken. Takes as long as it is much.
struct sources_waiting sources_waiting(const struct sources *sources, uint32_t node, uint64_t time);
