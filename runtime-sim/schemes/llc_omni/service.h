// The service queue [000 §4.2, §4.3, §4.4.2]: takes ComputePackets, requests their operands,
// computes, stores and replies. Each partition has one, and each core and router that computes.
//
//     packet → entry (SQSR) → operands requested → all arrived → buffer → ALU → store → reply
//
// An entry is free again when its store or its reply is sent. The acknowledgement of the store then
// identifies the core that gets the reply.
//
// At a partition, operands of its own lines stay in the slice until all have arrived: they are
// requested with MEMSYS_TOUCH, and read when an entry of the buffer is free; a line that was
// evicted meanwhile is then fetched again. Operands of other partitions, and all operands at a core
// or a router, arrive through the networks and wait in the memory of the queue: at a core in shared
// memory.
//
// In each cycle the queue takes one packet, requests one operand, reads one, starts one chain,
// sends one store and one reply. A packet that finds no free entry is not computed. Its loads are
// sent on: to the slice of the partition through an input of their own, to other slices before the
// requests of entries, because packets wait behind them. Their replies go to the core that sent the
// packet.
// offload.full_queue has other ways: the packet stays in the network, or cores count the entries.
#pragma once
#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/schemes/llc_omni/log.h"
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
    SERVICE_STORES,  // is to be sent
    SERVICE_ANSWERS, // is to be sent
    SERVICE_STAGES,
};

struct service_entry {
    uint8_t stage;        // enum service_stage
    uint8_t asked, there; // sets of operands: requested, arrived
    uint8_t kept, read;   // sets: in the queue's own memory, in the buffer
    uint32_t answer;      // what memsys_answer wants
    uint32_t core;        // owner of the chain
    uint64_t until;       // clock at which it has been read or computed
    struct compute_packet packet;
};

// A store that waits for its acknowledgement, or whose acknowledgement is to be forwarded.
struct service_stored {
    uint32_t core, entry; // of its offload queue
    uint32_t answer;      // what memsys_answer wants
    uint32_t next;
};

// Functions of the machine for the queue.
struct service_hooks {
    void *context;
    // Returns the bits of the packet of an entry of a core's offload queue.
    const uint8_t *(*bits)(void *context, uint32_t core, uint32_t entry, uint32_t *flits);
    // Returns the cycles from the start of the ALU to the result.
    uint32_t (*latency)(void *context, uint32_t core, uint32_t entry);
    // Returns true if the ALU of the core at this endpoint is not in use.
    bool (*is_idle)(void *context, uint32_t end);
    // Called when an operand is read from the slice of the partition. Other operands are bound when
    // their requests are served.
    void (*read)(void *context, uint32_t end, const struct service_entry *entry, uint32_t which);
    // Called when the result is ready.
    void (*computed)(void *context, uint32_t end, const struct service_entry *entry);
};

struct service_stats {
    uint64_t *asked, *lost, *buffer_full, *operations, *lanes, *contended, *stores, *forwarded,
        *bounced, *cycles, *most;
    uint64_t *at[MEMSYS_END_KINDS];   // operations; NULL: not counted, also in `busy`
    uint64_t *busy[MEMSYS_END_KINDS]; // cycles of the ALU
};

// Events of energy (offload_stats.def).
struct service_energy {
    uint64_t *entry_write, *entry_read;   // flits
    uint64_t *line_write, *line_read;     // of the memory of waiting operands
    uint64_t *buffer_write, *buffer_read; // NULL: the ALU reads that memory
    uint64_t *alu_int, *alu_fp32;
};

struct service_ring {
    uint32_t *list, head, count;
};

// A packet whose loads are sent on behalf of the core.
struct service_bounce {
    bool active;
    uint32_t answer, next, core;
    struct compute_packet packet;
};

struct service {
    const struct offload_config *config;
    struct memsys *memsys;
    const struct service_hooks *hooks;
    const struct service_stats *stats;
    const struct service_energy *energy;
    const struct offload_log *log;
    uint32_t end, partition; // SERVICE_NONE: not at a partition
    enum memsys_end kind;
    uint8_t client;        // its requester
    uint8_t back_client;   // of loads that are sent on behalf of a core
    uint32_t back_input;   // slice input of these loads
    uint64_t read_latency; // of the queue's own memory
    struct service_entry *entries;
    uint32_t *free_entries, free_count, count;
    struct service_ring stages[SERVICE_STAGES]; // of stages in which entries keep their order
    uint32_t promised;                          // entries for packets in flight, with credits
    uint32_t buffered;                          // entries of the buffer in use
    uint64_t alu_free;
    struct arena *arena;
    VEC(struct service_stored) stored;
    uint32_t unused_stored;          // a list
    uint32_t oldest_ack, newest_ack; // a list: acknowledged
    bool acks_turn;
    struct service_bounce bounce;
    uint64_t next; // cycle of the next evaluation
    uint64_t counted;
};

void service_init(struct service *service, struct arena *arena, const struct offload_config *config,
                  struct memsys *memsys, uint32_t end);
// Takes a reply that memsys_peek has returned for this endpoint and its requester.
void service_take(struct service *service, uint64_t now, const struct memsys_request *answer);
// Evaluates a cycle of the cores, before the cores.
void service_tick(struct service *service, uint64_t now);
// Counts the entries in use up to, not including, this cycle.
void service_count(struct service *service, uint64_t now);

// Return the entry, and the store, of a request of the queue's requester.
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
