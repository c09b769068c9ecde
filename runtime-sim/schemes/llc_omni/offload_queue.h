// The offload queue of a core [000 §4.2, §4.4.1]: its management unit (OQMU), the status registers
// (OQSR) and the one ComputePacket that is being formed.
//
// A warp that issues the first load of a chain begins to form it, if no other warp of the core
// forms one and an entry of the OQSR is free. It is fetched and issued before others until the
// chain's last instruction. Each instruction counts as done when it enters the queue: loads are
// looked up in the L1 but not sent; operations are captured (exec/warp/shadow.h). After the last
// instruction the warp waits.
//
// If the L1 neither has nor has requested any line of the loads, a packet is sent for each
// combination of lines, with an entry of the OQSR each. Lanes without a node that can compute, or
// without a free entry, are replayed by the core's pipeline: their loads are sent as ordinary ones.
// All lanes are replayed if a lookup hits, or if the chain cannot be offloaded for another reason.
//
// Read offload_queue.c (forming) first, then offload_form.c (lanes to packets) and offload_done.c
// (replies, and computation at the core).
#pragma once
#include "runtime-sim/exec/warp/shadow.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include "runtime-sim/schemes/llc_omni/adaptive.h"
#include "runtime-sim/schemes/llc_omni/emn.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/schemes/llc_omni/packet_alu.h"
#include "runtime-sim/schemes/llc_omni/prices.h"
#include "runtime-sim/schemes/llc_omni/table.h"

enum { OQ_NONE = UINT32_MAX, OQ_MADE = 24, OQ_LINES = PACKET_LOADS + 1 };

struct offload_stats {
#define STATS_DEF "runtime-sim/schemes/llc_omni/offload_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct stat_key offload_stat_keys[];
extern const uint32_t offload_stat_key_count;

// Members that all packets of a chain share.
struct oq_template {
    bool sound; // the ALU can compute the chain
    struct compute_packet packet;
    struct packet_scalar scalar;
};

// State that the queues of all cores share.
struct offload_shared {
    struct offload_queue **queues; // of the ordinary cores
    const struct offload_config *config;
    const struct offload_table *table;
    const struct oq_template *templates; // by chain of the table
    const struct reg_slots_used *slots;
    const struct noc_config *network; // request network
    const struct offload_ways *ways;  // offload_groups.h
    const uint16_t *emn; // llcs · llcs nodes for each core; NULL: not a mesh, cores do not compute
    uint32_t llcs;
    bool omni;          // chains whose accesses go to several partitions are offloaded, too
    bool on;            // chains are offloaded in this launch
    bool cores_compute; // cores compute chains in this launch
    // Cycles of the core's pipeline for each operation of a chain; 0: other instructions.
    const uint32_t *latency;       // chain · CHAIN_MAX + place
    struct adaptive_chain *chains; // by chain of the table
    struct prices *prices;         // of the adaptive policy; NULL: another one
    struct offload_stats *stats;
    struct offload_log log;
    struct service *services; // by endpoint
    // With offload.operands_in_l1: cycle in which the last launches began, and set of the
    // instructions, by number of their issue info, after which a warp may see accesses of other
    // cores.
    uint64_t launched, *acquires;
    uint8_t requester;   // number for packets, and for loads that are sent back
    uint8_t scheme;      // number in the marks of timings
    uint8_t first_stall; // slot state of OQ_STALL_FORMING, the first of enum oq_stall
};

// Stall reasons of slots.
enum oq_stall { OQ_STALL_FORMING, OQ_STALL_CHAIN };

// An entry of the OQSR: a packet that was sent, or the chain that is being formed.
struct oqsr {
    bool used;
    uint8_t slot;                  // warp slot
    uint8_t back;                  // set of loads that a full service queue has sent back
    uint8_t kind;                  // enum adaptive_kind
    struct adaptive_saving saving; // as the monitor of traffic has counted it
    uint32_t since;                // adaptive_sent when the saving was counted
    uint32_t lanes, endpoint;      // set of lanes; endpoint that computes them
    uint32_t flits;
    uint64_t sent;                // cycle in which the packet was made
    uint64_t fresh[PACKET_LOADS]; // cycle from which on the operand may have been requested
    uint64_t stored;              // line of the store
    uint32_t site[OQ_LINES];      // instructions of the loads and of the store (lsu_site)
    uint8_t bits[PACKET_MAX_FLITS * PACKET_FLIT];
};

enum oq_state {
    OQ_IDLE,
    OQ_FORMING, // up to the last instruction
    OQ_FORMED,  // complete, with loads that are not looked up yet
    OQ_OUT,     // packets or ordinary loads were sent
    OQ_STORING, // the warp continues; its store is in flight
};

// The chain of a warp slot.
struct oq_chain {
    uint8_t state, place;     // enum oq_state; place of the next instruction in the chain
    bool captured;            // the shadow has captured instructions
    uint32_t number;          // index in the table
    uint32_t path, path_mask; // path of the warp that forms it, and its lanes
    struct shadow *shadow;
    // Load/store unit entries of the loads, their number, and the number not yet looked up.
    uint32_t load[PACKET_LOADS], load_count, looking;
    uint32_t store;         // load/store unit entry, or OQ_NONE
    uint16_t made[OQ_MADE]; // registers that wait for the chain
    uint32_t made_count;
    uint8_t made_by[OQ_MADE]; // load that writes the register; PACKET_LOADS: captured operation
    uint8_t consumed;         // set of loads that captured operations read
    uint8_t taken;            // number of loads that write to the shadow
    uint8_t bypasses;         // set of loads that bypass the L1
    uint8_t given;            // set of loads that have become ordinary loads
    bool differs;             // the scalar differs between lanes, or no packet supports the store
    uint32_t scalar;
    uint32_t mask;        // lanes of the last captured instruction
    uint8_t ints, floats; // ALU instructions, for energy
    uint32_t entry;       // reserved in the OQSR while it is formed
    uint32_t plain;       // lanes whose loads are sent as ordinary ones
    uint32_t loading;     // number of such loads that are not done
    uint32_t replay;      // lanes that the core computes at replay_at
    uint64_t replay_at;
    bool storing;          // the store of replayed lanes is in flight
    uint32_t out;          // packets without a reply
    bool sent;             // a packet was sent
    bool probes;           // the chain is off, and this instance measures it
    uint8_t turn;          // enum adaptive_turn
    uint8_t charged_kinds; // set of kinds that the discarded chain is charged to
    uint64_t begun;
    const uint64_t *why; // counter of the reason for which it was discarded or refused
    uint32_t parked;     // claimed entries that do not count as the core's
};

struct offload_queue {
    struct core *core;
    struct offload_shared *shared;
    uint8_t owner;           // number that claims entries of the load/store unit
    uint8_t scheme;          // number in the marks of timings
    uint8_t role;            // enum oq_role of the instruction that is being issued
    struct oq_chain *chains; // by slot
    struct oqsr *entries;
    uint32_t *free_entries, free_count, count;
    uint32_t forming;             // slot, or OQ_NONE
    uint64_t wanting[CORE_WORDS]; // slots that could begin a chain if no other were being formed
    uint32_t *ring, ring_head, ring_count; // entries whose packets are to be sent
    uint64_t counted;                      // cycles before this one are in the statistics
    struct adaptive adaptive;              // the monitor of traffic
    VEC(uint32_t) promised;                // endpoints of the packets made in this cycle
    // emn_at_llc: operand: a bit for each pair of partitions, set if the last packet for this pair
    // went to the first one. A common bit would follow the order of the lines.
    uint64_t *turns;
    // With offload.operands_in_l1, cycles: of the last acknowledged store of the core, by class of
    // the line (oq_fresh), and of the last access after an instruction in shared->acquires.
    uint64_t *written, ordered;
    uint64_t acquired[CORE_WORDS]; // slots that have issued such an instruction, and no access
    uint32_t fetching;             // slot whose chain is being fetched, or OQ_NONE
};

extern const struct scheme_issue oq_issue_hooks;
extern const struct lsu_hooks oq_lsu;

// Reports an event of the core's offload queue. `number` is a warp slot, or an entry of the queue.
static inline void oq_report(const struct offload_queue *oq, uint64_t now, enum offload_event event,
                             uint32_t number)
{
    offload_report(&oq->shared->log, now, event, core_port(oq->core).index,
                   core_port(oq->core).index, number);
}

// Returns the statistics of the chain.
static inline struct chain_stats *oq_chain_stats(const struct offload_queue *oq,
                                                 const struct oq_chain *c)
{
    return &oq->shared->chains[c->number].stats;
}

// Returns the offload queue of a core. Queues of ordinary cores are added to shared->queues.
struct offload_queue *oq_init(struct core *core, struct offload_shared *shared);
// Returns the meet nodes and distances of a network. `has_table`: cores have tables of meet nodes.
const struct offload_ways *oq_ways(const struct noc_config *network, bool has_table,
                                   enum emn_at_llc at_llc);

enum oq_role { OQ_NOTHING, OQ_BEGINS, OQ_LOADS, OQ_COMPUTES, OQ_STORES };
// Returns the role of a slot's next instruction for the queue of its core.
enum oq_role oq_role(const struct offload_queue *oq, uint32_t slot);
// Returns the set of slots that are ready to begin a chain and for which an entry is free. One of
// them can begin in a cycle.
uint64_t oq_exclusive(const struct core *core, void *own, uint32_t word);
// Returns true if the slot must not issue now, because it waits for its chain or until another one
// is formed; sets *reason (enum oq_stall). Discards a chain that cannot continue with the next
// instruction.
bool oq_hold(struct core *core, void *own, uint64_t now, uint32_t slot, uint32_t *reason);
// Called when the slot has no instruction to issue.
void oq_idle(struct core *core, void *own, uint64_t now, uint32_t slot);
// Returns true for an instruction of the chain that is being formed, and sets its unit and the
// cycle in which the registers that it reads and writes are ready, except those that the chain
// computes.
bool oq_operands(const struct core *core, void *own, uint32_t slot, uint64_t *ready, uint8_t *unit);
// Called when the slot's next instruction is issued. Returns how to issue it. May begin a chain.
enum issue_as oq_issue_as(struct core *core, void *own, uint64_t now, uint32_t slot);
// Issues an instruction that oq_issue_as has captured.
enum issue_result oq_execute(struct core *core, void *own, uint32_t slot, struct held *held);
// Called after an instruction of a chain was issued. `entry` is its load/store unit entry, with its
// parts; it is not used for OQ_COMPUTES.
void oq_issued(struct core *core, void *own, uint64_t now, uint32_t slot,
               const struct timing *timing, uint32_t entry);
// Called when the slot issues an access outside its chain, before the load/store unit accepts it.
// Discards the chain being formed if the access conflicts with its loads, which are older.
void oq_accessed(struct core *core, void *own, uint64_t now, uint32_t slot,
                 const struct held *held);
// Called when `count` instructions of a slot, from number `first` on, were fetched.
void oq_fetched(struct core *core, void *own, uint32_t slot, uint32_t first, uint32_t count);
// Returns the slot whose instructions are fetched next [000 §4.2]: `slot`, or another one that
// needs some and has a chain.
uint32_t oq_fetch_first(const struct core *core, void *own, uint32_t slot);

// Called when a line of a load was looked up. `last` is true for its last line.
void oq_looked_up(struct core *core, void *own, uint64_t now, uint32_t entry, bool hit, bool last);
// Discards the chain that the slot forms, or has formed. `reason` is the counter to increment.
void oq_discard(struct offload_queue *oq, uint64_t now, uint32_t slot, uint64_t *reason);
// Makes packets from the chain's lanes, or discards it. Requires that all its instructions were
// issued and all its loads looked up.
void oq_form(struct offload_queue *oq, uint64_t now, uint32_t slot);
// Called when all parts of an entry of a chain are done.
void oq_entry_done(struct core *core, void *own, uint64_t now, uint32_t entry);
// Replays lanes of the slot's chain if their cycle is reached.
void oq_wake(struct core *core, void *own, uint64_t now, uint32_t slot);
// Passes a reply at the core to its offload queue or to its service queue.
void oq_accept_reply(struct core *core, void *own, uint64_t now,
                     const struct memsys_request *reply);
// Handles the reply to a packet, or to one of its loads that was sent back.
void oq_answered(struct offload_queue *oq, uint64_t now, const struct memsys_request *reply);
// Sends the loads of these lanes as ordinary ones.
void oq_send_plain(struct offload_queue *oq, uint64_t now, uint32_t slot, uint32_t lanes);
// Ends the slot's chain if nothing that the warp waits for is outstanding.
void oq_maybe_end(struct offload_queue *oq, uint64_t now, uint32_t slot);
// Returns the entry of the next packet to send, or OQ_NONE.
static inline uint32_t oq_next_packet(const struct offload_queue *oq)
{
    return oq->ring_count ? oq->ring[oq->ring_head] : OQ_NONE;
}
// Sends the next packet. Returns false if no packet waits, or if the network has no room.
bool oq_send(struct core *core, void *own, uint64_t now);
// Called when a store or an atomic operation of the core to a line was acknowledged, or that of a
// chain of the core.
void oq_written(struct core *core, void *own, uint64_t now, uint64_t line);
// Returns a cycle such that data of the line that were requested in it or later have all accesses
// that precede a next access of the core. Requires offload.operands_in_l1, and that the core awaits
// no store to the line.
uint64_t oq_fresh(const struct offload_queue *oq, uint64_t line);
// Makes the credits that the core's packets of the last cycle use visible to all cores.
void oq_promise(struct offload_queue *oq);
// Counts the entries in use up to, not including, this cycle. Called before their number changes.
void oq_count(struct offload_queue *oq, uint64_t now);
// Frees an entry of the queue.
void oq_free(struct offload_queue *oq, uint64_t now, uint32_t entry);
