// Synthetic traffic: a pattern of senders and targets, sizes of packets, and Bernoulli sources with
// unbounded queues.
//
// A source's queue needs no memory: the packets of a source depend on its random numbers only, so
// that the queue is one packet, its head, and the state from which the next one is drawn when the
// head is taken.
#pragma once
#include "support/vec.h"
#include <stdbool.h>

// The places of senders and targets: place i has the digits of i, the least significant first, with
// `extent[d]` values of digit d. A mesh of 6 by 4 has extents 6 and 4, a 4-ary 3-fly 4, 4 and 4, a
// crossbar of 56 just 56.
struct traffic_shape {
    uint32_t nodes; // the product of the extents
    const uint32_t *extent;
    uint32_t digits;
};

struct traffic_pattern;

struct noc_traffic {
    const struct traffic_pattern *pattern;
    VEC(uint32_t) list; // the places in the pattern's name
    // Set by traffic_bind.
    uint32_t nodes;
    uint32_t sender_count, receiver_count;
    bool *sends;         // of each place
    uint32_t *receivers; // possible receivers, drawn uniformly; or, if `fixed`, the receiver of
                         // each place
    bool fixed;
};

// Reads "uniform", "hotspot:3,7" and so on. Returns NULL, or the error with it.
const char *traffic_read(struct noc_traffic *traffic, struct arena *arena, const char *text);
// Binds the pattern to the places. Returns NULL, or the reason why that is not possible.
const char *traffic_bind(struct noc_traffic *traffic, struct arena *arena,
                         const struct traffic_shape *shape);

struct traffic_size {
    uint32_t flits;
    double weight; // relative frequency
};

struct traffic_sizes {
    VEC(struct traffic_size) list;
    const char *text; // as it was read
    uint32_t most;    // flits
    double mean;
};

// Reads "5", "1,5" (equal numbers) or "1:3,5:1" (weights 3 and 1). Returns NULL, or the error.
const char *traffic_read_sizes(struct traffic_sizes *sizes, struct arena *arena, const char *text);

enum {
    TRAFFIC_MOST_FLITS = 1024, // of a packet
    TRAFFIC_GAP_BITS = 63,     // of the number of cycles without a packet
    TRAFFIC_WHEEL = 256,       // cycles of look-ahead; a power of two
};

// The sources of all places. Units: cycles.
struct sources {
    const struct noc_traffic *traffic;
    const struct traffic_sizes *sizes;
    uint64_t *up_to;       // bounds of the draws for each size
    uint32_t nodes, words; // words of a mask
    uint64_t gap[TRAFFIC_GAP_BITS];
    uint32_t gap_bits;
    uint64_t now; // time up to which `ready` holds
    // The head of each source's queue.
    uint64_t *state, *created;
    uint32_t *receiver, *flits;
    // Sources whose head has been created.
    uint64_t *ready;
    uint32_t ready_count;
    // All other sources: bit i of wheel[(t % TRAFFIC_WHEEL) * words + i / 64] is set if source i is
    // to be evaluated at time t.
    uint64_t *wheel;
    uint64_t occupied[TRAFFIC_WHEEL / 64];
};

// Each sender creates a packet with the same probability in each cycle, `packets` on average (0 …
// 1). Requires traffic_bind. The first cycle is 0. `sizes` must stay valid.
void sources_init(struct sources *sources, struct arena *arena, const struct noc_traffic *traffic,
                  const struct traffic_sizes *sizes, double packets, uint64_t seed);
// Advances to a time, which must not precede the last one: packets created up to this cycle,
// inclusive, are ready.
void sources_advance(struct sources *sources, uint64_t now);
// Returns the time at which the next source becomes ready; UINT64_MAX: never. Requires that no
// source is ready.
uint64_t sources_next(const struct sources *sources);
// Takes the head of a ready source; the next packet becomes the head.
void sources_take(struct sources *sources, uint32_t node);
struct sources_waiting {
    uint64_t packets, flits;
};

// Returns the packets that a source has created before `time` and that were not taken. Cost is
// linear in their number.
struct sources_waiting sources_waiting(const struct sources *sources, uint32_t node, uint64_t time);
