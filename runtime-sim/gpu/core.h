// A core: fetch, buffers, scoreboard, schedulers, units, load/store unit, L1 caches.
//
// Order of reading: core.def (configuration keys), timing.def and timing.h (latencies), warps.c
// (stall reasons of a warp), schedule.c (choice of a warp), issue in core.c, fetch.c, lsu.c (from
// addresses to requests), core.c (a cycle), core_cta.c (how CTAs begin and end), core_detached.c
// (warps without a CTA).
//
// A core's cycle has two parts. core_tick changes only the core itself. Values of memory, and
// instructions that access state that cores share, follow in core_commit, which is called for one
// core after the other in a fixed order: so the order in which cores tick does not matter.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/epoch.h"
#include "runtime-sim/gpu/scheme.h"
#include "runtime-sim/gpu/tags.h"
#include "runtime-sim/gpu/timing.h"
#include "support/inline.h"

enum {
    CORE_LINES = 4096, // core_line
    CORE_MISSED = 64,
    CORE_WHEEL = 1024,
    CORE_UNITS = 4,
    CORE_DIRECT = 16,
};

// Lines of code and of local memory: kernels cannot address them.
#define CODE_LINES (UINT64_C(1) << 55)
#define LOCAL_LINES (UINT64_C(1) << 54)

struct slot {
    struct warp *warp;
    uint32_t cta;  // in core->ctas
    uint8_t state; // enum slot_state
    uint64_t since;
    // Buffer: `buffered` instructions from number `buffer_at` on, from cycle `decoded` on.
    uint32_t buffered, buffer_at;
    uint64_t decoded;
    bool fetching; // waits for the instruction cache
    // Accesses: in `entries`; past the L1; stores without an acknowledgement.
    uint32_t entries, direct, cached, stores;
    uint32_t atomics; // of those past the L1
    bool acquires;    // later accesses wait for them
    bool over;        // the warp and all its accesses have ended
    uint64_t *ready;  // cycle in which each register has its value; UINT64_MAX: not known
    const struct timing *next;
    uint32_t mask;   // lanes that will execute `next`
    uint8_t unit;    // of `next`
    bool settled;    // `next` is valid; only the warp itself can change it
    uint32_t behind; // 1 + the epoch that must end before `next`; 0: not known
};

// Returns the index in store_lines of a line.
static inline uint32_t core_line(uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

struct core_cta {
    struct cta *cta;            // NULL: free
    uint32_t kernel;            // of the machine
    uint64_t slots[CORE_WORDS]; // of its warps
    uint32_t left;              // slots of these that are not over
    uint32_t registers, shared_bytes;
    uint8_t starter; // of a detached warp: number among watchers
    uint32_t local;  // of a detached warp: slot of the machine whose local memory it has
    uint64_t seen;   // its events at the watchdog's last look
    struct epochs epochs;
};

// A part of an access: one line, or all of shared memory.
struct part {
    uint64_t line;
    struct mask bytes;
    uint32_t lanes;          // their values are moved with it
    uint16_t cycles;         // of the banks of shared memory or of constants
    uint8_t route;           // enum part_route
    uint8_t kind;            // enum memsys_kind
    uint8_t keep, keep_next; // enum cache_keep, of the L1 and the LLC
    uint8_t mark;            // of the request: plane_mark; not 0: a discard, without data
    bool answered;
};

// A memory instruction under way.
struct entry {
    struct held *held;
    VEC(struct part) parts;
    uint32_t slot;
    uint32_t epoch;      // parity
    uint32_t sent, left; // parts that were sent; parts without a reply
    uint64_t issued, done;
    const struct timing *timing;
    bool queued;   // has parts to send
    uint8_t owner; // scheme that ends it: 1 + its number among watchers; 0: no scheme
};

// Values that core_commit moves.
struct core_effect {
    uint32_t entry, part;
};

struct core_stats {
#define STATS_DEF "runtime-sim/gpu/core_stats.def"
#include "runtime-sim/base/stats_fields.inc"
    uint64_t scheme_stalls[STALLS_MOST];
};

struct core_trace;

// State that the cores of one kind share.
struct core_kind {
    const char *name; // of statistics and traces
    uint32_t number;  // 0: the ordinary kind
    const struct core_config *config;
    const struct cache_config *l1;
    uint32_t l1_unit; // bytes in which the memory system answers reads
    const struct tags_config *code, *constant, *texture;
    uint32_t latency[TIMING_CLASSES], interval[TIMING_CLASSES];
    uint32_t units[UNITS]; // number of units of each class
    uint32_t adder;        // 1 + the scheme that added these cores, by registration; 0: none
};

// State that all cores share.
struct core_shared {
    struct timings timings;
    struct memsys *memsys;
    struct fault *fault;
    uint32_t cores; // of the ordinary kind
    bool flush_l1;  // between launches
    bool paused;    // no core issues
    bool profiled;  // a running launch has a profile
    // Active schemes that look into cores, by registration; `state`: what create returned.
    struct shared_watcher {
        const struct scheme_ops *ops;
        void *state;
        uint32_t scheme;     // by registration
        uint8_t first_stall; // slot state of its first stall
    } * watchers;
    uint32_t watcher_count;
    uint8_t *claims;          // numbers of watchers: the order of their `issue_as`
    uint8_t *watcher_of;      // of each requester: 1 + number among watchers, or 0
    uint32_t entries_of_slot; // of the load/store unit for each slot, of schemes
    const struct scheme_stall *stalls[STALLS_MOST]; // of all registered schemes
    uint32_t stall_count;
    const struct stat_key *stat_keys; // of struct core_stats
    uint32_t stat_key_count;
};

// Sets of slots: 64 of them, a bit each.
struct slot_sets {
    uint64_t used;         // with a warp
    uint64_t ready;        // could issue
    uint64_t wants[UNITS]; // of these, by unit
    uint64_t hungry;       // need a fetch
    uint64_t deferred;     // issue in core_commit
};

// The members that most ticks access come first: a cycle touches those of all cores that tick.
struct core {
    const struct core_shared *shared;
    const struct core_kind *kind;
    uint64_t next;                   // the next cycle that needs a tick
    VEC(struct core_effect) effects; // of this cycle
    uint64_t ended;                  // CTAs that are over: a set
    uint64_t stirred;     // CTAs with an event that other CTAs of their cluster may wait for
    bool defers;          // a slot is deferred
    bool returns;         // `returned` is not empty
    bool refused;         // by the network, which wakes the core
    bool l1_full;         // the next part waits for room in the L1
    bool first_waits;     // the same, until an instruction enters the queue
    bool one_cta;         // its CTA shares the core with no other
    uint32_t words;       // of sets of slots
    uint64_t counted;     // ready slots are counted up to, not with, this cycle
    uint64_t busy;        // cycles with a tick or a ready slot
    uint64_t wheel_at;    // the first cycle after the last tick
    uint64_t wheel_words; // the words of wheel_used that are not 0
    uint64_t l1_next;
    struct slot *slots; // kind->config->warps of them
    uint64_t *age;      // of each slot's warp
    uint64_t *wheel;    // slots to look at: a set for each cycle
    // Load/store unit
    struct entry *entries;
    uint32_t *free_entries, *freed, *queue;
    uint32_t free_count;
    uint32_t freed_count;             // in this cycle
    uint32_t queue_head, queue_count; // entries that have parts to send
    uint32_t queue_room;
    uint32_t parked; // entries of schemes that do not count
    uint32_t store_head, store_count;
    uint32_t direct_head, direct_count;
    uint32_t missed_head, missed_count;
    uint32_t send_turn;
    uint32_t to_send; // packets that schemes have to send
    uint32_t watcher_count;
    struct core_watcher {
        const struct scheme_issue *issue;
        const struct scheme_memory *memory;
        const struct lsu_client *lsu;
        void *own;
        const struct scheme_ops *ops;
    } * watchers; // active schemes with core functions; their states
    uint32_t fetch_turn;
    uint32_t index;           // of the machine
    uint32_t endpoint;        // of the memory system
    struct core_trace *trace; // NULL: no trace
    uint64_t progress;        // values stored, for the watchdog
    uint64_t banks_free;      // shared memory
    uint64_t wheel_used[CORE_WHEEL / 64];
    uint32_t last[4];         // slot that each scheduler chose last
    uint32_t first_scheduler; // selects first; see core.scheduler_order
    uint64_t unit_free[UNITS][CORE_UNITS];
    struct slot_sets sets[CORE_WORDS];
    struct core_stats stats;
    struct cache l1;
    struct arena *arena;
    uint32_t first_slot;   // number of slot 0 in the machine: a multiple of 64
    struct core_cta *ctas; // places: of CTAs, then one for each slot, of detached warps
    uint32_t cta_count, threads, registers, shared_bytes; // in use
    uint64_t returned[CORE_WORDS];                        // slots of detached warps that are over
    uint64_t ages;
    uint64_t idle_since;               // of a core without warps
    uint32_t entry_count, entry_extra; // all; those of schemes
    // Tags of stores that leave the L1: 2 · slot + parity of the epoch.
    uint32_t *store_tags;
    uint16_t store_lines[CORE_LINES];          // stores without an acknowledgement, by core_line
    struct memsys_request direct[CORE_DIRECT]; // past the L1
    struct tag_cache code, constant, texture;
    struct memsys_request missed[CORE_MISSED]; // requests of these three
};

// Makes the rows of struct core_stats, those of shared->stalls included.
void core_stat_keys(struct core_shared *shared, struct arena *arena);
void core_init(struct core *core, struct arena *arena, const struct core_shared *shared,
               const struct core_kind *kind, uint32_t index);

// Resources of a core that a CTA uses, rounded up to granules. `registers`: of each thread.
struct core_needs {
    uint32_t warps, registers, shared_bytes;
};

struct core_needs core_needs(const struct core_config *config, const struct launch *launch,
                             uint32_t registers);
// Returns true if a CTA of the launch has room now.
bool core_has_room(const struct core *core, const struct launch *launch, uint32_t registers);
// Requires core_has_room and a CTA that cta_start has made ready.
void core_start(struct core *core, uint64_t now, struct cta *cta, uint32_t kernel,
                uint32_t registers);
// Returns the set of CTAs that are over; their places are free.
uint64_t core_take_ended(struct core *core);

// Detached warps (core_detached.c).

static inline uint32_t core_places(const struct core *core)
{
    return CORE_CTAS + core->kind->config->warps;
}
static inline bool core_is_detached(const struct slot *slot)
{
    return slot->cta >= CORE_CTAS;
}
// Returns the slot of the machine to which the local memory of a slot's warp belongs.
uint32_t core_local_of(const struct core *core, uint32_t slot);
// Returns the first line of the local memory of a slot's warp. Each thread has all words of its
// window of addresses.
uint64_t core_local_line(const struct core *core, uint32_t slot);
// Ends a detached warp and all that it has begun: it is over when its last results have been
// written.
void core_end_warp(struct core *core, uint64_t now, uint32_t slot);
// Frees the slot of a detached warp that is over, and returns it to the scheme that started it.
void core_return_warp(struct core *core, uint64_t now, uint32_t slot);
// Lets the host fetch what each tick of the core accesses.
static inline void core_prefetch(const struct core *core)
{
    for (size_t at = 0; at < offsetof(struct core, stats); at += 64)
        __builtin_prefetch((const char *)core + at);
}
void core_tick(struct core *core, uint64_t now);
void core_commit(struct core *core, uint64_t now);
static inline bool core_has_commit(const struct core *core)
{
    return core->effects.n || core->defers;
}
// Moves the values of a request that a partition serves.
void core_served(struct core *core, const struct memsys_request *request);
// Counts ready slots up to, not with, this cycle. Must be called before anything but core_tick
// changes the set. No slot could issue in the cycles since the last tick.
void core_catch_up(struct core *core, uint64_t now);
// Updates all statistics up to, not including, this cycle.
void core_settle(struct core *core, uint64_t now);
// Empties the L1: between launches.
void core_flush(struct core *core);

// Shared by the files of the core

void core_look_at_cta(struct core *core, uint64_t now, uint32_t cta);
// `state`: enum slot_state, or that of a scheme's stall.
void core_set_state(struct core *core, uint64_t now, uint32_t slot, uint32_t state);
// Counts the idle cycles up to, not with, this cycle.
void core_count_idle(struct core *core, uint64_t now);
uint64_t core_next_wake(const struct core *core);
// `candidates`: a set, which is not empty.
uint32_t core_choose(struct core *core, uint32_t scheduler, const uint64_t *candidates);
void core_fetch(struct core *core, uint64_t now);
void core_issue(struct core *core, uint64_t now, uint32_t slot);

void core_move_values(struct core *core, struct entry *entry, uint32_t part);
// A warp of the place begins in a free slot.
void core_fill_slot(struct core *core, uint64_t now, uint32_t slot, struct warp *warp,
                    uint32_t place);
uint32_t core_count_free_slots(const struct core *core);
void core_fetched(struct core *core, uint64_t now, uint64_t line);

void lsu_init(struct core *core);
bool lsu_can_take(const struct core *core);
// Takes the entry of an instruction that was issued.
void lsu_take(struct core *core, uint64_t now, uint32_t entry);
// The same for an entry that a scheme has captured and sends.
void lsu_keep(struct core *core, uint64_t now, uint32_t entry);
// Takes replies.
void lsu_receive(struct core *core, uint64_t now);
void lsu_tick(struct core *core, uint64_t now);
// Returns the next cycle that needs a tick if no reply arrives.
uint64_t lsu_next(const struct core *core, uint64_t now);
// Makes the parts of an entry from the addresses of its lanes (parts.c).
void lsu_split(struct core *core, struct entry *entry);
// Returns true if accesses of the slot past the L1 wait to be sent.
bool lsu_has_direct(const struct core *core, uint32_t slot);
// Returns true if the part must wait for an older access.
bool lsu_is_behind(const struct core *core, uint32_t entry, const struct part *part);

// Schemes

// Calls a function of all schemes that watch a core: `function` of `table`.
#define EACH_WATCHER(watcher, core, table, function)                                               \
    for (const struct core_watcher *watcher = (core)->watchers;                                    \
         watcher < (core)->watchers + (core)->watcher_count; watcher++)                            \
        if (watcher->table->function)
