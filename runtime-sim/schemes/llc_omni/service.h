// The service queue [000 §4.2, §4.3, §4.4.2]: takes ComputePackets, has their operands brought,
// computes, stores, answers. There is one at each partition and, where cores or routers compute,
// one at each of them.
//
//     packet → entry (SQSR) → asks for operands → all there → buffer → ALU → store → answer
//
// An entry is free again when its store is sent, or its answer: the store's acknowledgement brings
// with it which core is to be answered.
//
// At a partition operands of its own lines stay in the slice until all are there: it is asked to
// have them (MEMSYS_TOUCH), and they are read when an entry of the buffer is free; a line that was
// evicted in between is fetched again by that. Operands from elsewhere, and all of those at a core
// or a router, come through the networks and wait in memory of the queue's: at a core in shared
// memory.
//
// In each cycle one packet is taken, one operand asked for, one read, one chain begun, one store
// and one answer sent. A packet that finds no free entry is not computed: its loads are sent on, to
// the slice at hand by an input of their own, to others before anything that entries ask for, since
// packets wait behind it; their answers go to the core that it came from.
// offload.full_queue has other ways: the packet stays in the network, or cores count the entries.
#pragma once
#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/schemes/llc_omni/log.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/schemes/llc_omni/packet.h"

enum { SERVICE_STORE = PACKET_LOADS, SERVICE_TAGS = 4, SERVICE_NONE = UINT32_MAX };

enum service_stage {
    SERVICE_FREE,
    SERVICE_ASKS,     // for operands
    SERVICE_WAITS,    // for them
    SERVICE_READY,    // for the buffer
    SERVICE_READS,    // operands into the buffer
    SERVICE_BUFFERED, // for the ALU
    SERVICE_COMPUTES,
    SERVICE_STORES,  // is to be sent
    SERVICE_ANSWERS, // is to be sent
    SERVICE_STAGES,
};

struct service_entry {
    uint8_t stage;        // enum service_stage
    uint8_t asked, there; // operands: sets
    uint8_t kept, read;   // that wait in the queue's own memory; that are in the buffer
    uint32_t answer;      // what memsys_answer wants
    uint32_t core;        // whose chain it is
    uint64_t until;       // when it is read, or computed
    struct compute_packet packet;
};

// A store that is to be acknowledged, or of which that is to be answered.
struct service_stored {
    uint32_t core, entry; // of its offload queue
    uint32_t answer;      // what memsys_answer wants
    uint32_t next;
};

// What the queue asks of who knows the cores.
struct service_hooks {
    void *context;
    // The bits of a packet that an entry of a core's offload queue has sent.
    const uint8_t *(*bits)(void *context, uint32_t core, uint32_t entry, uint32_t *flits);
    // Cycles from the beginning to the result.
    uint32_t (*latency)(void *context, uint32_t core, uint32_t entry);
    // The ALU of the core with this end is not in use.
    bool (*is_idle)(void *context, uint32_t end);
    // An operand is read from the slice at hand; others are bound when their requests are served.
    void (*read)(void *context, uint32_t end, const struct service_entry *entry, uint32_t which);
    // The result is there.
    void (*computed)(void *context, uint32_t end, const struct service_entry *entry);
};

struct service_stats {
    uint64_t *asked, *lost, *buffer_full, *operations, *lanes, *contended, *stores, *forwarded,
        *bounced, *cycles, *most;
    uint64_t *at[MEMSYS_END_KINDS];   // operations; NULL: not counted, as in the next one
    uint64_t *busy[MEMSYS_END_KINDS]; // cycles of the ALU
};

// Events of energy (offload_stats.def).
struct service_energy {
    uint64_t *entry_write, *entry_read;   // flits
    uint64_t *line_write, *line_read;     // of the memory in which operands wait
    uint64_t *buffer_write, *buffer_read; // NULL: they are computed from that memory
    uint64_t *alu_int, *alu_fp32;
};

struct service_ring {
    uint32_t *list, head, count;
};

// A packet whose loads go back to the core.
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
    uint32_t end, partition; // SERVICE_NONE: none
    enum memsys_end kind;
    uint8_t client;        // its requester
    uint8_t back_client;   // of loads that go back to the core that a packet came from
    uint32_t back_input;   // of the slice: theirs
    uint64_t read_latency; // of the queue's own memory
    struct service_entry *entries;
    uint32_t *free_entries, free_count, count;
    struct service_ring stages[SERVICE_STAGES]; // those in which entries go in the order they came
    uint32_t promised;                          // entries for packets under way, with credits
    uint32_t buffered;                          // entries of the buffer in use
    uint64_t alu_free;
    struct arena *arena;
    VEC(struct service_stored) stored;
    uint32_t unused_stored;          // a list
    uint32_t oldest_ack, newest_ack; // a list: acknowledged
    bool acks_turn;
    struct service_bounce bounce;
    uint64_t next; // nothing is to be done before
    uint64_t counted;
};

void service_init(struct service *service, struct arena *arena, const struct offload_config *config,
                  struct memsys *memsys, uint32_t end);
// Takes an answer that memsys_peek has shown for this end, of its requester.
void service_take(struct service *service, uint64_t now, const struct memsys_request *answer);
// Does what is to be done in this cycle of the cores, before they do theirs.
void service_tick(struct service *service, uint64_t now);
// Entries in use up to, not with, this cycle into the statistics.
void service_count(struct service *service, uint64_t now);

// Of a request of its requester: whose it is.
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
