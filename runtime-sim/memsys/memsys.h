// The memory system: a network for requests, a network for replies, and partitions at some of their
// nodes. A partition is a slice of the LLC with its DRAM.
//
//     core ─▶ request network ─▶ slice's input ─▶ LLC ⇄ DRAM
//     core ◀─ reply network ◀─ reply queue ◀─┘
//
// A core sends requests, each for one line, and accepts replies. Every request gets one reply. The
// owner reads or writes the values when it is notified that the request is served (memsys_serve).
//
// No request is dropped. A full queue stalls the component before it, up to the core, for which
// memsys_can_send returns false. There is no circular wait: a request waits only for older
// requests, and for replies to leave the slice. Write-backs and fetches of a slice wait only for
// the DRAM. The DRAM waits for no other component, because its data enter the slice without needing
// room for a reply. Replies have a network of their own and wait only for the cores, which accept
// them even if they cannot send. Therefore a core must not refuse a reply because it has no room
// for a request.
//
// Reading order: memsys.def (keys), memsys_state.h, memsys_build.c, memsys.c (requests, replies,
// time), memsys_partition.c, memsys_dram.c, memsys_stats.c.
#pragma once
#include "runtime-sim/cache/cache.h"
#include "runtime-sim/dram/dram.h"
#include "runtime-sim/memsys/partition.h"
#include "runtime-sim/noc/noc.h"

struct memsys_keys {
#define CONFIG_DEF "runtime-sim/memsys/memsys.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct config_key memsys_keys[];
extern const uint32_t memsys_key_count;

struct memsys_config {
    struct memsys_keys memory;
    struct noc_config request_network, reply_network;
    struct cache_config llc;
    struct dram_config dram;
    // Set by the owner: reads specify the bytes that they need, and the owner's gate specifies the
    // words of the line that their replies carry.
    bool named_reads;
};

// Returns the number of memories: one for each memory.channel_slices partitions.
static inline uint32_t memsys_memories(const struct memsys_config *config)
{
    return config->memory.partition_nodes.n / config->memory.channel_slices;
}

enum { MEMSYS_NONE = UINT32_MAX };
enum { MEMSYS_SECTIONS = 5 };

// A sender of requests. Its statistics are in the group memory.NAME.
struct memsys_requester {
    const char *name;
    bool apart;         // already counted by another requester; not in totals
    const char *packet; // name in traces of its packets between endpoints; NULL: it sends no
                        // packets
};

// A message class: the network classes and priorities of its requests and replies, and their slice
// input. Row 0 is that of the configuration. No two rows may use the same class of a network.
struct memsys_message {
    uint8_t request_class, reply_class;       // classes of the networks' configurations
    uint8_t request_priority, reply_priority; // below NOC_PRIORITIES
    uint8_t input;                            // number of the slices' input
};

struct memsys_request;

// An input of the slices, which is a queue. The rows follow the inputs of the network and of the
// partition's own endpoint.
enum { MEMSYS_FROM_NETWORK, MEMSYS_FROM_OWN, MEMSYS_INPUTS };
struct memsys_input {
    // Returns true if the request may be served in this clock. The result may depend only on state
    // that requests to the same line change, and the call changes no state. NULL: always.
    bool (*condition)(void *context, const struct memsys_request *request);
    void *context;
    // Requests of other inputs to the same line may pass a request that waits for its condition. At
    // most one request of this input is then outside its queue.
    bool is_passed;
};

// A path of an endpoint that bypasses networks and slices. The owner accepts the endpoint's
// requests, serves them by memsys_serve_past and replies to them by memsys_reply_past.
struct memsys_past {
    void *context;
    // Called in cores' cycles, in any order. They may read only state that belongs to the endpoint,
    // or that the owner changes at other times. `send` may change only state of the endpoint.
    // `entry` is the memory system's entry until the reply.
    bool (*can_send)(void *context, const struct memsys_request *request);
    void (*send)(void *context, uint32_t entry, const struct memsys_request *request);
};

// An endpoint at a node that may have other endpoints. The rows follow the endpoints of the
// configuration.
struct memsys_endpoint {
    uint32_t node;                  // used only without `past`
    const struct memsys_past *past; // NULL: the endpoint uses the networks
};

// A part of a line that a slice fetches or writes back.
struct memsys_piece {
    uint64_t line; // line number within the partition
    uint32_t number;
    struct mask bytes;
    bool write;
    // The request that needs the data, or that gets its reply when the write is done; or
    // MEMSYS_NONE.
    uint32_t entry;
    // Clocks at which the piece was accepted, reached the scheduler, and was read or written.
    uint64_t taken, queued, done;
};

// The memory behind a slice. Times are in its clocks.
struct memsys_backend {
    uint64_t clock;       // frequency in MHz; 0: dram.clock
    uint32_t piece_bytes; // piece of a line; 0: dram.request_bytes
    // The backends of all partitions are parts of one memory. If one is due, all are ticked in
    // their order, and `next` of each is that of all.
    bool is_shared;
    void *(*create)(void *context, struct arena *arena, const struct memsys_config *config,
                    uint32_t partition);
    void *context; // for `create`
    bool (*can_accept)(const void *backend, const struct memsys_piece *piece);
    void (*accept)(void *backend, uint64_t now, const struct memsys_piece *piece);
    // Returns the oldest piece that is read or written at `now`, or NULL. It is valid until `pop`.
    const struct memsys_piece *(*peek)(void *backend, uint64_t now);
    void (*pop)(void *backend, uint64_t now);
    // Evaluates a clock.
    void (*tick)(void *backend, uint64_t now);
    // Returns the next clock that needs a tick, or UINT64_MAX.
    uint64_t (*next)(const void *backend);
    // Returns the clock in which `peek` returns the oldest piece; UINT64_MAX: not known.
    uint64_t (*ready)(const void *backend);
    // Returns the number of pieces accepted and not popped.
    uint32_t (*inside)(const void *backend);
    // Returns a DRAM channel, for statistics and traces; NULL if it does not exist.
    struct dram_channel *(*dram_channel)(void *backend, uint32_t channel);
};

// A reply at the network interface of a node, in a clock of the slices or a cycle of the cores.
struct memsys_offer {
    struct noc *network;
    uint64_t cycle; // cycle of the network
    uint32_t node, flits;
    uint32_t waiting; // replies of the partition that are ready, including this one
    const struct memsys_request *reply;
    bool taken; // accepted by the interface; false: the interface has accepted no reply in this
                // clock
};

// Callbacks of the owner for replies that enter the reply network. All are optional. They may
// change only the network at this node and the owner's state for this node.
struct memsys_replies {
    void *context;
    // Returns the priority of a reply at the interface of a node. The message class's priority is a
    // lower bound.
    uint8_t (*priority)(void *context, uint32_t node, const struct memsys_request *reply);
    // Called for each reply that the interface accepts, and in each clock in which it does not
    // accept a ready one. Replies of memsys_reply are offered only when they are accepted.
    void (*offered)(void *context, const struct memsys_offer *offer);
};

// A gate of the owner before the slices: requests that arrive from the network wait in it until the
// owner releases them, in any order, to the slice's input. Calls for a partition are made in its
// clocks and may change only state of that partition.
struct memsys_gate {
    void *context;
    // Returns the message class of a request that will be sent.
    uint8_t (*message_of)(void *context, const struct memsys_request *request);
    bool (*has_room)(const void *context, uint32_t partition, const struct memsys_request *request);
    // `entry` is the memory system's entry, for memsys_release.
    void (*accept)(void *context, uint32_t partition, uint32_t entry,
                   const struct memsys_request *request, uint64_t clock);
    // Called in each clock of the partition, after arrivals.
    void (*tick)(void *context, uint32_t partition, uint64_t clock);
    // Returns true if a request can be released in the next clock.
    bool (*is_due)(const void *context, uint32_t partition);
    // With named_reads: returns the words of 4 bytes that the reply to a read carries, one bit
    // each. They must be in `known`, the words that the slice has.
    uint32_t (*carried)(void *context, const struct memsys_request *request, uint32_t known);
};

// The link to memory of other devices (memsys_link.h).
struct memsys_far {
    const void *context;
    // Returns true if an address is in memory of another device.
    bool (*is_far)(const void *context, uint64_t address);
    uint64_t rate, latency; // of each direction, in MB/s and picoseconds
};

// Counts of the requests of one instruction. The sums over all sites are the statistics of the same
// names of the groups llc and dram.
struct memsys_site {
#define STATS_DEF "runtime-sim/memsys/memsys_site.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct stat_key memsys_site_keys[];
extern const uint32_t memsys_site_key_count;

// The counts of all sites. The owner numbers the sites, and may replace the list by a longer one.
struct memsys_sites {
    struct memsys_site *list;
};

// Rows that the owner adds to a memory system.
struct memsys_tables {
    const struct memsys_requester *requesters;
    uint32_t requester_count;
    uint32_t in_sectors; // number of the first requesters, which accept replies in several packets
    VEC(struct memsys_message) messages; // without row 0
    VEC(struct memsys_input) inputs;
    VEC(struct memsys_endpoint) endpoints;
    const struct memsys_backend *backend; // NULL: the DRAM of the configuration
    struct memsys_replies replies;
    const struct memsys_gate *gate;   // NULL: requests enter the slices' inputs directly
    const struct memsys_sites *sites; // NULL: requests are not counted by instruction
    const struct memsys_far *far;     // NULL: all memory is that of this device
};

// Fills the sections for config_init, which then reads values into *config.
void memsys_sections(struct config_section sections[MEMSYS_SECTIONS], struct memsys_config *config);

struct memsys_stats {
#define STATS_DEF "runtime-sim/memsys/memsys_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct memsys_requester_stats {
#define STATS_DEF "runtime-sim/memsys/memsys_client.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum memsys_kind {
    MEMSYS_READ,   // reads a line or sectors of it
    MEMSYS_WRITE,  // writes bytes of a line; the reply is an acknowledgement
    MEMSYS_ATOMIC, // reads and writes at the partition; the reply has data
    MEMSYS_REDUCE, // atomic without a result; the reply is an acknowledgement
    MEMSYS_TOUCH,  // from a partition's own endpoint: fetches the line into the slice, without data
    MEMSYS_PACKET, // to any endpoint, which replies: see memsys_send_packet
};

// A request, and its reply.
struct memsys_request {
    uint64_t line;     // address / llc.line_bytes
    struct mask bytes; // bytes of the line, at least one; of a reply to a read, the bytes that it
                       // carries
    uint32_t core;     // endpoint that gets the reply: a core, below memory.cores, or another
                       // endpoint
    uint32_t tag;      // chosen by the sender
    uint16_t carries;  // for atomics: bytes of the request after its header
    uint16_t returns;  // for MEMSYS_ATOMIC: bytes of the reply after its header
    uint8_t kind;      // enum memsys_kind
    uint8_t keep;      // enum cache_keep for the slice
    uint8_t requester; // number of the requester
    uint8_t from;      // enum cache_from of a reply: where the slice found the data
    uint16_t flits;    // for MEMSYS_PACKET: size of the packet, and of its reply
    uint8_t message;   // message class: 0, or 1 + row; set by the gate
    uint8_t mark;      // used by the owner
    bool by_sector;    // a read whose reply carries only the sectors of `bytes`, as all replies do
                       // with memory.sectors
    bool more;      // of a reply to a read: a packet with one of its sectors, which ends nothing;
                    // another packet has the last sector
    uint32_t words; // of a reply to a read, with named_reads: words of the line that it carries
    uint32_t site;  // instruction that caused it, an index of memsys_sites; 0: none, or not counted
    uint64_t since; // cycle from which its latency is counted in stages; 0: the cycle in which
                    // it is sent
};

// Called when a request is served. Its values must be read or written in the call. The calls at one
// time are in the order of the partitions and, within a partition, of service. MEMSYS_WAIT means
// that no value was read or written: the call is repeated in each later clock of the slice, before
// the calls for other requests, and the reply waits.
enum memsys_served { MEMSYS_SERVED, MEMSYS_WAIT };
typedef enum memsys_served memsys_serve(void *context, const struct memsys_request *request);

struct memsys;

// Returns a fault of a configuration that the tables of keys cannot express, as a sentence without
// a full stop, or NULL.
const char *memsys_check(struct arena *arena, const struct memsys_config *config);
// Adds a class to a network, with `vcs` virtual channels of class `from`, which must have more.
// `lends`: that class may borrow them, but not with routes that are chosen on the way. Returns the
// number of the class.
uint8_t memsys_add_class(struct arena *arena, struct noc_config *network, uint32_t from,
                         uint32_t vcs, bool lends);
// Returns the number of routers that may compute. Requires a configuration without a fault
// (memsys_check).
uint32_t memsys_config_routers(const struct memsys_config *config);
// Returns the granularity of replies to reads in bytes.
uint32_t memsys_read_unit(const struct memsys_config *config);
// Builds a memory system. Requires a configuration without a fault (memsys_check). The
// configuration and the rows of the tables must outlive it. `serve` may be NULL.
struct memsys *memsys_new(struct arena *arena, const struct memsys_config *config,
                          const struct memsys_tables *tables, memsys_serve *serve, void *context);

// Cores. In a cycle all cores call the functions for their own endpoint, in any order; then
// memsys_advance follows.

// Returns true if the network interface of the core has room for the request. If not, the core is
// notified when it may try again (memsys_may_send).
bool memsys_can_send(struct memsys *memsys, const struct memsys_request *request);
// Sends a request. Requires memsys_can_send in this cycle. Allocates memory if more requests are in
// flight than ever before.
void memsys_send(struct memsys *memsys, const struct memsys_request *request);
// Returns the oldest reply for the core, or NULL. It is valid until memsys_pop.
const struct memsys_request *memsys_peek(const struct memsys *memsys, uint32_t core);
// Removes the reply that memsys_peek returns, which must exist.
void memsys_pop(struct memsys *memsys, uint32_t core);
// Return sets of endpoints: those with a reply; and those whose request was refused and now has
// room, until they try again. Endpoint e is bit e mod 64 of word e / 64.
uint64_t memsys_reply_endpoints(const struct memsys *memsys, uint32_t word);
uint64_t memsys_may_send(const struct memsys *memsys, uint32_t word);

// Endpoints: cores first, then one per partition [000 §4.2], then one per computing router [000
// §6.2] if both networks have nodes at their routers, then those of the owner's table. The
// functions for cores above hold for all endpoints (memsys_ends.c). A node may have several
// endpoints; arrivals are accepted in their order, for any endpoint of the node.
enum memsys_endpoint_kind {
    MEMSYS_AT_CORE,
    MEMSYS_AT_PARTITION,
    MEMSYS_AT_ROUTER,
    MEMSYS_OF_OWNER,
    MEMSYS_END_KINDS
};
// Returns the number of endpoints.
uint32_t memsys_endpoint_count(const struct memsys *memsys);
// Returns the kind of an endpoint.
enum memsys_endpoint_kind memsys_kind_of_endpoint(const struct memsys *memsys, uint32_t end);
// Returns the number of the endpoint's core, partition or router.
uint32_t memsys_endpoint_number(const struct memsys *memsys, uint32_t end);
// Returns the node of an endpoint.
uint32_t memsys_endpoint_node(const struct memsys *memsys, uint32_t end);
// Returns the endpoint at a node, or UINT32_MAX.
uint32_t memsys_endpoint_at(const struct memsys *memsys, uint32_t node);
// Returns the endpoint of a partition.
uint32_t memsys_partition_endpoint(const struct memsys *memsys, uint32_t partition);
// Returns the number of routers with an endpoint, which are routers of the request network.
uint32_t memsys_routers(const struct memsys *memsys);
// Returns the endpoint of a computing router.
uint32_t memsys_router_endpoint(const struct memsys *memsys, uint32_t router);
// Correspond to memsys_can_send and memsys_send, but use the network interface of the endpoint
// `from`. The reply may go to any endpoint. There is no notification of room.
bool memsys_can_send_from(const struct memsys *memsys, uint32_t from,
                          const struct memsys_request *request);
void memsys_send_from(struct memsys *memsys, uint32_t from, const struct memsys_request *request);
// Put a request into the slice of the partition of its line, through an input of the slice:
// MEMSYS_FROM_OWN, or one of the owner's table. Replies to the partition's own endpoint bypass the
// network.
bool memsys_can_put(const struct memsys *memsys, uint32_t partition, uint32_t input);
void memsys_put(struct memsys *memsys, uint32_t partition, uint32_t input,
                const struct memsys_request *request);

// Releases a gate's request to the slice of its partition. Requires memsys_can_release.
bool memsys_can_release(const struct memsys *memsys, uint32_t partition);
void memsys_release(struct memsys *memsys, uint32_t partition, uint32_t entry, uint64_t clock);
// Replies to a gate's request that was completed without the slice. Requires memsys_can_return.
bool memsys_can_return(const struct memsys *memsys, uint32_t partition);
void memsys_return(struct memsys *memsys, uint32_t partition, uint32_t entry, uint64_t clock);
// Returns true if the slice has all bytes of the request.
bool memsys_holds(const struct memsys *memsys, uint32_t partition,
                  const struct memsys_request *request);
// Must be called when the owner has changed state for which gates wait: all gates are evaluated in
// the next clock.
void memsys_look_at_gates(struct memsys *memsys);

// Reads the line of a request from the slice's data without using its queues, if it is present.
// Sets `ready` to the cycle of the cores in which the data have arrived. Only `line` and `site` of
// the request are used.
enum cache_direct memsys_read_here(struct memsys *memsys, uint32_t partition,
                                   const struct memsys_request *request, uint64_t *ready);

// Returns true for an endpoint with a path that bypasses the networks (struct memsys_past).
bool memsys_is_past(const struct memsys *memsys, uint32_t end);
// For such endpoints: reads or writes the values of a request. Returns false if the owner makes the
// request wait, so that the call must be repeated later.
bool memsys_serve_past(struct memsys *memsys, uint32_t entry);
// Must be called when the reply has arrived at the endpoint.
void memsys_reply_past(struct memsys *memsys, uint32_t entry);
// Counts by instruction the `accesses` of a request to the memory.
void memsys_count_past(struct memsys *memsys, const struct memsys_request *request,
                       uint32_t accesses, bool write);
// Notifies the endpoint of room for a request, if one was refused.
void memsys_make_room_past(struct memsys *memsys, uint32_t end);

// Returns the first clock of the backends at or after the current cycle.
uint64_t memsys_backend_clock(const struct memsys *memsys);
// Returns that clock and schedules an evaluation of the backends in it. Must be called when the
// owner has given them work.
uint64_t memsys_look_again(struct memsys *memsys);
// memsys_expect counts a packet of the owner in a backend as in flight until memsys_notify reports
// its arrival, so that the owner is evaluated.
void memsys_expect(struct memsys *memsys);
void memsys_notify(struct memsys *memsys);

// Returns true if the slice of a line has all of its requested bytes.
bool memsys_holds_line(const struct memsys *memsys, uint64_t line);

// Updates the state of the line's slice as the request would, immediately and without traffic. Only
// `line`, `bytes`, `kind` and `keep` of the request are used. Returns true if the line was
// allocated.
bool memsys_warm(struct memsys *memsys, const struct memsys_request *request);

// Removes a line of a slice, unless it is in flight. Returns true if it was removed. Requires that
// the slice has no dirty bytes of it.
bool memsys_drop(struct memsys *memsys, uint64_t line);

// Packets between endpoints, in a class of their own in the request network (memory.packet_class).
// They are requests of kind MEMSYS_PACKET with `flits`. The receiver replies to them or drops them.
uint32_t memsys_packet_flits(const struct memsys *memsys, uint32_t bytes);
uint32_t memsys_reply_packet_flits(const struct memsys *memsys, uint32_t bytes);
bool memsys_can_send_packet(const struct memsys *memsys, uint32_t from, uint32_t flits);
void memsys_send_packet(struct memsys *memsys, uint32_t to, const struct memsys_request *packet);
// Returns the oldest packet for the endpoint, or NULL.
const struct memsys_request *memsys_peek_packet(const struct memsys *memsys, uint32_t end);
// Returns the set of nodes with such a packet, in the format of noc_arrivals.
uint64_t memsys_packets(const struct memsys *memsys, uint32_t word);
// Returns the number of words of a set of nodes.
uint32_t memsys_node_words(const struct memsys *memsys);
// Accepts the packet. Returns its number, for the reply.
uint32_t memsys_pop_packet(struct memsys *memsys, uint32_t end);
// Replies to a packet through the reply network, with `flits` flits.
bool memsys_can_reply(const struct memsys *memsys, uint32_t end, uint32_t flits);
void memsys_reply(struct memsys *memsys, uint32_t end, uint32_t packet, uint32_t flits);
// Ends a packet without a reply.
void memsys_drop_packet(struct memsys *memsys, uint32_t packet);

// Time, in cycles of the cores

// Evaluates the memory system from the current cycle, after the calls of the cores, up to the next
// cycle in which a core needs an evaluation: `next` (after the current cycle; UINT64_MAX: no
// cycle), or an earlier one in which a reply arrives, a refused request has room, or a flush ends.
// Returns that cycle, which becomes the current one. Returns UINT64_MAX, and stays in the current
// cycle, if the state will not change any more.
uint64_t memsys_advance(struct memsys *memsys, uint64_t next);

// Returns true if the state will not change any more unless the owner acts.
bool memsys_is_still(struct memsys *memsys);

// Starts a flush of the LLC: dirty lines are written back, and all lines are removed. It takes
// simulated time. Requires that no flush is in progress and no request is in flight.
void memsys_flush(struct memsys *memsys);
// Returns true while a flush is in progress or the DRAM writes.
bool memsys_flushing(const struct memsys *memsys);

// Evaluates routers and partitions in a random order at each time. Results do not change. 0: in the
// order of their numbers.
void memsys_shuffle(struct memsys *memsys, uint64_t seed);

// State and statistics

// Returns the number of requests whose reply was not popped.
uint64_t memsys_inside(const struct memsys *memsys);
// Prints the waiting components: the cycle of the last movement, partitions, then at most `most`
// packets of each network. Requests in flight long after the last movement will never get a reply.
void memsys_report(const struct memsys *memsys, FILE *to, uint32_t max);

// Return the partition of a line, and the node of a partition.
uint32_t memsys_partition_of(const struct memsys *memsys, uint64_t line);
uint32_t memsys_partition_node(const struct memsys *memsys, uint32_t partition);
// Return the number of flits of a request and of its reply.
uint32_t memsys_request_flits(const struct memsys *memsys, const struct memsys_request *request);
uint32_t memsys_reply_flits(const struct memsys *memsys, const struct memsys_request *request);

// Networks. Classes other than memory.request_class and .reply_class belong to the owner: any node
// may send and accept packets of them before memsys_advance, which returns when one has arrived.
enum memsys_network { MEMSYS_REQUESTS, MEMSYS_REPLIES };
// Returns a network, for sending.
struct noc *memsys_network(struct memsys *memsys, enum memsys_network network);
// Returns a network, for reading its state.
const struct noc *memsys_noc(const struct memsys *memsys, enum memsys_network network);

// Updates totals and events of the energy model. Must be called before statistics are read, marked
// or written.
void memsys_stats_refresh(struct memsys *memsys);
// Returns the totals, as of the last memsys_stats_refresh.
const struct memsys_stats *memsys_stats(const struct memsys *memsys);
// Returns the number of clocks with data on the buses of all DRAM channels. Does not need
// memsys_stats_refresh.
uint64_t memsys_data_clocks(const struct memsys *memsys);
// Returns the clocks in which the ports of a partition's slice were busy, summed over its banks.
uint64_t memsys_port_clocks(const struct memsys *memsys, uint32_t partition);
// Adds the groups memory, memory.NAME for each requester, request, reply and their classes, llc and
// dram (totals), and llc0 …, dram0 …
void memsys_stats_add(const struct memsys *memsys, struct stats *stats);
