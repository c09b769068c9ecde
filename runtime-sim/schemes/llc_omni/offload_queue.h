// The offload queue of a core [000 §4.2, §4.4.1]: its management unit (OQMU), the status registers
// (OQSR) and the one ComputePacket that is being formed.
//
// A warp that issues the first load of a chain begins to form it, if no other warp of the core is
// forming one and an entry of the OQSR is free. It is fetched and issued before others until the
// chain's last instruction. Each instruction counts as done when it enters the queue: loads are
// looked up in the first level and go no further; what computes is captured (exec/shadow.h). Behind
// the last instruction the warp waits.
//
// Where no line of a load was in the first level or on its way to it, there is a packet for each
// combination of lines, with an entry of the OQSR each. Lanes for which no node can compute, or no
// entry is left, have their loads sent one by one and are replayed from the core's pipeline. So is
// all of a chain of which a line was found, or that cannot be offloaded for another reason.
//
// In the order in which one reads the source: offload_queue.c (forming), offload_form.c (from lanes
// to packets), offload_done.c (answers, and what is computed at the core after all).
#pragma once
#include "runtime-sim/exec/warp/shadow.h"
#include "runtime-sim/gpu/core.h"
#include "runtime-sim/gpu/scheme.h"
#include "runtime-sim/schemes/llc_omni/adaptive.h"
#include "runtime-sim/schemes/llc_omni/emn.h"
#include "runtime-sim/schemes/llc_omni/log.h"
#include "runtime-sim/schemes/llc_omni/packet_alu.h"
#include "runtime-sim/schemes/llc_omni/table.h"

enum { OQ_NONE = UINT32_MAX, OQ_MADE = 24, OQ_LINES = PACKET_LOADS + 1 };

struct offload_stats {
#define STATS_DEF "runtime-sim/schemes/llc_omni/offload_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct stat_key offload_stat_keys[];
extern const uint32_t offload_stat_key_count;

// What all packets of a chain have in common.
struct oq_template {
    bool sound; // the unit can compute it
    struct compute_packet packet;
    struct packet_scalar scalar;
};

// What all cores' queues have in common.
struct offload_shared {
    const struct offload_config *config;
    const struct offload_table *table;
    const struct oq_template *templates; // by chain of the table
    const struct slots_used *slots;
    const struct noc_config *network; // of requests
    const struct offload_ways *ways;  // offload_groups.h
    const uint16_t *emn; // of each core: llcs · llcs nodes; NULL: not a mesh, cores do not compute
    uint32_t llcs;
    bool omni;          // not only where all accesses go to one partition
    bool on;            // chains are offloaded in this launch
    bool cores_compute; // also to cores
    // Cycles that the core's pipeline takes for each instruction of a chain that computes; 0:
    // others.
    const uint32_t *latency;       // chain · CHAIN_MOST + place
    struct adaptive_chain *learnt; // by chain; NULL: another policy
    struct offload_stats *stats;
    struct offload_log log;
    struct service *services; // by end
    uint8_t requester;        // of packets, and of loads that come instead
    uint8_t scheme;           // that timings are marked by
    uint8_t first_stall;      // slot state of the first of llc_omni_stalls
};

// What slots wait for.
enum oq_stall { OQ_STALL_FORMING, OQ_STALL_CHAIN };

// An entry of the OQSR: a packet that is out, or the chain that is being formed.
struct oqsr {
    bool used;
    uint8_t slot;  // of the warp
    uint8_t back;  // loads that have come back, as the service queue was full: a set
    uint8_t kind;  // enum adaptive_kind
    int64_t saved; // flit hops, for the adaptive policy
    uint32_t lanes, end;
    uint32_t flits;
    uint64_t sent;
    uint8_t bits[PACKET_MOST_FLITS * PACKET_FLIT];
};

enum oq_state {
    OQ_IDLE,
    OQ_FORMING, // up to the last instruction
    OQ_FORMED,  // of which loads are still to be looked up
    OQ_OUT,     // packets, or loads by themselves
    OQ_STORING, // the warp has gone on; its store is on its way
};

// The chain of a warp's slot.
struct oq_chain {
    uint8_t state, place; // of the next instruction
    bool captured;
    uint32_t number;          // of the table
    uint32_t path, path_mask; // of the warp, that forms it
    struct shadow *shadow;
    uint32_t load[PACKET_LOADS], load_count, looking; // entries of the load/store unit
    uint32_t store;                                   // entry, or OQ_NONE
    uint16_t made[OQ_MADE];                           // registers that wait for the chain
    uint32_t made_count;
    uint8_t made_by[OQ_MADE]; // the load, or PACKET_LOADS: captured
    uint8_t consumed;         // loads that something captured reads: a set
    uint8_t taken;            // loads that write to the shadow
    uint8_t bypasses;         // loads that do not go through L1: a set
    uint8_t given;            // loads whose entries are the chain's no longer: a set
    bool differs;             // the scalar between lanes, or the store is none for a packet
    uint32_t scalar;
    uint32_t mask;        // lanes of the last instruction
    uint8_t ints, floats; // instructions of the ALU, for energy
    uint32_t entry;       // reserved in the OQSR while it is formed
    uint32_t plain;       // lanes whose loads go by themselves
    uint32_t loading;     // entries of such loads that are not done
    uint32_t replay;      // lanes that are to be computed at replay_at
    uint64_t replay_at;
    bool storing; // for lanes that were
    uint32_t out; // packets
    bool sent;    // there was a packet
    bool probes;  // it is off, and measured all the same
    uint8_t vain; // it was discarded: kinds to which that is to be charged, a set
    uint64_t begun;
    const uint64_t *why; // it was discarded, or not begun: what counts that
    uint32_t parked;     // entries that do not count as the load/store unit's
};

struct offload_queue {
    struct offload_shared *shared;
    uint8_t owner;           // of entries of the load/store unit
    uint8_t scheme;          // that timings are marked by
    uint8_t role;            // enum oq_role of what is being issued
    struct oq_chain *chains; // by slot
    struct oqsr *entries;
    uint32_t *free_entries, free_count, count;
    uint32_t forming;             // slot, or OQ_NONE
    uint64_t wanting[CORE_WORDS]; // slots that could begin a chain, but for the one that is formed
    uint32_t *ring, ring_head, ring_count; // entries whose packets are to be sent
    uint64_t counted;                      // cycles before this one are in the statistics
    struct adaptive *adaptive;             // NULL: another policy
    VEC(uint32_t) promised;                // ends to which packets were made in this cycle
    uint32_t fetching;                     // slot whose chain is being fetched, or OQ_NONE
};

extern const struct core_ops oq_core_ops;

static inline struct offload_queue *oq_of(const struct core *core)
{
    return core_own(core, &oq_core_ops);
}

struct offload_queue *oq_init(struct core *core, struct offload_shared *shared);
// What is between ends in such a network; with a core's table of meet nodes, or without.
const struct offload_ways *oq_ways(const struct noc_config *network, bool has_table);

// What the instruction that a slot issues next is to its core's queue.
enum oq_role { OQ_NOTHING, OQ_BEGINS, OQ_LOADS, OQ_COMPUTES, OQ_STORES };
enum oq_role oq_role(const struct core *core, uint32_t slot);
// Slots that are ready to begin a chain, for which there is an entry: one can in a cycle.
uint64_t oq_beginning(const struct core *core, uint32_t word);
// A slot is looked at. True: it must not issue now, and waits for its chain, or for another one to
// be formed (*reason: enum oq_stall). A chain that cannot go on with what comes next is discarded.
bool oq_look(struct core *core, uint64_t now, uint32_t slot, uint32_t *reason);
// It has nothing to issue.
void oq_leave(struct core *core, uint64_t now, uint32_t slot);
// Of an instruction of the chain that is formed: when the registers that it reads and writes are
// there, but for those that the chain makes; and its unit. False: it is none.
bool oq_operands_ready(const struct core *core, uint32_t slot, uint64_t *ready, uint8_t *unit);
// It is issued now.
enum issue_as oq_begin(struct core *core, uint64_t now, uint32_t slot);
// Issues what oq_begin said is captured.
enum issue_result oq_issue(struct core *core, uint32_t slot, struct held *held);
// It was; with an entry of the load/store unit, unless it is OQ_COMPUTES, that has been split.
void oq_issued(struct core *core, uint64_t now, uint32_t slot, const struct timing *timing,
               uint32_t entry);
// The slot issues an access that is none of its chain's, which the load/store unit takes next:
// loads of the chain that it forms are older.
void oq_order(struct core *core, uint64_t now, uint32_t slot, const struct held *held);
// Instructions of a slot have been fetched, from number `first` on.
void oq_fetched(struct core *core, uint32_t slot, uint32_t first, uint32_t count);
// Whose instructions are fetched next [000 §4.2]: `slot`, unless another one that wants some has a
// chain.
uint32_t oq_fetches_first(const struct core *core, uint32_t slot);

// A line of a load's was looked up; `last`: all of it are.
void oq_looked(struct core *core, uint64_t now, uint32_t entry, bool hit, bool last);
// Discards the chain that the slot forms, or has formed.
void oq_discard(struct core *core, uint64_t now, uint32_t slot, uint64_t *reason);
// All of it has been issued and looked up: from lanes to packets.
void oq_form(struct core *core, uint64_t now, uint32_t slot);
// All parts of an entry that belongs to a chain are done.
void oq_entry_done(struct core *core, uint64_t now, uint32_t entry);
// It may be time to replay.
void oq_wake(struct core *core, uint64_t now, uint32_t slot);
// An answer to a packet, or a load that came instead.
void oq_answered(struct core *core, uint64_t now, const struct memsys_request *answer);
// Sends lanes' loads by themselves.
void oq_send_plain(struct core *core, uint64_t now, uint32_t slot, uint32_t lanes);
void oq_maybe_end(struct core *core, uint64_t now, uint32_t slot);
void oq_release(struct core *core, uint64_t now, uint32_t entry);
// The next packet that is to be sent, or OQ_NONE.
static inline uint32_t oq_next_packet(const struct offload_queue *oq)
{
    return oq->ring_count ? oq->ring[oq->ring_head] : OQ_NONE;
}
bool oq_send(struct core *core, uint64_t now);
// With credits: what the core has promised to its packets of this cycle is known to all.
void oq_promise(struct core *core);
// Counts entries in use up to, not with, this cycle: before their number changes.
void oq_count(struct core *core, uint64_t now);
void oq_free(struct core *core, uint64_t now, uint32_t entry);
