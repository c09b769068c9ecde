// A core: fetch, buffers, scoreboard, schedulers, units, load/store unit, first-level caches.
//
// In the order in which one reads it: core.def (what can be set), timing.def and timing.h (how long
// instructions take), warps.c (what a warp waits for), schedule.c (who is next), issue in core.c,
// fetch.c, lsu.c (from addresses to requests), core.c (a cycle).
//
// A core's cycle has two parts. core_tick does all that only the core itself sees. What it reads
// and writes of memory, and instructions that touch what cores share, come in core_commit, which is
// called for one core after the other in a fixed order: so it does not matter in which order cores
// tick.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/epoch.h"
#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/gpu/tags.h"
#include "runtime-sim/gpu/timing.h"

enum {
    CORE_LINES = 4096, // core_line
    CORE_WARPS = 64,
    CORE_CTAS = 64,
    CORE_WHEEL = 1024,
    CORE_UNITS = 4,
    CORE_DIRECT = 16,
    SCHEMES_MOST = 8, // registered
    STALLS_MOST = 16, // of all schemes
};

// Lines that kernels cannot address: of code, and of local memory.
#define CODE_LINES (UINT64_C(1) << 55)
#define LOCAL_LINES (UINT64_C(1) << 54)

// What a warp's slot waits for.
enum slot_state {
    SLOT_EMPTY,
    SLOT_FETCH,   // an instruction
    SLOT_RESULT,  // of arithmetic
    SLOT_LOAD,    // a load
    SLOT_BARRIER, // other warps at a barrier
    SLOT_FENCE,   // accesses, of its own or of its CTA
    SLOT_LANES,   // its own lanes, or other CTAs
    SLOT_ENDED,   // stores, and other warps of its CTA
    SLOT_READY,   // to be chosen
    SLOT_STATES,  // behind them: stalls of schemes
};

struct slot {
    struct warp *warp;
    uint32_t cta;  // in core->ctas
    uint8_t state; // enum slot_state
    uint64_t since;
    uint64_t age;
    // Buffer: `buffered` instructions from number `buffer_at` on, there from `decoded` on.
    uint32_t buffered, buffer_at;
    uint64_t decoded;
    bool fetching; // waits for the instruction cache
    // Accesses: in `entries`; past the first level; stores that were not acknowledged.
    uint32_t entries, direct, cached, stores;
    uint32_t atomics; // of those past the first level
    bool acquires;    // what comes behind waits for them
    bool over;        // the last of them, and the warp's end, have been seen
    uint64_t *ready;  // when each register has its value; UINT64_MAX: not known
    const struct timing *next;
    uint32_t mask;   // lanes that will execute it
    uint8_t unit;    // that it wants
    bool settled;    // `next` is what it issues next: nobody else can change that
    uint32_t behind; // 1 + the epoch that has to be over before `next`; 0: none is known
};

// Where a line's stores are counted.
static inline uint32_t core_line(uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

struct core_cta {
    struct cta *cta; // NULL: free
    uint32_t kernel; // of the machine
    uint64_t slots;  // of its warps
    uint32_t left;   // of them, not over
    uint32_t registers, shared_bytes;
    uint64_t seen; // of its events, when the watchdog last looked
    struct epochs epochs;
};

enum route {
    ROUTE_SHARED,
    ROUTE_L1,
    ROUTE_DIRECT,
    ROUTE_CONSTANT,
    ROUTE_TEXTURE,
    ROUTE_LOOKUP, // of an entry of a scheme: only whether the first level has the line
    ROUTE_PASS,   // of an entry of a scheme, past the first level: nothing
};

// A part of an access: one line, or all of shared memory.
struct part {
    uint64_t line;
    struct mask bytes;
    uint32_t lanes;          // whose values are moved with it
    uint16_t cycles;         // that the banks of shared memory, or of constants, take
    uint8_t route;           // enum route
    uint8_t kind;            // enum memsys_kind
    uint8_t keep, keep_next; // enum cache_keep, of the first level and of the last
    bool answered;
};

// A memory instruction under way.
struct entry {
    struct held *held;
    VEC(struct part) parts;
    uint32_t slot;
    uint32_t epoch;      // parity
    uint32_t sent, left; // parts that were, and that have not been answered
    uint64_t issued, done;
    const struct timing *timing;
    bool queued;   // it has parts to send
    uint8_t owner; // scheme that says when it is over: 1 + its number among watchers; 0: none
};

// Values to be moved in core_commit.
struct effect {
    uint32_t entry, part;
};

// Who sends a request; comes back with the reply.
enum client {
    CLIENT_L1,
    CLIENT_DIRECT,
    CLIENT_CODE,
    CLIENT_CONSTANT,
    CLIENT_TEXTURE,
    CLIENTS_OF_CORE, // behind them: requesters of schemes
};

struct core_stats {
#define STATS_DEF "runtime-sim/gpu/core_stats.def"
#include "runtime-sim/base/stats_fields.inc"
    uint64_t scheme_stalls[STALLS_MOST];
};

struct core_ops;
struct core_trace;
struct scheme_stall;

// What all cores have in common.
struct core_shared {
    const struct core_config *config;
    const struct cache_config *l1;
    uint32_t l1_unit; // bytes in which the memory system answers reads
    const struct tags_config *code, *constant, *texture;
    struct timings timings;
    struct memsys *memsys;
    uint32_t latency[TIMING_CLASSES], interval[TIMING_CLASSES];
    uint32_t units[UNITS]; // how many there are of each
    struct fault *fault;
    uint32_t cores;
    bool flush_l1; // between launches
    bool profiled; // a launch that runs counts what its instructions ask caches for
    // Active schemes that look into cores, by registration; what create returned.
    const struct core_ops *watchers[SCHEMES_MOST];
    void *watcher_states[SCHEMES_MOST];
    uint32_t watcher_count;
    uint8_t first_stall[SCHEMES_MOST];     // of each watcher: slot state of its first stall
    uint8_t watcher_of[MEMSYS_REQUESTERS]; // of each requester: 1 + number among watchers; 0: none
    uint32_t entries_of_slot;              // of the load/store unit for each slot, of schemes
    const struct scheme_stall *stalls[STALLS_MOST]; // of all registered schemes
    uint32_t stall_count;
    const struct stat_key *stat_keys; // of struct core_stats
    uint32_t stat_key_count;
};

struct core {
    const struct core_shared *shared;
    struct arena *arena;
    uint32_t index;
    uint64_t next;    // nothing is to be done before
    uint64_t counted; // cycles before this one are in the statistics, as to slots that are ready
    uint64_t busy;    // cycles in which there was something to do
    struct slot slots[CORE_WARPS];
    struct core_cta ctas[CORE_CTAS];
    uint32_t cta_count, threads, registers, shared_bytes; // in use
    uint64_t used;                                        // the set of slots with a warp
    uint64_t ready;                                       // could issue
    uint64_t wants[UNITS];                                // of these, by unit
    uint64_t hungry;                                      // want a fetch
    uint64_t deferred;                                    // issue in core_commit
    uint64_t ended;   // CTAs that are over, for the machine to take
    uint64_t stirred; // CTAs of clusters in which something has happened that others may wait for
    uint64_t unit_free[UNITS][CORE_UNITS];
    uint64_t wheel[CORE_WHEEL]; // slots to look at, by cycle
    uint64_t wheel_used[CORE_WHEEL / 64];
    uint64_t wheel_words; // the words of these that are not 0
    uint64_t wheel_at;    // the first cycle that was not looked at
    uint32_t last[4];     // the warp that each scheduler chose last
    uint32_t fetch_turn;
    uint64_t ages;
    uint64_t progress; // values stored, for the watchdog
    // Load/store unit
    struct entry *entries;
    uint32_t entry_count, entry_extra; // all, and those beyond what the unit keeps track of
    uint32_t parked;                   // entries of schemes that do not count
    uint32_t queue_room;
    uint32_t *free_entries, free_count;
    uint32_t *freed, freed_count;             // in this cycle
    uint32_t *queue, queue_head, queue_count; // entries that have parts to send
    uint64_t banks_free;                      // shared memory
    VEC(struct effect) effects;
    struct cache l1;
    uint64_t l1_next;
    // Of the stores in the first level's way out: 2 · slot + parity of the epoch.
    uint32_t *store_tags, store_head, store_count;
    uint16_t store_lines[CORE_LINES];          // stores that were not acknowledged, by core_line
    struct memsys_request direct[CORE_DIRECT]; // past the first level
    uint32_t direct_head, direct_count;
    struct tag_cache code, constant, texture;
    struct memsys_request missed[CORE_WARPS]; // lines of these three
    uint32_t missed_head, missed_count;
    uint32_t send_turn;
    uint32_t to_send;         // packets that schemes have to send: they count them
    bool refused;             // by the network: it will say when there is room
    bool l1_full;             // what is next to be sent waits for room in the first level
    struct core_trace *trace; // NULL: nobody listens
    uint32_t watcher_count;   // active schemes that look into cores, and their states here
    struct core_watcher {
        const struct core_ops *ops;
        void *own;
    } watchers[SCHEMES_MOST];
    uint64_t idle_since; // if there is no CTA
    struct core_stats stats;
};

// Rows of struct core_stats with those of schemes' stalls, for shared->stalls.
void core_stat_keys(struct core_shared *shared, struct arena *arena);
void core_init(struct core *core, struct arena *arena, const struct core_shared *shared,
               uint32_t index);

// What a CTA of the launch takes of a core, with so many registers for each thread; in granules.
struct core_needs {
    uint32_t warps, registers, shared_bytes;
};

struct core_needs core_needs(const struct core_config *config, const struct launch *launch,
                             uint32_t registers);
// True if a CTA of the launch, with so many registers for each thread, has room now.
bool core_has_room(const struct core *core, const struct launch *launch, uint32_t registers);
// Needs core_has_room and a CTA that cta_start has made ready.
void core_start(struct core *core, uint64_t now, struct cta *cta, uint32_t kernel,
                uint32_t registers);
// The CTAs that are over; their places are free.
uint64_t core_take_ended(struct core *core);

void core_tick(struct core *core, uint64_t now);
void core_commit(struct core *core, uint64_t now);
static inline bool core_has_commit(const struct core *core)
{
    return core->effects.n || core->deferred;
}
// Values of an access that a partition serves.
void core_served(struct core *core, const struct memsys_request *request);
// Statistics of slots that are ready up to, not with, this cycle: before something else than
// core_tick changes which are. In the cycles since the last tick none could issue.
void core_catch_up(struct core *core, uint64_t now);
// All statistics up to, not with, this cycle.
void core_settle(struct core *core, uint64_t now);
// Forgets what the first level holds: between launches.
void core_flush(struct core *core);

// Among the files of the core

void core_look(struct core *core, uint64_t now, uint32_t slot);
void core_look_at_cta(struct core *core, uint64_t now, uint32_t cta);
// `state`: enum slot_state, or that of a scheme's stall.
void core_set_state(struct core *core, uint64_t now, uint32_t slot, uint32_t state);
// Statistics of a core without CTA up to, not with, this cycle.
void core_count_idle(struct core *core, uint64_t now);
void core_wake_at(struct core *core, uint64_t cycle, uint32_t slot);
uint64_t core_next_wake(const struct core *core);
uint32_t core_choose(struct core *core, uint32_t scheduler, uint64_t candidates);
void core_fetch(struct core *core, uint64_t now);
void core_issue(struct core *core, uint64_t now, uint32_t slot);

void core_move_values(struct core *core, struct entry *entry, uint32_t part);
const struct ir_inst *core_inst(const struct core *core, const struct timing *timing);
void core_maybe_over(struct core *core, uint64_t now, uint32_t slot);
void core_fetched(struct core *core, uint64_t now, uint64_t line);

void lsu_init(struct core *core);
bool lsu_can_take(const struct core *core);
// The entry has been issued: its held instruction says what is to be done.
void lsu_take(struct core *core, uint64_t now, uint32_t entry);
// The same of an entry that a scheme has captured, and sends.
void lsu_keep(struct core *core, uint64_t now, uint32_t entry);
// Sends these lanes of an entry, whatever was sent of it before.
void lsu_send_lanes(struct core *core, uint64_t now, uint32_t entry, uint32_t lanes);
// An entry is over that a scheme has.
void lsu_free(struct core *core, uint64_t now, uint32_t entry);
// Takes what has come.
void lsu_receive(struct core *core, uint64_t now);
void lsu_tick(struct core *core, uint64_t now);
// When there is something to do if nothing comes.
uint64_t lsu_next(const struct core *core, uint64_t now);
// Parts of an entry from the addresses of its lanes (parts.c).
void lsu_split(struct core *core, struct entry *entry);
// Accesses of the slot that go past the first level wait to be sent.
bool lsu_has_direct(const struct core *core, uint32_t slot);
// The part of this entry must wait for an older access.
bool lsu_is_behind(const struct core *core, uint32_t entry, const struct part *part);
