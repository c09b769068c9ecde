// State that the files of the machine share: machine.c (construction, time, runs), machine_agenda.c
// (events of the host), machine_copy.c (copy engines), machine_kinds.c (kinds of cores),
// machine_ctas.c (occupancy, CTAs to cores), machine_sample.c and machine_warm.c (sampling of
// CTAs), machine_watch.c (runs without progress), machine_totals.c (statistics), machine_trace.c,
// machine_schemes.c.
#pragma once
#include "runtime-sim/exec/warp/repeat.h"
#include "runtime-sim/gpu/machine.h"
#include "support/bits.h"

// A launch that runs.
struct running {
    uint32_t number; // among the launches of the run
    struct machine_event *event;
    struct machine_launch *launch;
    uint64_t ready;       // the first cycle of its CTAs
    struct arena arena;   // of its CTAs
    uint64_t next, count; // clusters of the grid; without clusters each CTA is one
    uint64_t ctas, over;
    uint64_t period, wave;           // of sampling, in CTAs; 0: none
    struct machine_warming *warming; // of sampling
    uint32_t registers;
    bool is_released; // its memory
    VEC(struct cta *) idle;
};

// A scheme that is active.
struct active_scheme {
    const struct scheme_ops *ops;
    void *state;
    uint32_t number; // by registration
};

struct machine {
    struct arena *arena;
    const struct machine_config *config;
    const struct program *program;
    struct active_scheme *schemes;
    uint32_t scheme_count;
    uint8_t *scheme_of;                      // of each requester: 1 + number among `schemes`, or 0
    VEC(struct memsys_requester) requesters; // of cores, then of registered schemes
    uint32_t *first_requester, *first_stall; // of registered schemes
    struct core_shared shared;
    struct machine_kind {
        struct core_kind kind;
        uint32_t first, count; // cores
        uint32_t turn;         // core that gets the next CTA first
        struct core_stats totals;
        struct cache_stats l1_totals;
    } * kinds;
    uint32_t kind_count;
    struct core *cores;
    uint32_t count, words; // cores, and of sets of them
    uint32_t ordinary;     // cores of kind 0, which are the first ones, and endpoints
    uint32_t *core_at;     // of each endpoint: its core, if any
    uint64_t *due;         // next cycle of each core with work
    uint64_t *awake;       // set of the cores with work
    uint64_t *ticked;      // set of the cores that tick in this cycle
    uint64_t *trying;      // set of the cores that may have room for a CTA
    uint64_t now, start;   // cycles since `start`, the initial value of clocks
    struct launch_time time;
    uint64_t shuffle; // state; 0: off
    uint32_t *order;
    struct arena run_arena;             // of this run
    VEC(struct machine_event *) agenda; // of this run
    uint32_t agenda_first;              // all before it have ended
    uint64_t until;                     // the run pauses in this cycle, as `now` counts
    uint64_t ended, ended_seen;         // events, of all runs; at the begin of this part of the run
    uint32_t evaluated;                 // cycles of this run
    uint32_t waiting, open;             // events that have not begun, and that have not ended
    struct machine_event *pausing;      // pause event that waits for replies to all cores; NULL:
                                        // none
    struct copy_engines *copies;        // NULL: no copies
    struct running **running;           // launches that have begun, each at its place
    uint32_t running_count, live;       // of these, not over
    uint32_t unreleased;                // over, with memory
    uint64_t progress;                  // CTAs begun and ended
    uint64_t progress_seen, progress_at; // sum of all that the watchdog counts, and the cycle of
                                         // its last growth
    uint64_t looked_at;                  // cycle of the last search for CTAs without progress
    struct repeats repeats;              // warps that may repeat a state for ever
    uint64_t marked_at;                  // cycle of their mark; 0: none since the last progress
    VEC(struct cta *) watched;
    struct machine_totals totals;
    struct core_stats core_totals;
    struct cache_stats l1_totals;
    const struct machine_limits *limits; // of this run
    uint64_t begun, cycles_before;       // cycle of its begin; cycles of earlier runs
    struct machine_trace *trace;         // NULL: no trace
};

// Schedules the core's next tick in this cycle.
static inline void machine_set_due(struct machine *machine, uint32_t core, uint64_t cycle)
{
    machine->due[core] = cycle;
    if (cycle == UINT64_MAX)
        bits_clear(machine->awake, core);
    else
        bits_set(machine->awake, core);
}

// Kinds of cores (machine_kinds.c).

// Creates the kinds of the configuration and counts the cores.
void machine_init_kinds(struct machine *machine);
// Adds the endpoints of added cores to the tables of a new memory system.
void machine_add_endpoints(struct machine *machine, struct memsys_tables *tables);
// Creates the cores. Requires a memory system with these tables.
void machine_init_cores(struct machine *machine, const struct memsys_tables *tables);
static inline const struct machine_kind *machine_kind_of(const struct machine *machine,
                                                         const struct machine_launch *launch)
{
    return &machine->kinds[launch->placement.kind];
}

// Agenda

// Begins the events that are due in this cycle. Returns false if a launch does not fit the machine,
// with the reason in the result.
bool machine_begin_due(struct machine *machine, struct grid_result *result);
// Returns the next cycle in which an event begins or ends by itself, or a copy sends, or
// UINT64_MAX.
uint64_t machine_agenda_next(const struct machine *machine);
// Returns true if only the agenda keeps the cores from progress, until a known cycle.
bool machine_agenda_holds(const struct machine *machine);
// Sampling of CTAs. Begins it for a launch, if it has enough waves; executes CTAs without time, in
// the memory of an idle one, until the next one takes time.
void machine_sample_begin(struct machine *machine, struct running *running);
void machine_sample_skip(struct machine *machine, struct running *running, struct cta *cta);
// The LLC sees accesses of CTAs without time. Begin it for a launch that is sampled; prepare a CTA,
// which is one of the `left` before the next one with time; show the LLC all accesses before that
// one starts.
void machine_warm_begin(struct machine *machine, struct running *running);
void machine_warm_cta(struct running *running, struct cta *cta, uint64_t left);
void machine_warm_end(struct running *running, struct cta *cta);
// Ends a launch without CTAs left.
void machine_end_launch(struct machine *machine, struct running *running);
void machine_end_event(struct machine *machine, struct machine_event *event);
// Frees the memory of a launch that has begun.
void machine_release(struct running *running);

// Copy engines: one for each direction. They execute their copies in the order of their begin.

void machine_add_copies(struct machine *machine, struct memsys_tables *tables);
void machine_join_copies(struct machine *machine, const struct memsys_tables *tables);
void machine_begin_copy(struct machine *machine, struct machine_event *event);
// Takes replies and sends requests.
void machine_tick_copies(struct machine *machine);
// Returns the next cycle in which a request can be sent; UINT64_MAX: not before a reply.
uint64_t machine_copies_next(const struct machine *machine);
// Returns the number of requests in flight.
uint32_t machine_copies_inside(const struct machine *machine);
// Moves the bytes of a request that is served.
void machine_serve_copy(struct machine *machine, const struct memsys_request *request);

// Starts CTAs on cores that have room, at most one for each core in a cycle. Returns true if CTAs
// are left and a core has room.
bool machine_dispatch(struct machine *machine);
// Evaluates warps of all cores that may wait for an event in CTAs of their cluster on this core.
void machine_look_at_clusters(struct machine *machine, uint32_t core);
// Removes CTAs and detached warps of a core that are over.
void machine_take_ended(struct machine *machine, uint32_t core);
// Counts the instructions of CTAs and detached warps that are not over.
void machine_count_there(struct machine *machine);

// Returns true if the run has made no progress for so long that it must be aborted.
bool machine_watch(struct machine *machine);
// Releases CTAs whose warps wait for lanes that wait at a barrier. Returns true if any may
// continue.
bool machine_relieve(struct machine *machine);
// Reports which warps wait for which, in the result.
void machine_tell_stalls(struct machine *machine, struct grid_result *result);

// Registered schemes and active ones (machine_schemes.c).

void machine_add_requester(struct machine *machine, const struct memsys_requester *row);
// Rows of registered schemes: stalls and requesters.
void machine_init_rows(struct machine *machine);
// Activates the schemes that the configuration enables and whose plan, if they read one, is
// present. Applies their requirements to machine->config, before the machine is built from it.
void machine_choose_schemes(struct machine *machine, const struct machine_plans *plans);
// Creates their states, before memory system and cores.
void machine_create_schemes(struct machine *machine, const struct machine_plans *plans);
// Returns the configuration that the enabled schemes which read a plan require, with or without a
// plan.
const struct machine_config *machine_as_planned(struct arena *arena,
                                                const struct machine_config *config);

// Calls a function of all active schemes.
#define EACH_SCHEME(scheme, machine, function)                                                     \
    for (const struct active_scheme *scheme = (machine)->schemes;                                  \
         scheme < (machine)->schemes + (machine)->scheme_count; scheme++)                          \
        if (scheme->ops->function)

// Updates statistics.
void machine_refresh(struct machine *machine);

// Require a trace. Events before this cycle are written, and running or open ones up to this cycle.
void machine_trace_cycle(struct machine *machine);
void machine_trace_close(struct machine *machine);
