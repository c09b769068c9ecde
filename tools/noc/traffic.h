// Synthetic traffic: a pattern of senders and targets, packet sizes, and Bernoulli sources with
// unbounded queues.
//
// A source's queue needs no memory. The packets of a source depend only on its random numbers, so
// the queue is represented by its head and by the state from which the next packet is drawn when
// the head is taken.
#pragma once
#include "tools/trace/trace.h"
#include <stdbool.h>

// The coordinates of senders and targets. The digits of place i, least significant first, are its
// coordinates; digit d has `extent[d]` values. A 6 by 4 mesh has extents 6 and 4, a 4-ary 3-fly 4,
// 4 and 4, a crossbar of 56 just 56.
struct traffic_shape {
    uint32_t nodes; // product of the extents
    const uint32_t *extent;
    uint32_t digits;
};

struct traffic_pattern;

struct noc_traffic {
    const struct traffic_pattern *pattern;
    VEC(uint32_t) list; // places listed in the pattern's name
    // Set by traffic_bind.
    uint32_t nodes;
    uint32_t sender_count, receiver_count;
    bool *sends;         // per place: it sends packets
    uint32_t *receivers; // possible receivers, drawn uniformly; or with `fixed` the receiver of
                         // each place
    bool fixed;
};

// Reads a pattern: "uniform", "hotspot:3,7" and so on. Returns NULL, or the error.
const char *traffic_read(struct noc_traffic *traffic, struct arena *arena, const char *text);
// Binds the pattern to a shape. Returns NULL, or why this is impossible.
const char *traffic_bind(struct noc_traffic *traffic, struct arena *arena,
                         const struct traffic_shape *shape);

struct traffic_size {
    uint32_t flits;
    double weight; // relative frequency
};

struct traffic_sizes {
    VEC(struct traffic_size) list;
    const char *text; // as given by the user
    uint32_t max;     // maximum size in flits
    double mean;
};

// Reads sizes in flits: "5", "1,5" (equally frequent) or "1:3,5:1" (weights 3 and 1). Returns NULL,
// or the error.
const char *traffic_read_sizes(struct traffic_sizes *sizes, struct arena *arena, const char *text);

enum {
    TRAFFIC_MAX_FLITS = 1024, // maximum size of a packet
    TRAFFIC_GAP_BITS = 63,    // bits of the number of cycles between packets
    TRAFFIC_WHEEL = 256,      // cycles of look-ahead; a power of two
};

// The sources of all places. Units: cycles.
// Packets of a trace by their source, in place of random ones.
struct traffic_list {
    const struct trace_packet *packets;
    uint32_t count;
    uint32_t *order; // numbers of packets: those of node n from first[n] to first[n + 1] - 1
    uint32_t *first;
    uint64_t *arrived; // set by the measurement: cycle of the packet's arrival; 0: not arrived
    uint32_t senders, receivers;
};

// Sorts the packets of a trace by their source. Requires sources and targets below `nodes`.
void traffic_list_init(struct traffic_list *list, struct arena *arena,
                       const struct trace_text *trace, uint32_t nodes);
// Returns the mean number of flits that each sender creates per cycle.
double traffic_list_load(const struct traffic_list *list, uint64_t cycles);

struct sources {
    const struct traffic_list *list; // NULL: random packets
    uint32_t *next;                  // per node: place of the head in list->order
    uint32_t created_count;          // packets of the list that are created; it has no wheel
    const struct noc_traffic *traffic;
    const struct traffic_sizes *sizes;
    uint64_t *up_to;       // upper bound of the random number for each size
    uint32_t nodes, words; // words: of a mask of nodes
    uint64_t gap[TRAFFIC_GAP_BITS];
    uint32_t gap_bits;
    uint64_t now; // time for which `ready` is valid
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

// Initialises the sources at cycle 0. In each cycle each sender creates a packet with probability
// `packets` (0 … 1). Requires traffic_bind. `sizes` must stay valid.
void sources_init(struct sources *sources, struct arena *arena, const struct noc_traffic *traffic,
                  const struct traffic_sizes *sizes, double packets, uint64_t seed);
// Initialises the sources with the packets of a trace. Requires traffic_bind.
void sources_init_list(struct sources *sources, struct arena *arena,
                       const struct noc_traffic *traffic, const struct traffic_list *list);
// Returns the number of a source's head in the trace.
static inline uint32_t sources_number(const struct sources *sources, uint32_t node)
{
    return sources->list->order[sources->next[node]];
}
// Advances to cycle `now`, which must not decrease. Packets created up to this cycle, inclusive,
// are then ready.
void sources_advance(struct sources *sources, uint64_t now);
// Returns the cycle in which the next source becomes ready; UINT64_MAX: never. Requires that no
// source is ready.
uint64_t sources_next(const struct sources *sources);
// Removes the head of a ready source; the next packet becomes the head.
void sources_remove(struct sources *sources, uint32_t node);
struct sources_waiting {
    uint64_t packets, flits;
};

// Returns the packets that a source created before `time` and that were not taken. The cost is
// linear in their number.
struct sources_waiting sources_waiting(const struct sources *sources, uint32_t node, uint64_t time);
