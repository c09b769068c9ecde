// The memory system: a network for requests, a network for replies, and a partition at some of
// their nodes: a slice of the LLC and its DRAM.
//
//     core ─▶ request network ─▶ slice's input ─▶ LLC ⇄ DRAM
//     core ◀─ reply network ◀─ reply queue ◀─┘
//
// A core sends requests, each for one line, and takes replies. Every request gets one reply. The
// owner reads or writes the values when it is notified that the request is served (memsys_serve).
//
// No request is dropped. A full queue stops the component before it, up to the core, for which
// memsys_can_send returns false. No wait is circular. A request waits only for older requests, and
// for replies to leave the slice. Write-backs and fetches of a slice wait only for the DRAM. The
// DRAM waits for no other component: its data enter the slice without room for a reply. Replies
// have a network of their own and wait only for the cores, which take them even if they cannot
// send. Therefore a core must not refuse a reply for lack of room for a request.
//
// Order of reading: memsys.def (keys), memsys_state.h, memsys_build.c, memsys.c (requests, replies,
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
    // Set by the owner: reads name the bytes that they need, and the owner's gate names the words
    // of the line that their replies carry.
    bool named_reads;
};

enum { MEMSYS_NONE = UINT32_MAX };
enum { MEMSYS_SECTIONS = 5 };

// A sender of requests. Its statistics are the group memory.NAME.
struct memsys_requester {
    const char *name;
    bool apart;         // latencies are part of another requester's, and in no total
    const char *packet; // name of its packets between endpoints in traces; NULL: no packets
};

// A message class: the network classes and priorities of its requests and replies, and their slice
// input. Row 0 is that of the configuration. Two rows must not have the same class of a network.
struct memsys_message {
    uint8_t request_class, reply_class;       // of the networks' configurations
    uint8_t request_priority, reply_priority; // below NOC_PRIORITIES
    uint8_t input;                            // of slices, by number
};

struct memsys_request;

// An input of slices: a queue. Rows follow those of the network and of the partition's own
// endpoint.
enum { MEMSYS_FROM_NETWORK, MEMSYS_FROM_OWN, MEMSYS_INPUTS };
struct memsys_input {
    // Returns true if the request may be served in this clock. Depends only on state that requests
    // to the same line change, and changes no state. NULL: always.
    bool (*condition)(void *context, const struct memsys_request *request);
    void *context;
    // Requests of other inputs to the same line pass a request that waits for its condition. Then
    // at most one request of this input is outside its queue.
    bool is_passed;
};

// A path of an endpoint past networks and slices. The owner takes the endpoint's requests, serves
// them by memsys_serve_past and answers them by memsys_answer_past.
struct memsys_past {
    void *context;
    // Called in cores' cycles, in any order: look only at what belongs to the endpoint, and what
    // the owner changes at other times. `send` changes only what belongs to the endpoint. `entry`:
    // of the memory system, until the request is answered.
    bool (*can_send)(void *context, const struct memsys_request *request);
    void (*send)(void *context, uint32_t entry, const struct memsys_request *request);
};

// An endpoint at a node that may have others. Rows follow the endpoints of the configuration.
struct memsys_endpoint {
    uint32_t node;                  // without `past`
    const struct memsys_past *past; // NULL: it uses the networks
};

// A part of a line that a slice fetches or writes back.
struct memsys_piece {
    uint64_t line; // within the partition
    uint32_t number;
    struct mask bytes;
    bool write;
    // The request that needs the data, or that gets its reply when the write is done; MEMSYS_NONE.
    uint32_t entry;
    // Clocks at which it was taken, reached the scheduler, and was read or written.
    uint64_t taken, queued, done;
};

// The memory behind a slice. Times are its clocks.
struct memsys_backend {
    uint64_t clock;       // MHz; 0: dram.clock
    uint32_t piece_bytes; // of a line; 0: dram.request_bytes
    // The backends of all partitions are parts of one memory: each is ticked when one is due, in
    // their order, and `next` of each is that of all.
    bool is_shared;
    void *(*create)(void *context, struct arena *arena, const struct memsys_config *config,
                    uint32_t partition);
    void *context; // for `create`
    bool (*can_take)(const void *backend, const struct memsys_piece *piece);
    void (*take)(void *backend, uint64_t now, const struct memsys_piece *piece);
    // Returns the oldest piece that was read or written by now, or NULL. It is valid until `pop`.
    const struct memsys_piece *(*peek)(void *backend, uint64_t now);
    void (*pop)(void *backend, uint64_t now);
    // Evaluates a clock.
    void (*tick)(void *backend, uint64_t now);
    // Returns the next clock that needs a tick; UINT64_MAX: no clock.
    uint64_t (*next)(const void *backend);
    // Returns the clock at which `peek` returns the oldest piece; UINT64_MAX: not known.
    uint64_t (*ready)(const void *backend);
    // Returns the number of pieces that were taken and not popped.
    uint32_t (*inside)(const void *backend);
    // A DRAM channel, for statistics and traces; NULL: it has fewer.
    struct dram_channel *(*dram_channel)(void *backend, uint32_t channel);
};

// A reply at the network interface of a node, in a clock of the slices or a cycle of the cores.
struct memsys_offer {
    struct noc *network;
    uint64_t cycle; // of the network
    uint32_t node, flits;
    uint32_t waiting; // replies of the partition that are ready, with this one
    const struct memsys_request *reply;
    bool taken; // by the interface; false: it has taken no reply in this clock
};

// Functions of the owner for replies that enter the reply network. All are optional. They may
// change the network at this node and the owner's state of this node only.
struct memsys_replies {
    void *context;
    // Returns the priority of a reply that is handed to the interface of a node; it has at least
    // that of its class of messages.
    uint8_t (*priority)(void *context, uint32_t node, const struct memsys_request *reply);
    // Called for each reply that is taken, and in each clock in which a ready one is not. Replies
    // of memsys_answer are offered only when they are taken.
    void (*offered)(void *context, const struct memsys_offer *offer);
};

// A gate of the owner in front of the slices: requests that arrive from the network wait there
// until the owner releases them, in any order, into the slice's input. A partition's calls come in
// its clocks and may change only what belongs to it.
struct memsys_gate {
    void *context;
    // Returns the message class of a request that is to be sent.
    uint8_t (*message_of)(void *context, const struct memsys_request *request);
    bool (*has_room)(const void *context, uint32_t partition, const struct memsys_request *request);
    // `entry`: of the memory system, for memsys_release.
    void (*take)(void *context, uint32_t partition, uint32_t entry,
                 const struct memsys_request *request, uint64_t clock);
    // Called in each clock of the partition, after arrivals.
    void (*tick)(void *context, uint32_t partition, uint64_t clock);
    // Returns true if a request can be released in the next clock.
    bool (*is_due)(const void *context, uint32_t partition);
    // Returns the words of 4 bytes of the line that the reply to a read carries, with named_reads:
    // a bit for each, of `known`, which the slice has.
    uint32_t (*carried)(void *context, const struct memsys_request *request, uint32_t known);
};

// Rows that the owner adds to a memory system.
struct memsys_tables {
    const struct memsys_requester *requesters;
    uint32_t requester_count;
    VEC(struct memsys_message) messages; // without row 0
    VEC(struct memsys_input) inputs;
    VEC(struct memsys_endpoint) endpoints;
    const struct memsys_backend *backend; // NULL: the DRAM of the configuration
    struct memsys_replies replies;
    const struct memsys_gate *gate; // NULL: requests enter the slices' inputs
};

// Sections for config_init, of which values are read into *config.
void memsys_sections(struct config_section sections[MEMSYS_SECTIONS], struct memsys_config *config);

struct memsys_stats {
#define STATS_DEF "runtime-sim/memsys/memsys_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct memsys_client_stats {
#define STATS_DEF "runtime-sim/memsys/memsys_client.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum memsys_kind {
    MEMSYS_READ,   // reads a line or sectors of it
    MEMSYS_WRITE,  // writes bytes of a line: the reply is an acknowledgement
    MEMSYS_ATOMIC, // reads and writes at the partition: the reply has data
    MEMSYS_REDUCE, // the same without data: the reply is an acknowledgement
    MEMSYS_TOUCH,  // of a partition's own endpoint: fetches the line into the slice; no data
    MEMSYS_PACKET, // to any endpoint, which replies: see memsys_send_packet
};

// A request, and the reply to it.
struct memsys_request {
    uint64_t line;     // address / llc.line_bytes
    struct mask bytes; // of the line, at least one; of a reply to a read: the bytes that it carries
    uint32_t core;     // the endpoint that gets the reply: a core, below memory.cores, or another
    uint32_t tag;      // value of the sender's choice
    uint16_t carries;  // of atomics: bytes of a request after its header
    uint16_t returns;  // of MEMSYS_ATOMIC: bytes of a reply after its header
    uint8_t kind;      // enum memsys_kind
    uint8_t keep;      // enum cache_keep, of the slice
    uint8_t client;    // number of the requester
    uint8_t from;      // enum cache_from, of a reply: where the slice found the data
    uint16_t flits;    // of MEMSYS_PACKET, and of the reply to it
    uint8_t message;   // message class: 0, or 1 + row; a gate sets it
    uint8_t mark;      // of the owner
    uint32_t words;    // of a reply to a read, with named_reads: words of the line that it carries
    uint64_t since;    // cycle from which its latency counts in stages; 0: that of its sending
};

// Called when the request is served: values are read or written now. At each point of time the
// calls have the order of the partitions, and in a partition the order of service. With MEMSYS_WAIT
// no value was read or written: the call is repeated at each later clock of the slice, before the
// calls for other requests, and the reply waits.
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
// Returns the unit of replies to reads: bytes of a part of a line.
uint32_t memsys_read_unit(const struct memsys_config *config);
// Requires a configuration without a fault (memsys_check). It and the rows of the tables stay
// valid. `serve` may be NULL.
struct memsys *memsys_new(struct arena *arena, const struct memsys_config *config,
                          const struct memsys_tables *tables, memsys_serve *serve, void *context);

// Cores. In a cycle all cores call the functions for their own endpoint, in any order; then
// memsys_advance follows.

// Returns true if the request has room in the network interface of its core. After false the core
// is notified when it may try again (memsys_may_send).
bool memsys_can_send(struct memsys *memsys, const struct memsys_request *request);
// Requires memsys_can_send in this cycle. Allocates memory if more requests are in flight than ever
// before.
void memsys_send(struct memsys *memsys, const struct memsys_request *request);
// Returns the oldest reply for the core, or NULL. It is valid until memsys_pop.
const struct memsys_request *memsys_peek(const struct memsys *memsys, uint32_t core);
// Requires a reply that memsys_peek has returned.
void memsys_pop(struct memsys *memsys, uint32_t core);
// Return sets of endpoints: those with a reply; those whose request was refused and now has room,
// until they try again. Endpoint e is bit e mod 64 of word e / 64.
uint64_t memsys_answers(const struct memsys *memsys, uint32_t word);
uint64_t memsys_may_send(const struct memsys *memsys, uint32_t word);

// Endpoints: cores first, then one per partition [000 §4.2], then one per computing router [000
// §6.2], if both networks have nodes at their routers, then those of the owner's table. The
// functions for cores above hold for all endpoints (memsys_ends.c). Several endpoints may be at one
// node: arrivals are taken in their order, for any endpoint of the node.
enum memsys_end {
    MEMSYS_AT_CORE,
    MEMSYS_AT_PARTITION,
    MEMSYS_AT_ROUTER,
    MEMSYS_OF_OWNER,
    MEMSYS_END_KINDS
};
uint32_t memsys_ends(const struct memsys *memsys);
enum memsys_end memsys_end_kind(const struct memsys *memsys, uint32_t end);
// Returns the number of the endpoint's core, partition or router.
uint32_t memsys_end_number(const struct memsys *memsys, uint32_t end);
uint32_t memsys_end_node(const struct memsys *memsys, uint32_t end);
// Returns the endpoint at a node; UINT32_MAX: no endpoint.
uint32_t memsys_end_at(const struct memsys *memsys, uint32_t node);
uint32_t memsys_partition_end(const struct memsys *memsys, uint32_t partition);
// Returns the number of routers with an endpoint. They are routers of the request network.
uint32_t memsys_routers(const struct memsys *memsys);
uint32_t memsys_router_end(const struct memsys *memsys, uint32_t router);
// As memsys_can_send and memsys_send, but through the network interface of the endpoint `from`, for
// replies to any endpoint. No endpoint is notified when there is room.
bool memsys_can_send_from(const struct memsys *memsys, uint32_t from,
                          const struct memsys_request *request);
void memsys_send_from(struct memsys *memsys, uint32_t from, const struct memsys_request *request);
// Puts a request into the slice of the partition of its line, through an input of the slice:
// MEMSYS_FROM_OWN, or one of the owner's table. Replies for the partition's own endpoint do not use
// a network; other replies do.
bool memsys_can_put(const struct memsys *memsys, uint32_t partition, uint32_t input);
void memsys_put(struct memsys *memsys, uint32_t partition, uint32_t input,
                const struct memsys_request *request);

// Releases a request of a gate into the slice of its partition; requires room.
bool memsys_can_release(const struct memsys *memsys, uint32_t partition);
void memsys_release(struct memsys *memsys, uint32_t partition, uint32_t entry, uint64_t clock);
// Replies to a request of a gate that the gate has done without the slice; requires room.
bool memsys_can_return(const struct memsys *memsys, uint32_t partition);
void memsys_return(struct memsys *memsys, uint32_t partition, uint32_t entry, uint64_t clock);
// Returns true if the slice has all bytes of the request.
bool memsys_holds(const struct memsys *memsys, uint32_t partition,
                  const struct memsys_request *request);
// The owner has changed what gates wait for: all are evaluated in the next clock.
void memsys_look_at_gates(struct memsys *memsys);

// Reads a line of the slice's data without its queues, if it is present. `ready`: the cycle of the
// cores in which the data have arrived.
enum cache_direct memsys_read_here(struct memsys *memsys, uint32_t partition, uint64_t line,
                                   uint64_t *ready);

// Returns true for an endpoint with a path of its own (struct memsys_past).
bool memsys_is_past(const struct memsys *memsys, uint32_t end);
// For such endpoints. Reads or writes values now; returns
// false if the owner lets the request wait: the call is repeated later.
bool memsys_serve_past(struct memsys *memsys, uint32_t entry);
// Called when the reply has arrived at the endpoint.
void memsys_answer_past(struct memsys *memsys, uint32_t entry);
// Notifies the endpoint of room for a request, if one was refused.
void memsys_make_room_past(struct memsys *memsys, uint32_t end);

// Returns the first clock of the backends at or after the current cycle.
uint64_t memsys_backend_clock(const struct memsys *memsys);
// The same, and evaluates the backends in it: the owner has given them something to do.
uint64_t memsys_look_again(struct memsys *memsys);
// memsys_expect counts a packet of the owner in a backend as inside, until memsys_notify reports
// that it has arrived, so that the owner is evaluated.
void memsys_expect(struct memsys *memsys);
void memsys_notify(struct memsys *memsys);

// Returns true if the slice of a line has all of its requested bytes.
bool memsys_holds_line(const struct memsys *memsys, uint64_t line);

// Gives the line's slice the state that the request leaves, at once and without traffic. Of the
// request only `line`, `bytes`, `kind` and `keep` count. Returns true if the line has got a place.
bool memsys_warm(struct memsys *memsys, const struct memsys_request *request);

// Removes a line of a slice, unless it is in flight. Returns true if it was removed. Requires that
// the slice has no dirty bytes of it.
bool memsys_drop(struct memsys *memsys, uint64_t line);

// Packets between endpoints, of a class of their own in the request network (memory.packet_class).
// They are requests of kind MEMSYS_PACKET with `flits`. The receiver replies or drops them.
uint32_t memsys_packet_flits(const struct memsys *memsys, uint32_t bytes);
uint32_t memsys_answer_flits(const struct memsys *memsys, uint32_t bytes);
bool memsys_can_send_packet(const struct memsys *memsys, uint32_t from, uint32_t flits);
void memsys_send_packet(struct memsys *memsys, uint32_t to, const struct memsys_request *packet);
// Returns the oldest packet for the endpoint, or NULL.
const struct memsys_request *memsys_peek_packet(const struct memsys *memsys, uint32_t end);
// Returns the set of nodes with such a packet, as noc_arrivals does.
uint64_t memsys_packets(const struct memsys *memsys, uint32_t word);
uint32_t memsys_node_words(const struct memsys *memsys);
// Takes the packet, and returns its number for the reply.
uint32_t memsys_take_packet(struct memsys *memsys, uint32_t end);
// Replies to a packet through the reply network with `flits` flits.
bool memsys_can_answer(const struct memsys *memsys, uint32_t end, uint32_t flits);
void memsys_answer(struct memsys *memsys, uint32_t end, uint32_t packet, uint32_t flits);
// Ends a packet without a reply.
void memsys_drop_packet(struct memsys *memsys, uint32_t packet);

// Time, in cycles of the cores

// Evaluates the memory system from the current cycle, after the calls of the cores, up to the next
// one in which a core has something to do: `next` (after the current one; UINT64_MAX: no cycle), or
// an earlier one in which a reply arrives, a refused request has room, or a flush ends. Returns
// that cycle, which is then the current one. Returns UINT64_MAX, and stays in the current cycle, if
// the state will not change any more.
uint64_t memsys_advance(struct memsys *memsys, uint64_t next);

// Returns true if the state will not change any more without the owner.
bool memsys_is_still(struct memsys *memsys);

// Begins a flush of the LLC: its dirty lines are written back, and all lines are removed. Takes
// simulated time. Requires that no flush is in progress and no request is inside.
void memsys_flush(struct memsys *memsys);
// Returns true while a flush is in progress or the DRAM writes.
bool memsys_flushing(const struct memsys *memsys);

// Evaluates routers and partitions in another order at each point of time, with the same results.
// 0: in the order of their numbers.
void memsys_shuffle(struct memsys *memsys, uint64_t seed);

// State and statistics

// Returns the number of requests whose reply was not taken yet.
uint64_t memsys_inside(const struct memsys *memsys);
// Reports the waits: the cycle of the last movement, partitions, then at most `most` packets of
// each network. Requests that are inside long after the last movement will never get a reply.
void memsys_report(const struct memsys *memsys, FILE *to, uint32_t most);

uint32_t memsys_partition_of(const struct memsys *memsys, uint64_t line);
uint32_t memsys_partition_node(const struct memsys *memsys, uint32_t partition);
// Return the flits of a request and of its reply.
uint32_t memsys_request_flits(const struct memsys *memsys, const struct memsys_request *request);
uint32_t memsys_reply_flits(const struct memsys *memsys, const struct memsys_request *request);

// Returns a network. Classes other than memory.request_class and .reply_class are the owner's: any
// node may send and take packets of them before memsys_advance, which returns when one has arrived.
enum memsys_network { MEMSYS_REQUESTS, MEMSYS_REPLIES };
struct noc *memsys_network(struct memsys *memsys, enum memsys_network network);
// The same for a reader.
const struct noc *memsys_noc(const struct memsys *memsys, enum memsys_network network);

// Updates totals and events of energy. Call it before statistics are read, marked or written.
void memsys_stats_refresh(struct memsys *memsys);
const struct memsys_stats *memsys_stats(const struct memsys *memsys);
// Returns the clocks with data on the buses of all DRAM channels, without memsys_stats_refresh.
uint64_t memsys_data_clocks(const struct memsys *memsys);
// Adds the groups memory, memory.NAME for each requester, request, reply and their classes, llc and
// dram (totals), llc0 …, dram0 …
void memsys_stats_add(const struct memsys *memsys, struct stats *stats);
