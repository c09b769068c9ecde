// What is behind the cores: two networks, for requests and for replies, and at some of their nodes
// a partition each: a slice of the last level (LLC) and the DRAM behind it.
//
//     core ─▶ request network ─▶ slice's input ─▶ LLC ⇄ DRAM
//     core ◀─ reply network ◀─ reply queue ◀─┘
//
// Cores hand in requests for a line each and take answers. Every request is answered once. What it
// does to values is done by the owner, who is told when it is served (memsys_serve).
//
// Nothing is dropped: what is full makes the one before it wait, up to the core, to whom
// memsys_can_send says no. Nothing waits in a circle either. A request waits only for requests
// before it and for replies, to leave the slice. What the slice writes back and what it fetches
// waits only for the DRAM, and the DRAM for nobody: its answers go into the slice without room
// for a reply. Replies have a network of their own and wait only for the cores, who take them
// whether or not they can send. So a core must not refuse an answer for lack of room for a request.
//
// In the order in which one reads the source: memsys.def (what can be set), memsys_state.h,
// memsys_build.c, memsys.c (requests, answers, time), memsys_partition.c, memsys_dram.c,
// memsys_stats.c.
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
};

enum { MEMSYS_NONE = UINT32_MAX };
enum { MEMSYS_SECTIONS = 5, MEMSYS_REQUESTERS = 32 };

// Who sends requests: its statistics are the group memory.NAME.
struct memsys_requester {
    const char *name;
    bool apart;         // its latencies are part of another requester's, and in no total
    const char *packet; // its packets between endpoints in traces; NULL: it sends none
};

// A class of messages: how requests travel, and their replies. Row 0 is that of the configuration.
// Two rows must not have the same class of a network.
struct memsys_message {
    uint8_t request_class, reply_class;       // of the networks, whose configuration has them
    uint8_t request_priority, reply_priority; // below NOC_PRIORITIES
    uint8_t input;                            // of slices, by number
};

struct memsys_request;

// An input of slices: a queue. Rows follow those of the network and of the partition's own
// endpoint.
enum { MEMSYS_FROM_NETWORK, MEMSYS_FROM_OWN, MEMSYS_INPUTS };
struct memsys_input {
    // Returns true if the request may be served in this clock. Looks only at what requests to the
    // same line change, and changes nothing. NULL: always.
    bool (*condition)(void *context, const struct memsys_request *request);
    void *context;
    // Requests of other inputs to the same line pass one that waits for its condition. Then one
    // request of this input at most is out of its queue.
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

// A part of a line that a slice asks for, or writes back.
struct memsys_piece {
    uint64_t line; // within the partition
    uint32_t number;
    struct mask bytes;
    bool write;
    uint32_t
        entry; // the request that it is for, or that is answered when it is written; MEMSYS_NONE
    // Clocks at which it was taken, came to the scheduler, and was read or written.
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
    // The oldest piece that was read or written by now; NULL: none. Stays valid until it is popped.
    const struct memsys_piece *(*peek)(void *backend, uint64_t now);
    void (*pop)(void *backend, uint64_t now);
    // Does what is to be done at this clock.
    void (*tick)(void *backend, uint64_t now);
    // The next clock that needs a tick; UINT64_MAX: none.
    uint64_t (*next)(const void *backend);
    // The clock at which the oldest piece that was not popped is there; UINT64_MAX: not known.
    uint64_t (*ready)(const void *backend);
    // Pieces that were taken and not popped.
    uint32_t (*inside)(const void *backend);
    // Statistics of a DRAM channel, for the totals; NULL: it has fewer.
    const struct dram_stats *(*dram_stats)(const void *backend, uint32_t channel);
};

enum { MEMSYS_ROWS = 8 }; // of each table below, at most

// What the owner adds to a memory system.
struct memsys_tables {
    const struct memsys_requester *requesters; // at most MEMSYS_REQUESTERS
    uint32_t requester_count;
    struct memsys_message messages[MEMSYS_ROWS]; // without row 0
    uint32_t message_count;
    struct memsys_input inputs[MEMSYS_ROWS];
    uint32_t input_count;
    struct memsys_endpoint endpoints[MEMSYS_ROWS];
    uint32_t endpoint_count;
    const struct memsys_backend *backend; // NULL: the DRAM of the configuration
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
    MEMSYS_READ,   // a line, or sectors of it
    MEMSYS_WRITE,  // some of its bytes: the answer is an acknowledgement
    MEMSYS_ATOMIC, // read and written at the partition: the answer has data
    MEMSYS_REDUCE, // the same without data: an acknowledgement
    MEMSYS_TOUCH,  // of a partition's own end: the line is to be in the slice; no data
    MEMSYS_PACKET, // to any end, which answers: see memsys_send_packet
};

// A request, and the answer to it.
struct memsys_request {
    uint64_t line;     // address / llc.line_bytes
    struct mask bytes; // of the line, at least one; of an answer to a read: those that it carries
    uint32_t core;     // the end that it is answered to: a core, below memory.cores, or another
    uint32_t tag;      // the sender's
    uint16_t carries;  // of atomics: bytes of a request after its header
    uint16_t returns;  // of MEMSYS_ATOMIC: bytes of an answer after its header
    uint8_t kind;      // enum memsys_kind
    uint8_t keep;      // enum cache_keep, of the slice
    uint8_t client;    // number of the requester
    uint8_t from;      // enum cache_from, of an answer: where the slice found what it asked for
    uint16_t flits;    // of MEMSYS_PACKET, and then of the answer to it
    uint8_t message;   // class of messages: 0, or 1 + row
    uint64_t since;    // cycle from which its latency counts in stages; 0: that of its sending
};

// Called when the request is served: values are read or written now. At each point of time the
// partitions' requests come in the order of the partitions, those of one as it serves them. Under
// MEMSYS_WAIT nothing was read or written: the request is asked again at each later clock of the
// slice, before those served then, and its reply waits.
enum memsys_served { MEMSYS_SERVED, MEMSYS_WAIT };
typedef enum memsys_served memsys_serve(void *context, const struct memsys_request *request);

struct memsys;

// What is wrong with a configuration as a sentence without a full stop; NULL: nothing. For what the
// tables of keys cannot tell.
const char *memsys_check(struct arena *arena, const struct memsys_config *config);
// Adds a class to a network, with so many virtual channels, which class `from` gives up: it must
// have more. Returns its number.
uint8_t memsys_add_class(struct arena *arena, struct noc_config *network, uint64_t from,
                         uint64_t vcs);
// Routers at which somebody may compute. Needs a configuration that memsys_check finds right.
uint32_t memsys_config_routers(const struct memsys_config *config);
// Bytes of the parts of a line in which reads are answered.
uint32_t memsys_read_unit(const struct memsys_config *config);
// Needs a configuration that memsys_check finds right, which stays, as do the tables' rows. `serve`
// may be NULL.
struct memsys *memsys_new(struct arena *arena, const struct memsys_config *config,
                          const struct memsys_tables *tables, memsys_serve *serve, void *context);

// Cores. In a core's cycle all cores may look at and change what is theirs, in any order; then
// memsys_advance.

// There is room for the request in its core's network interface. A core that was refused is told
// when it may try again (memsys_may_send).
bool memsys_can_send(struct memsys *memsys, const struct memsys_request *request);
// Needs memsys_can_send in this cycle. Takes memory where more requests are on their way than ever
// before.
void memsys_send(struct memsys *memsys, const struct memsys_request *request);
// The oldest answer for the core; NULL: there is none. Stays valid until it is popped.
const struct memsys_request *memsys_peek(const struct memsys *memsys, uint32_t core);
// Needs an answer that memsys_peek has shown.
void memsys_pop(struct memsys *memsys, uint32_t core);
// Ends for whom there is an answer, and ends that were refused and now have room for what they
// wanted to send, until they try: end e in bit e mod 64 of word e / 64.
uint64_t memsys_answers(const struct memsys *memsys, uint32_t word);
uint64_t memsys_may_send(const struct memsys *memsys, uint32_t word);

// Ends: the cores, and behind them those for who computes elsewhere: one for each partition
// [000 §4.2], then, where both networks have nodes at their routers, one for each of these
// [000 §6.2]. What is said of cores above holds for them, too (gpu/memsys_ends.c).
// Then come those of the owner's table. Several endpoints may be at one node: what arrives there is
// taken in the order of its arrival, whichever it is for.
enum memsys_end {
    MEMSYS_AT_CORE,
    MEMSYS_AT_PARTITION,
    MEMSYS_AT_ROUTER,
    MEMSYS_OF_OWNER,
    MEMSYS_END_KINDS
};
uint32_t memsys_ends(const struct memsys *memsys);
enum memsys_end memsys_end_kind(const struct memsys *memsys, uint32_t end);
// Its core's, partition's or router's number.
uint32_t memsys_end_number(const struct memsys *memsys, uint32_t end);
uint32_t memsys_end_node(const struct memsys *memsys, uint32_t end);
// The end at a node; UINT32_MAX: none.
uint32_t memsys_end_at(const struct memsys *memsys, uint32_t node);
uint32_t memsys_partition_end(const struct memsys *memsys, uint32_t partition);
// Routers that have an end; they are those of the request network, by number.
uint32_t memsys_routers(const struct memsys *memsys);
uint32_t memsys_router_end(const struct memsys *memsys, uint32_t router);
// As memsys_can_send and memsys_send, but by the network interface of the end `from`, whoever is
// answered to. Nobody is told when there is room.
bool memsys_can_send_from(const struct memsys *memsys, uint32_t from,
                          const struct memsys_request *request);
void memsys_send_from(struct memsys *memsys, uint32_t from, const struct memsys_request *request);
// Hands a request to the slice of a partition, which it must be for, by one of its inputs:
// MEMSYS_FROM_OWN, or one of the owner's table. Answers for the partition's own end come without a
// network, others by it.
bool memsys_can_put(const struct memsys *memsys, uint32_t partition, uint32_t input);
void memsys_put(struct memsys *memsys, uint32_t partition, uint32_t input,
                const struct memsys_request *request);

// Reads a line of the slice's data at once, past its queues, if it is there; `ready`: in which
// cycle of the cores the data have come.
enum cache_direct memsys_read_here(struct memsys *memsys, uint32_t partition, uint64_t line,
                                   uint64_t *ready);

// Of endpoints with a path of their own (struct memsys_past). Values are read or written now; false
// if the owner lets the request wait, which is asked again later.
bool memsys_serve_past(struct memsys *memsys, uint32_t entry);
// The reply has come to the endpoint.
void memsys_answer_past(struct memsys *memsys, uint32_t entry);
// The endpoint has room for a request, if it was refused.
void memsys_make_room_past(struct memsys *memsys, uint32_t end);

// For a backend. It has something to do at another time, because of others than slices; returns its
// first clock at or after the current cycle.
uint64_t memsys_look_again(struct memsys *memsys);
// Something of the owner is on its way in the backend, and counts as inside; it has come, and the
// owner has something to look at.
void memsys_expect(struct memsys *memsys);
void memsys_notify(struct memsys *memsys);

// Forgets a line of a slice, unless it is on its way. True if it was there. Requires that the slice
// has not written bytes which the memory behind it lacks.
bool memsys_drop(struct memsys *memsys, uint64_t line);

// Packets from end to end, of a class of their own in the request network (memory.packet_class).
// They are requests of kind MEMSYS_PACKET with `flits`, which the receiver answers or drops.
uint32_t memsys_packet_flits(const struct memsys *memsys, uint32_t bytes);
uint32_t memsys_answer_flits(const struct memsys *memsys, uint32_t bytes);
bool memsys_can_send_packet(const struct memsys *memsys, uint32_t from, uint32_t flits);
void memsys_send_packet(struct memsys *memsys, uint32_t to, const struct memsys_request *packet);
// The oldest packet for the end; NULL: there is none.
const struct memsys_request *memsys_peek_packet(const struct memsys *memsys, uint32_t end);
// Nodes for whose end there is one, as noc_arrivals has them.
uint64_t memsys_packets(const struct memsys *memsys, uint32_t word);
uint32_t memsys_node_words(const struct memsys *memsys);
// Takes it, and returns what it is to be answered by.
uint32_t memsys_take_packet(struct memsys *memsys, uint32_t end);
// Answers it through the reply network with so many flits.
bool memsys_can_answer(const struct memsys *memsys, uint32_t end, uint32_t flits);
void memsys_answer(struct memsys *memsys, uint32_t end, uint32_t packet, uint32_t flits);
// It will not be answered.
void memsys_drop_packet(struct memsys *memsys, uint32_t packet);

// Time, in the cores' cycles

// Evaluates everything from the current cycle, in which cores have done what they wanted, up to the
// next one in which they want to do something: `next` (after the current one; UINT64_MAX: none), or
// the first before it in which there is an answer, or room for a core that was refused, or in which
// a flush has ended. Returns that cycle, which is then the current one. UINT64_MAX if nothing will
// ever happen; then the current one stays.
uint64_t memsys_advance(struct memsys *memsys, uint64_t next);

// Begins to write back and to drop everything that the LLC holds. Needs that none is under way and
// that no request is inside; it takes its time, like everything.
void memsys_flush(struct memsys *memsys);
// It is under way, or the DRAM still writes.
bool memsys_flushing(const struct memsys *memsys);
// Flushes, then these addresses go to the partitions by this rule. Needs what memsys_flush needs.
void memsys_remap(struct memsys *memsys, const struct partition_range *range);

// Evaluates networks' routers and partitions in another order at each point of time; the results
// stay the same. 0: by number.
void memsys_shuffle(struct memsys *memsys, uint64_t seed);

// What can be known

// Requests whose answer was not taken yet.
uint64_t memsys_inside(const struct memsys *memsys);
// Who waits for whom: when something last moved, partitions, then at most `most` packets of each
// network. If requests are inside and the last one moved long ago, they will never be answered.
void memsys_report(const struct memsys *memsys, FILE *to, uint32_t most);

uint32_t memsys_partition_of(const struct memsys *memsys, uint64_t line);
uint32_t memsys_partition_node(const struct memsys *memsys, uint32_t partition);
// Flits of a request and of its answer.
uint32_t memsys_request_flits(const struct memsys *memsys, const struct memsys_request *request);
uint32_t memsys_reply_flits(const struct memsys *memsys, const struct memsys_request *request);

// The networks. Classes other than memory.request_class and .reply_class are the owner's: any node
// may send and take packets of them, before memsys_advance, which returns when one has arrived.
enum memsys_network { MEMSYS_REQUESTS, MEMSYS_REPLIES };
struct noc *memsys_network(struct memsys *memsys, enum memsys_network network);

// Brings totals and events of energy up to date: before statistics are read, marked or written.
void memsys_stats_refresh(struct memsys *memsys);
const struct memsys_stats *memsys_stats(const struct memsys *memsys);
// Adds the groups memory, memory.NAME for each requester, request, reply and their classes, llc and
// dram (totals), llc0 …, dram0 …
void memsys_stats_add(const struct memsys *memsys, struct stats *stats);
