// A core: fetch, buffers, scoreboard, schedulers, units, load/store unit, L1 caches.
//
// Reading order: core.def (configuration keys), timing.def and timing.h (latencies), warps.c (stall
// reasons of a warp), schedule.c (selection of a warp), issue in core.c, fetch.c, lsu.c (from
// addresses to requests), core.c (a cycle), core_cta.c (start and end of CTAs), core_detached.c
// (warps without a CTA).
//
// A core's cycle has two parts. core_tick changes only the core itself. Values in memory, and
// instructions that access state shared by cores, are handled in core_commit, which is called for
// one core after the other in a fixed order. Therefore the order in which cores tick does not
// matter.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/exec/memory/bulk.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/core/epoch.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include "runtime-sim/gpu/core/tags.h"
#include "runtime-sim/gpu/core/timing.h"
#include "support/inline.h"

enum {
    CORE_LINES = 4096, // entries of store_lines, see core_line
    CORE_MISSED = 64,
    CORE_WHEEL = 1024,
    CORE_UNITS = 4,
    CORE_SCHEDULERS = 4,
    CORE_DIRECT = 16,
};

// Lines of code and of local memory: kernels cannot address them.
#define CODE_LINES (UINT64_C(1) << 55)
#define LOCAL_LINES (UINT64_C(1) << 54)

// Groups of asynchronous work of a warp: numbers of the current groups; bulk copies that are not
// complete; completion of the matrix products so far and of the last committed groups.
enum { CORE_GROUPS = 8 };
struct core_groups {
    uint32_t copies, bulks, products, bulk_copies;
    uint64_t products_done, group_done[CORE_GROUPS];
    uint64_t tried; // cycle in which a try_wait began to wait; 0: none waits
};

struct warp_slot {
    struct warp *warp;
    uint32_t cta;  // index in core->ctas
    uint8_t state; // enum warp_slot_state
    uint64_t since;
    // Instruction buffer: `buffered` instructions from number `buffer_at` on, available from cycle
    // `decoded` on; with core.fetch_instructions only the `coming` ones after them are not
    // available before.
    uint32_t buffered, buffer_at, coming;
    uint64_t decoded;
    bool fetching; // waits for the instruction cache
    // Number of accesses: in `entries`; bypassing the L1; in the L1; stores without an
    // acknowledgement.
    uint32_t entries, direct, cached, stores;
    uint32_t atomics; // atomics among those that bypass the L1
    bool acquires;    // later accesses wait for pending ones
    bool over;        // the warp and all its accesses have ended
    bool clustered;   // its cluster has several CTAs
    uint32_t posted;  // stores of warps before this one that are not acknowledged
    uint64_t *ready;  // per register: cycle in which its value is available; UINT64_MAX: not known
    const struct timing *next;
    uint32_t mask;           // lanes that will execute `next`
    uint8_t unit;            // unit that `next` uses
    bool settled;            // `next` is valid; only the warp itself can change it
    uint32_t required_epoch; // 1 + the epoch that must end before `next`; 0: not known
    struct core_groups groups;
    uint64_t awake;      // cycle in which the warp's nanosleep ends
    uint64_t dispatched; // cycle in which a unit accepts the instruction that it issued last
};

// Returns the index of a line in store_lines.
static inline uint32_t core_line(uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

struct core_cta {
    struct cta *cta;            // NULL: the place is free
    uint32_t kernel;            // number of the kernel in the machine
    uint64_t slots[CORE_WORDS]; // set of its warps' slots
    uint32_t left;              // number of these slots whose warp has not ended
    uint32_t registers, shared_bytes;
    uint8_t starter; // for a detached warp: number of the scheme among the hooks
    uint32_t local;  // for a detached warp: machine-wide slot whose local memory it uses
    uint64_t seen;   // its `events` when the watchdog looked last
    struct epochs epochs;
};

// A part of an access: one line, or all accesses to shared memory.
struct part {
    uint64_t line;
    struct mask bytes;
    uint32_t lanes;  // lanes whose values are moved with it
    uint16_t cycles; // cycles that banks of shared memory or constants take
    uint16_t
        cluster_cycles; // cycles that the port to other cores' shared memory takes; 0: own memory
    uint8_t route;      // enum part_route
    uint8_t kind;       // enum memsys_kind
    uint8_t keep, keep_next; // enum cache_keep for the L1 and for the LLC
    uint8_t mark;            // plane_mark of the request; not 0: a discard, without data
    bool answered;
};

// A memory instruction in flight.
struct entry {
    struct held *held; // NULL before its first instruction
    VEC(struct part) parts;
    uint32_t slot;
    uint32_t epoch;      // parity of its epoch
    uint32_t sent, left; // number of parts sent; number of parts without a reply
    uint64_t issued, dispatched, done;
    const struct timing *timing;
    uint32_t site;  // its instruction (sites.h); 0: not counted
    bool queued;    // has parts to send
    uint32_t group; // of cp.async: the warp's group
    uint8_t owner;  // scheme that ends it: 1 + its number among the hooks; 0: no scheme
};

// Values to be moved by core_commit.
struct core_effect {
    uint32_t entry, part;
};

struct core_stats {
#define STATS_DEF "runtime-sim/gpu/core/core_stats.def"
#include "runtime-sim/base/stats_fields.inc"
    uint64_t scheme_stalls[STALLS_MAX];
};

struct core_sites;
struct core_trace;
struct sites;

// State shared by the cores of one kind.
struct core_kind {
    const char *name; // used in statistics and traces
    uint32_t number;  // 0: the ordinary kind
    const struct core_config *config;
    const struct cache_config *l1;
    uint32_t l1_unit; // granularity in bytes of the memory system's replies to reads
    const struct tags_config *code, *constant, *texture;
    const struct level_config *code_l0, *read_only_l15;
    uint32_t latency[TIMING_CLASSES], interval[TIMING_CLASSES];
    uint32_t units[UNITS];       // number of units of each class
    uint8_t alu[TIMING_CLASSES]; // unit that UNIT_ALU stands for
    uint32_t groups;             // sub-cores; 1: all schedulers share units and collectors
    uint32_t step[UNITS];        // groups: each has its own units; 1: all share them
    bool divided;                // sub-cores or collectors exist
    uint32_t adder;              // 1 + number of the scheme that added these cores; 0: no scheme
};

// State shared by all cores.
struct core_shared {
    struct timings timings;
    struct memsys *memsys;
    struct fault *fault;
    uint32_t cores;      // number of ordinary cores
    bool flush_l1;       // flush the L1s between launches
    bool paused;         // no core issues
    bool ending;         // a launch waits for posted stores
    bool profiled;       // a running launch has a profile
    struct sites *sites; // counts by instruction; NULL: not counted
    // Active schemes with hooks in cores, in the order of registration. `state` is the result of
    // their create.
    struct scheme_hooks {
        const struct scheme_ops *ops;
        void *state;
        uint32_t scheme;     // number of the registered scheme
        uint8_t first_stall; // slot state of its first stall
    } * hooks;
    uint32_t hook_count;
    uint8_t *claims;           // numbers of hooks, in the order in which `issue_as` is called
    uint8_t *hooks_of;         // per requester: 1 + number among the hooks, or 0
    uint32_t entries_per_warp; // load/store unit entries per slot that schemes add
    const struct scheme_stall *stalls[STALLS_MAX]; // of all registered schemes
    uint32_t stall_count;
    const struct stat_key *stat_keys; // of struct core_stats
    uint32_t stat_key_count;
};

// Sets of 64 slots, one bit each.
struct warp_slot_sets {
    uint64_t used;         // have a warp
    uint64_t posted;       // a store of a CTA that has ended is not acknowledged
    uint64_t ready;        // can issue
    uint64_t wants[UNITS]; // by unit: ready slots that need it
    uint64_t hungry;       // need a fetch
    uint64_t deferred;     // issue in core_commit
};

// Results of a cycle, for core_commit and for the machine.
struct core_results {
    VEC(struct core_effect) effects;
    uint64_t ended;                // set of CTAs that have ended
    uint64_t stirred;              // CTAs with an event for which other CTAs of their cluster may
                                   // wait
    bool defers;                   // a slot is deferred
    bool returns;                  // `returned` is not empty
    bool settles;                  // a store for which a launch may wait was acknowledged
    uint64_t returned[CORE_WORDS]; // slots of detached warps that have ended
};

// Cycles in which slots are to be evaluated.
struct core_wheel {
    uint64_t at;     // first cycle after the last tick
    uint64_t words;  // set of the nonzero words of `used`
    uint64_t *slots; // per cycle: the set of slots to evaluate
    uint64_t used[CORE_WHEEL / 64];
};

// Oldest element and length of a ring.
struct lsu_ring {
    uint32_t head, count;
};

// Load/store unit.
struct core_lsu {
    struct entry *entries;
    uint32_t entry_count, entry_extra; // number of entries, and of those that schemes add
    size_t held_bytes;                 // of an entry's `held`
    uint32_t *free_entries, *freed;
    uint32_t free_count, freed_count; // freed: in this cycle
    uint32_t *queue;                  // ring of entries that have parts to send
    uint32_t queue_head, queue_count, queue_room;
    uint32_t parked;                        // entries of schemes that do not count as the core's
    struct lsu_ring stores, direct, missed; // of `core->lsu_rings`
    uint32_t send_turn;
    uint32_t to_send; // packets that schemes have to send
    bool refused;     // a request was refused by the network, which wakes the core
    bool l1_full;     // the next part waits for room in the L1
    bool first_waits; // the first part waits for room in the L1, until an instruction enters the
                      // queue
    uint64_t l1_next;
};

// A bulk copy (bulk.c).
struct bulk_job {
    struct bulk copy;
    uint32_t slot, group;
    uint32_t site; // its instruction (sites.h); 0: not counted
    bool used;
    uint32_t segment, offset; // next bytes to request
    uint32_t left;            // requests without a reply
    uint64_t ready;           // cycle from which it may be complete
};

// The engine of bulk copies.
struct core_bulk {
    struct bulk record; // of the instruction that is issued
    VEC(struct bulk_job *) jobs;
    VEC(uint32_t) queue; // jobs with requests to send, in order, from `head` on
    uint32_t head;
    VEC(uint32_t) waiting; // jobs without requests, and those that wait for `ready`
    VEC(uint32_t) done;    // complete jobs, for core_commit
    uint64_t next;         // cycle of the next request
};

// Contents of the rings of the load/store unit.
struct lsu_rings {
    // Tags of stores in the L1's output (lsu_store_tag), and their instructions.
    uint32_t *store_tags, *store_sites;
    uint16_t store_lines[CORE_LINES];          // by core_line: number of stores without an
                                               // acknowledgement
    struct memsys_request direct[CORE_DIRECT]; // requests that bypass the L1
    struct memsys_request missed[CORE_MISSED]; // requests of the caches for code, constants and
                                               // textures
};

// Order in which slots issue and fetch.
struct core_schedule {
    uint64_t *age;                  // age of each slot's warp
    uint64_t ages;                  // number of warps so far
    uint32_t last[CORE_SCHEDULERS]; // slot that each scheduler selected last
    uint32_t first_scheduler;       // scheduler that selects first; see core.scheduler_order
    uint32_t fetch_turn;
};

// First cycles in which units are free. Unit i belongs to sub-core i mod the number of sub-cores.
struct core_units {
    uint64_t banks_free;   // banks of shared memory
    uint64_t cluster_free; // port to shared memory of other cores
    uint64_t free[UNITS][CORE_UNITS];
    // By sub-core: collectors; and of register banks the next cycle times bank_operands, plus the
    // operands that the bank reads in that cycle. NULL: without collectors.
    uint64_t *collectors, *banks;
    uint64_t memory_next; // with collectors: cycle after the last issue of a memory instruction
};

// Counts of a core besides its statistics.
struct core_account {
    uint64_t counted;    // ready slots are counted up to and without this cycle
    uint64_t progress;   // values stored; progress for the watchdog
    uint64_t idle_since; // for a core without warps
    // Stores that were not acknowledged when their CTA ended: so far, and those acknowledged since.
    uint64_t posted, settled;
};

// Numbers of a core.
struct core_id {
    uint32_t index;      // in the machine
    uint32_t endpoint;   // in the memory system
    uint32_t first_slot; // machine-wide number of slot 0, a multiple of 64
};

// Resources in use.
struct core_use {
    uint32_t ctas, threads, registers, shared_bytes;
    bool one_cta; // the core's CTA does not share it
};

// Caches without data, beside the L1.
struct core_tag_caches {
    struct tag_cache code, constant, texture;
    struct tags_level l0[CORE_SCHEDULERS]; // instructions of each scheduler
    struct tags_level l15;                 // instructions and constants
};

// The members that most ticks access come first, since a cycle touches them in all cores that tick.
struct core {
    const struct core_shared *shared;
    const struct core_kind *kind;
    uint64_t next;  // the next cycle that needs a tick
    uint32_t words; // words of a set of slots
    uint32_t hook_count;
    struct warp_slot *slots; // kind->config->warps of them
    struct core_hooks {
        const struct scheme_issue *issue;
        const struct scheme_memory *memory;
        const struct lsu_hooks *lsu;
        void *own;
        const struct scheme_ops *ops;
    } * hooks;                // active schemes with hooks in cores, and their states
    struct core_trace *trace; // NULL: no trace
    struct core_sites *sites; // NULL: not counted by instruction
    bool followed;            // either of them exists
    struct core_id id;
    struct core_results results;
    struct core_account account;
    struct core_lsu lsu;
    struct core_bulk bulk;
    struct core_wheel wheel;
    struct core_schedule schedule;
    struct core_units units;
    struct warp_slot_sets sets[CORE_WORDS];
    struct core_stats stats;
    struct cache l1;
    struct arena *arena;
    struct core_cta *ctas; // places of CTAs, followed by one per slot for detached warps
    struct core_use used;
    struct core_tag_caches tags;
    struct lsu_rings lsu_rings;
};

// Builds the rows of struct core_stats, including those of shared->stalls.
void core_stat_keys(struct core_shared *shared, struct arena *arena);
// Initialises a core.
void core_init(struct core *core, struct arena *arena, const struct core_shared *shared,
               const struct core_kind *kind, uint32_t index);

// Resources of a core that a CTA uses, rounded up to granules.
struct core_needs {
    uint32_t warps, registers, shared_bytes;
};

// Returns the resources that a CTA uses with `registers` registers per thread.
struct core_needs core_needs(const struct core_config *config, const struct launch *launch,
                             uint32_t registers);
// Returns the number of such CTAs for which a core has room; sets *why to the resource that limits
// it.
uint32_t core_capacity(const struct core_config *config, const struct core_needs *needs,
                       const char **why);
// Returns true if the core has room for a CTA of the launch now.
bool core_has_room(const struct core *core, const struct launch *launch, uint32_t registers);
// Starts a CTA that cta_start has prepared. Requires core_has_room.
void core_start(struct core *core, uint64_t now, struct cta *cta, uint32_t kernel,
                uint32_t registers);
// Lets the warps of a started CTA wait until a cycle with their first instruction.
void core_hold_cta(struct core *core, const struct cta *cta, uint64_t until);
// Returns the set of CTAs that have ended, and frees their places.
uint64_t core_pop_ended(struct core *core);

// Detached warps (core_detached.c).

// Returns the number of places: those of CTAs, and one per slot for detached warps.
static inline uint32_t core_cta_capacity(const struct core *core)
{
    return CORE_CTAS + core->kind->config->warps;
}
// Returns true if the slot has a detached warp.
static inline bool core_is_detached(const struct warp_slot *slot)
{
    return slot->cta >= CORE_CTAS;
}
// Returns the machine-wide slot whose local memory a slot's warp uses.
uint32_t core_local_of(const struct core *core, uint32_t slot);
// Returns the first line of the local memory of a slot's warp. The lines of a thread cover its
// whole address window.
uint64_t core_local_line(const struct core *core, uint32_t slot);
// Ends a detached warp. It is over when its last results have been written.
void core_end_warp(struct core *core, uint64_t now, uint32_t slot);
// Frees the slot of a detached warp that is over, and returns the warp to the scheme that started
// it.
void core_return_warp(struct core *core, uint64_t now, uint32_t slot);
// Prefetches what each tick of the core accesses into the host's cache.
static inline void core_prefetch(const struct core *core)
{
    for (size_t at = 0; at < offsetof(struct core, stats); at += 64)
        __builtin_prefetch((const char *)core + at);
}
// Evaluates a cycle: first part.
void core_tick(struct core *core, uint64_t now);
// Evaluates a cycle: second part.
void core_commit(struct core *core, uint64_t now);
// Returns true if core_commit has work in this cycle.
static inline bool core_has_commit(const struct core *core)
{
    return core->results.effects.n || core->results.defers || core->bulk.done.n;
}
// Moves the values of a request that a partition serves.
void core_served(struct core *core, const struct memsys_request *request);
// Counts ready slots up to and without this cycle. Must be called before anything but core_tick
// changes the set. Requires that no slot could issue in the cycles since the last tick.
void core_catch_up(struct core *core, uint64_t now);
// Updates all statistics up to and without this cycle.
void core_settle(struct core *core, uint64_t now);
// Empties the L1, between launches.
void core_flush(struct core *core);

// Shared by the files of the core

// Evaluates the slots of a CTA that wait for other warps.
void core_look_at_cta(struct core *core, uint64_t now, uint32_t cta);
// Sets the state of a slot: an enum warp_slot_state, or the state of a scheme's stall.
void core_set_state(struct core *core, uint64_t now, uint32_t slot, uint32_t state);
// Counts the idle cycles up to and without this cycle.
void core_count_idle(struct core *core, uint64_t now);
// Returns the next cycle in which the wheel has slots; UINT64_MAX: no cycle.
uint64_t core_next_wake(const struct core *core);
// Returns the slot that a scheduler selects. Requires a non-empty set of candidates.
uint32_t core_choose(struct core *core, uint32_t scheduler, const uint64_t *candidates);
// Fetches instructions for one slot.
void core_fetch(struct core *core, uint64_t now);
// Issues the next instruction of a slot.
void core_issue(struct core *core, uint64_t now, uint32_t slot);

// Moves the values of a part, in core_commit.
void core_move_values(struct core *core, struct entry *entry, uint32_t part);
// Starts a warp of a CTA's place in a free slot.
void core_fill_slot(struct core *core, uint64_t now, uint32_t slot, struct warp *warp,
                    uint32_t place);
// Returns the number of slots without a warp.
uint32_t core_count_free_slots(const struct core *core);
// Called when a line of code has arrived.
void core_fetched(struct core *core, uint64_t now, uint64_t line);

// Initialises the load/store unit.
void lsu_init(struct core *core);
// Returns the entry that the next memory instruction uses. Requires a free one.
uint32_t lsu_next_entry(struct core *core);
// Returns true if the unit has room for a memory instruction.
bool lsu_can_accept(const struct core *core);
// Accepts the entry of an issued instruction.
void lsu_accept(struct core *core, uint64_t now, uint32_t entry);
// Accepts an entry that a scheme has captured and sends itself.
void lsu_keep(struct core *core, uint64_t now, uint32_t entry);
// Processes replies.
void lsu_receive(struct core *core, uint64_t now);
// Evaluates a cycle of the unit.
void lsu_tick(struct core *core, uint64_t now);
// Returns the next cycle that needs a tick if no reply arrives.
uint64_t lsu_next(const struct core *core, uint64_t now);
// Divides an entry into parts by the addresses of its lanes (parts.c).
void lsu_split(struct core *core, struct entry *entry);
// Returns true if accesses of the slot that bypass the L1 wait to be sent.
bool lsu_has_direct(const struct core *core, uint32_t slot);
// Returns true if the part must wait for an older access.
bool lsu_must_wait(const struct core *core, uint32_t entry, const struct part *part);

// Schemes

// Loops over the schemes that watch a core and have `function` in `table`.
#define EACH_HOOKS(hooks, core, table, function)                                                   \
    for (const struct core_hooks *hooks = (core)->hooks;                                           \
         hooks < (core)->hooks + (core)->hook_count; hooks++)                                      \
        if (hooks->table->function)
