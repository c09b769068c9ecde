// The service queue [000 §4.2, §4.3, §4.4.2] accepts ComputePackets, requests their operands,
// computes, stores and replies. Each partition has one, and each core and router that computes.
//
//     packet → entry (SQSR) → operands requested → all arrived → buffer → ALU → store → reply
//
// An entry is freed when its store or its reply is sent. The acknowledgement of the store then
// identifies the core that gets the reply.
//
// At a partition, operands of its own lines stay in the slice until all have arrived. They are
// requested with MEMSYS_TOUCH, and read when an entry of the buffer is free. A line that was
// evicted in the meantime is then fetched again. Operands of other partitions, and all operands at
// a core or a router, arrive through the networks and wait in the memory of the queue, which is
// shared memory at a core.
//
// With offload.merge_operands an operand of another partition is not requested if its line is on
// its way to the queue, and if the chain's packet was sent before that request. All accesses that
// precede the chain were complete when its packet was sent (docs/reference/offload.md#order), so
// the requested data have them. A request that is older than the packet may have read old data.
//
// With offload.operands_in_l1 a queue at a core looks up operands in the core's L1. The packet has
// for each operand the cycle of the last access that may precede the chain and change the operand
// (oq_fresh), instead of that in which it was sent. Data of the L1, or of a request in flight, are
// used if they were requested since. A line that the queue has requested enters the L1, unless an
// access that precedes next ones of this core is younger than the request.
//
// In each cycle the queue accepts one packet, requests one operand, reads one, starts one chain,
// and sends one store and one reply. A packet that finds no free entry is not computed. Its loads
// are sent on: to the slice of the partition through an input of their own, to other slices before
// the requests of entries, because packets queue up after them. The replies go to the core that
// sent the packet. offload.full_queue selects alternatives: the packet stays in the network, or
// cores count the entries.
#pragma once
#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/schemes/llc_omni/packet.h"

enum { SERVICE_STORE = PACKET_LOADS, SERVICE_TAGS = 4, SERVICE_NONE = UINT32_MAX };

enum service_stage {
    SERVICE_FREE,
    SERVICE_ASKS,     // requests operands
    SERVICE_WAITS,    // waits for operands
    SERVICE_READY,    // waits for the buffer
    SERVICE_READS,    // reads operands into the buffer
    SERVICE_BUFFERED, // waits for the ALU
    SERVICE_COMPUTES,
    SERVICE_STORES,  // the store is to be sent
    SERVICE_REPLIES, // the reply is to be sent
    SERVICE_STAGES,
};

struct service_entry {
    uint8_t stage;        // enum service_stage
    uint8_t asked, there; // sets of requested and of arrived operands
    uint8_t kept, read;   // sets of operands in the queue's own memory, and in the buffer
    uint32_t reply;       // number of the packet for memsys_reply
    uint32_t core;        // owner of the chain
    uint64_t until;       // cycle in which it has been read or computed
    // By operand, the cycle from which on it may have been requested, the cycle in which it was
    // requested and, with offload.merge_operands, the tag of the request whose data it gets; set of
    // requests that were served; set of operands that the L1 had.
    uint64_t fresh[PACKET_LOADS], asked_at[PACKET_LOADS];
    uint32_t merged[PACKET_LOADS]; // SERVICE_NONE: its own request
    uint8_t served, in_l1;
    struct compute_packet packet;
};

enum service_l1 { SERVICE_L1_READ, SERVICE_L1_BUSY, SERVICE_L1_OLD, SERVICE_L1_ABSENT };

// An operand that is being read from the L1.
struct service_l1_read {
    uint32_t tag;
    uint64_t ready;
};

// A store that waits for its acknowledgement, or whose acknowledgement is to be forwarded.
struct service_stored {
    uint32_t core, entry; // owner of the chain, and entry of its offload queue
    uint32_t reply;       // number of the packet for memsys_reply
    uint32_t next;        // next in a list, or SERVICE_NONE
};

// Callbacks of the machine for the queue.
struct service_hooks {
    void *context;
    // Returns the bits of the packet in an entry of a core's offload queue, and sets *flits.
    const uint8_t *(*bits)(void *context, uint32_t core, uint32_t entry, uint32_t *flits);
    // Returns the cycle from which on an operand of the packet in an entry of a core's offload
    // queue may have been requested.
    uint64_t (*fresh)(void *context, uint32_t core, uint32_t entry, uint32_t which);
    // Reads a line from the L1 of the core at this endpoint, if it was requested in cycle `fresh`
    // or later. Sets *ready to the cycle in which it is read.
    enum service_l1 (*read_l1)(void *context, uint32_t endpoint, uint64_t line, uint64_t fresh,
                               uint64_t *ready);
    // Brings a line into that L1, which was requested in cycle `since`, if the core may see such
    // old data.
    void (*bring_to_l1)(void *context, uint32_t endpoint, uint64_t now, uint64_t line,
                        uint64_t since);
    // Returns the cycles from the start of the ALU to the result.
    uint32_t (*latency)(void *context, uint32_t core, uint32_t entry);
    // Returns the instruction of a load or, with SERVICE_STORE, of the store (`site` of requests).
    uint32_t (*site)(void *context, uint32_t core, uint32_t entry, uint32_t which);
    // Returns true if the ALU of the core at this endpoint is not in use.
    bool (*is_idle)(void *context, uint32_t endpoint);
    // Called when an operand is read from the slice of the partition, and when one is bound that
    // has no request of its own. Other operands are bound when their requests are served.
    void (*read)(void *context, uint32_t endpoint, const struct service_entry *entry,
                 uint32_t which);
    // Called when the result is ready.
    void (*computed)(void *context, uint32_t endpoint, const struct service_entry *entry);
};

struct service_stats {
    uint64_t *lost, *merged, *l1_hits, *l1_old, *buffer_full, *operations, *lanes, *contended,
        *stores, *forwarded, *bounced, *cycles, *max;
    uint64_t *at[MEMSYS_END_KINDS];   // operations; NULL: not counted
    uint64_t *busy[MEMSYS_END_KINDS]; // busy cycles of the ALU; NULL: not counted
};

// Energy events (offload_stats.def).
struct service_energy {
    uint64_t *entry_write, *entry_read;   // flits
    uint64_t *line_write, *line_read;     // lines in the memory of waiting operands
    uint64_t *buffer_write, *buffer_read; // lines; NULL: the ALU reads that memory directly
    uint64_t *alu_int, *alu_fp32;
};

struct service_ring {
    uint32_t *list, head, count;
};

// A packet whose loads are sent on behalf of the core.
struct service_bounce {
    bool active;
    uint32_t reply, next, core; // number for memsys_reply; next load to send; owner
    struct compute_packet packet;
};

struct service {
    const struct offload_config *config;
    struct memsys *memsys;
    const struct service_hooks *hooks;
    const struct service_stats *stats;
    const struct service_energy *energy;
    const struct offload_log *log;
    uint32_t endpoint, partition; // SERVICE_NONE: not at a partition
    enum memsys_endpoint_kind kind;
    uint8_t requester;      // its requester number
    uint8_t back_requester; // requester number of loads that are sent on behalf of a core
    uint32_t back_input;    // slice input of these loads
    uint64_t read_latency;  // of the queue's own memory, in cycles
    struct service_entry *entries;
    uint32_t *free_entries, free_count, count;
    struct service_ring stages[SERVICE_STAGES]; // entries of the stages that keep their order
    uint32_t promised;                          // credits: entries for packets in flight
    uint32_t buffered;                          // buffer entries in use
    uint64_t buffer_cycles; // entries in use, summed over the cycles before buffer_counted
    uint64_t buffer_counted;
    uint64_t chains_buffered; // chains that have had an entry
    uint64_t alu_free;        // cycle in which the ALU is free
    struct arena *arena;
    VEC(struct service_stored) stored;
    uint32_t unused_stored;           // first of a list, or SERVICE_NONE
    uint32_t oldest_ack, newest_ack;  // list of acknowledged stores
    bool acks_turn;                   // the next reply is that of an acknowledged store
    struct service_l1_read *l1_reads; // ring of count · PACKET_LOADS, in the order of `ready`
    uint32_t l1_first, l1_count;
    struct service_bounce bounce;
    uint64_t next;    // cycle of the next evaluation
    uint64_t counted; // cycles before this one are in the statistics
};

// Initialises the queue of an endpoint. The caller sets hooks, stats, energy, log, requester
// numbers, back_input and read_latency.
void service_init(struct service *service, struct arena *arena, const struct offload_config *config,
                  struct memsys *memsys, uint32_t endpoint);
// Handles a reply that memsys_peek has returned for this endpoint and its requester.
void service_accept_reply(struct service *service, uint64_t now,
                          const struct memsys_request *reply);
// Called when the request of an operand with this tag has been served through the network.
void service_was_served(struct service *service, uint32_t tag);
// Evaluates a core cycle. Called before the cores' tick.
void service_tick(struct service *service, uint64_t now);
// Counts the entries in use up to, not including, this cycle.
void service_count(struct service *service, uint64_t now);
// As service_count, for the entries of the buffer.
void service_count_buffer(struct service *service, uint64_t now);

// Return the entry (service_entry_of) or the store (service_stored_of) to which a request with this
// tag belongs. service_is_store returns true for requests of stores.
static inline struct service_entry *service_entry_of(struct service *service, uint32_t tag)
{
    return &service->entries[tag / SERVICE_TAGS];
}
static inline struct service_stored *service_stored_of(struct service *service, uint32_t tag)
{
    return &service->stored.v[tag / SERVICE_TAGS];
}
static inline bool service_is_store(const struct memsys_request *request)
{
    return request->tag % SERVICE_TAGS == SERVICE_STORE;
}
