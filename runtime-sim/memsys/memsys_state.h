// The internal state of the memory system.
//
// Time is counted in the units of base/clock.h, in which every clock has an integer period; tick k
// of a clock is at k · period. Clocks that tick at the same time are evaluated in the order cores,
// partitions, networks, DRAM. Partitions do not access each other; neither do networks or channels.
#pragma once
#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/dram/dram_map.h"

enum { MEMSYS_CLASSES = 16 }; // maximum per network
// Paths of a slice's replies: to the network, and to the partition's own endpoint.
enum { PATH_NETWORK, PATH_OWN };

// Stages of a request. The end of each stage is recorded.
enum memsys_stage {
    STAGE_REQUEST,    // in the request network, until the partition accepts it
    STAGE_DELAY,      // memory.request_delay, and waiting for room in the slice's input
    STAGE_SLICE,      // in the slice's input, and in the slice if nothing is fetched
    STAGE_OUT,        // in the slice's output queue
    STAGE_DRAM_DELAY, // memory.dram_delay, and waiting for room in the scheduler
    STAGE_DRAM,       // in the scheduler and the DRAM
    STAGE_FILL,       // from the DRAM until the reply is ready
    STAGE_REPLY_QUEUE,
    MEMSYS_STAGES
};

// A request in flight.
struct memsys_entry {
    struct memsys_request request;
    bool waits;                    // served by the slice, but not by the owner
    bool left;                     // and its reply has left the slice
    uint32_t next;                 // next free entry, or next reply of a path
    uint64_t sent, arrived, ready; // in units: arrived is at the partition, ready that of the data
    uint64_t created;              // in units
    uint64_t end[MEMSYS_STAGES];   // in units; 0: the request skipped the stage
    uint32_t partition;
    uint32_t to; // endpoint that receives a packet
};

// A request that waits for memory.request_delay.
struct memsys_delayed {
    uint32_t entry;
    uint64_t ready; // clock of the LLC
};

// A request for memory of another device. `ready`: clock of the LLC in which its reply has crossed
// the link; UINT64_MAX: it was not sent yet.
struct memsys_crossing {
    uint32_t entry;
    uint64_t ready;
};

// The delayed requests of a message class: a queue that starts at `first`.
struct memsys_delay {
    VEC(struct memsys_delayed) all;
    uint32_t first;
};

struct memsys_partition {
    struct memsys *memsys;
    struct memsys_delay *delays; // of each message class: from near cores, from far ones
    uint32_t delayed;            // requests in these
    uint32_t number, node;
    uint64_t due;     // LLC clock of the next evaluation
    uint32_t blocked; // bit per message class: at the last evaluation its arrival had no room
    struct cache cache;
    void *backend;         // state of memsys->backend
    uint64_t backend_next; // DRAM clock of its next tick
    uint32_t piece;        // next piece of the cache's oldest request to the next level
    uint32_t *replies;     // ring of entries
    uint32_t reply_head, reply_count;
    // Flits and class of the oldest reply if the network has refused it; 0: not known.
    uint32_t refused_flits;
    uint8_t refused_class;
    uint32_t *own; // ring of entries of the partition's own endpoint
    uint32_t own_head, own_count;
    uint32_t *served; // entries served at this time
    uint32_t served_count;
    VEC(uint32_t) waiting; // entries for which the owner returned MEMSYS_WAIT
    // Requests on the link, oldest first; those before `far_served` are served, those before
    // `far_sent` sent.
    VEC(struct memsys_crossing) far;
    uint32_t far_served, far_sent;
    bool moved;
};

// A network, and the queues at its nodes.
struct memsys_side {
    struct noc *noc;
    uint32_t class;
    uint32_t classes;
    bool has_messages[MEMSYS_CLASSES]; // true for classes that a message class uses
};

// A time at which partitions are evaluated, in the clocks of their neighbours.
struct memsys_moment {
    uint64_t time, llc;
    uint64_t dram_done; // last DRAM clock at or before it
    uint64_t dram;      // first DRAM clock at or after it
};

// Replies to an endpoint with a path that bypasses the networks, as a list of entries.
struct memsys_path {
    const struct memsys_past *past; // NULL: the endpoint uses the networks
    uint32_t first, last;           // MEMSYS_NONE: the list is empty
    bool refused;
};

// A node and a class of the reply network whose oldest packet was popped.
struct memsys_shown {
    uint32_t node, class;
};

// Requests of a core that shares its node with others, as a ring of entries.
struct memsys_port {
    uint32_t *entries, head, count;
    bool refused; // the core waits for room
};

// A node shared by several cores.
struct memsys_shared_node {
    uint64_t next;          // network cycle in which it can accept the next request
    uint32_t turn, waiting; // core that is served first; number of requests of its cores
};

// Time. Periods and `time` are in units.
struct memsys_clocks {
    uint64_t core_period, network_period, llc_period, dram_period;
    uint64_t cycle; // cycle of the cores
    uint64_t time;  // time of the last evaluation
    uint64_t moved; // time of the last movement in a partition
};

// Places of endpoints and partitions in the networks.
struct memsys_topology {
    uint32_t cores, routers, ends, nodes, node_words, endpoint_words;
    uint32_t first_own; // number of the first endpoint of the owner's table
    uint32_t *endpoint_node, *partition_node;
    uint32_t *endpoint_at, *partition_at; // by node; MEMSYS_NONE: no endpoint, no partition
    uint64_t *partition_set;              // set of nodes with a partition
};

// Events for which endpoints wait: replies, and room for a refused request.
struct memsys_wakes {
    uint64_t *answers;            // set of endpoints with a reply
    uint64_t *refused, *may_send; // sets of endpoints, see memsys_may_send
    uint32_t *wanted;             // by endpoint: flits of its refused request
    uint8_t *wanted_class;        // by endpoint: class of its refused request
    uint32_t refused_count;
    bool news;                      // cores have a reply, or room for a refused request
    VEC(struct memsys_shown) shown; // nodes with a new oldest reply
};

// Nodes with several endpoints.
struct memsys_sharing {
    bool any;
    struct memsys_port *ports;        // by core; NULL: each core has a node of its own
    struct memsys_shared_node *gates; // by node
    uint64_t *gated;                  // set of nodes whose cores have requests
};

// Pool of requests in flight.
struct memsys_pool {
    struct memsys_entry *entries;
    uint32_t count, unused;
    uint64_t inside; // requests in the memory system
};

// Order and time of evaluations.
struct memsys_schedule {
    // Time of the next evaluation of a component, in units; 0: not known, after a send, a pop or a
    // flush.
    uint64_t next;
    bool is_open; // the owner may send through the networks
    bool flushing;
    uint64_t shuffle;
    uint32_t *order; // of partitions
};

// Bytes of a line, and of its parts.
struct memsys_masks {
    struct mask line;
    uint32_t sectors; // sectors per line
    uint32_t pieces;  // DRAM requests per line
    struct mask piece[MASK_BYTES], sector[MASK_BYTES];
};

// Sums from which statistics are calculated.
struct memsys_sums {
    // By requester, in units; memsys_stats_refresh converts them to cycles.
    struct memsys_requester_stats *requester, *requester_cycles;
    uint64_t stage[MEMSYS_STAGES + 1]; // of reads, in units; the last element is the time in the
                                       // reply network
    struct cache_stats llc;
    struct dram_stats dram;
};

struct memsys {
    const struct memsys_config *config;
    struct memsys_tables tables;
    struct arena *arena;
    memsys_serve *serve;
    void *context;
    const struct memsys_backend *backend;
    struct memsys_clocks clock;
    struct memsys_side side[2];
    struct memsys_topology topology;
    struct memsys_path *paths; // of the owner's endpoints, which start at topology.first_own
    struct memsys_wakes wake;
    struct partition_map map;
    struct memsys_message *messages;
    uint32_t message_count;
    uint32_t partition_count;
    struct memsys_partition *partitions;
    struct memsys_sharing sharing;
    struct memsys_pool pool;
    struct memsys_schedule schedule;
    struct memsys_stats stats;
    struct memsys_masks masks;
    struct memsys_sums sums;
    struct memsys_link *link; // NULL: no other device
};

static inline bool memsys_has_data(const struct memsys_request *request)
{
    return request->kind == MEMSYS_READ || request->kind == MEMSYS_ATOMIC ||
           request->kind == MEMSYS_PACKET;
}

// Returns the bytes of all sectors that contain one of `bytes`.
static inline struct mask memsys_sectors_of(const struct memsys *m, struct mask bytes)
{
    struct mask all = {{0}};
    for (uint32_t i = 0; i < m->masks.sectors; i++)
        if (mask_intersects(m->masks.sector[i], bytes))
            all = mask_or(all, m->masks.sector[i]);
    return all;
}

// Returns the priority of a reply that enters the reply network at a node.
static inline uint8_t memsys_reply_priority(const struct memsys *m, uint32_t node,
                                            const struct memsys_request *reply, uint8_t min)
{
    const struct memsys_replies *owner = &m->tables.replies;
    uint8_t own = owner->priority ? owner->priority(owner->context, node, reply) : 0;
    return own > min ? own : min;
}

// Offers a reply to the owner's callback.
static inline void memsys_show_offer(const struct memsys *m, const struct memsys_offer *offer)
{
    if (m->tables.replies.offered)
        m->tables.replies.offered(m->tables.replies.context, offer);
}

// Returns the path of an endpoint that bypasses the networks, or NULL.
static inline struct memsys_path *memsys_path_of(const struct memsys *m, uint32_t end)
{
    return end >= m->topology.first_own && m->paths[end - m->topology.first_own].past
               ? &m->paths[end - m->topology.first_own]
               : NULL;
}

// Cores that share nodes (memsys_ports.c): initialisation, room in a core's queue, sending, and one
// network cycle.
void memsys_ports_init(struct memsys *memsys);
bool memsys_port_can_send(struct memsys *memsys, uint32_t core);
void memsys_port_send(struct memsys *memsys, uint32_t core, uint32_t entry);
void memsys_ports_tick(struct memsys *memsys);
// Sends the request of an entry through the network interface of the endpoint `from`.
void memsys_send_entry(struct memsys *memsys, uint32_t from, uint32_t entry);

// Returns true if the reply to a read is sent as a packet for each of its sectors, of which more
// than one is left.
bool memsys_in_parts(const struct memsys *memsys, const struct memsys_request *reply);
// Removes a sector from such a reply. Returns the entry of the packet with it.
uint32_t memsys_split_reply(struct memsys *memsys, uint32_t entry);
// Allocate the entry of a request, and free it.
uint32_t memsys_new_entry(struct memsys *memsys, const struct memsys_request *request);
void memsys_free_entry(struct memsys *memsys, uint32_t entry);
// Notifies the endpoint of the oldest reply at a node.
void memsys_show_reply(struct memsys *memsys, uint32_t node, uint32_t class);
// Puts the request of an entry into an input of the slice.
void memsys_partition_put(struct memsys_partition *partition, uint32_t entry, uint64_t clock,
                          uint32_t input);

// Count an access to a slice, and those of a piece to the memory, by instruction (memsys_sites.c).
// Require tables.sites.
void memsys_count_access(struct memsys *memsys, uint32_t site, uint8_t kind, uint8_t from);
void memsys_count_piece(struct memsys *memsys, const struct memsys_piece *piece);

// Builds a partition.
void memsys_partition_init(struct memsys_partition *partition, struct memsys *memsys,
                           uint32_t number);
// Evaluates a clock of the LLC and sets partition->due.
void memsys_partition_tick(struct memsys_partition *partition, const struct memsys_moment *at);
// Notifies the owner of the requests that the slice has served. If one of them waits, the partition
// is due at LLC clock `next`.
void memsys_partition_notify(struct memsys_partition *partition, uint64_t next);
// Ticks the backend if it is `due` at this DRAM clock. If the backend then has a piece, the
// partition is due at LLC clock `next` or later.
void memsys_partition_dram(struct memsys_partition *partition, uint64_t clock, uint64_t next,
                           bool due);

// The DRAM of one slice (memsys_dram.c).
extern const struct memsys_backend memsys_local_dram;
// Returns the configured DRAM: of each slice, or shared by memory.channel_slices (memsys_share.c).
const struct memsys_backend *memsys_configured_dram(struct arena *arena,
                                                    const struct memsys_config *config);

// Returns a channel of a partition's memory, for statistics and traces; NULL if it does not exist.
static inline struct dram_channel *memsys_channel(const struct memsys *m, uint32_t partition,
                                                  uint32_t channel)
{
    return m->backend->dram_channel
               ? m->backend->dram_channel(m->partitions[partition].backend, channel)
               : NULL;
}
