// State shared by the files of the machine: machine.c (construction, time, runs), machine_agenda.c
// (host events), machine_copy.c (copy engines), machine_kinds.c (kinds of cores), machine_ctas.c
// (occupancy, CTAs to cores), machine_sample.c and machine_warm.c (sampling of CTAs),
// machine_watch.c (runs without progress), machine_totals.c (statistics), machine_trace.c,
// machine_schemes.c.
#pragma once
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/gpu/machine/machine.h"
#include "support/bits.h"

// A running launch.
struct running {
    uint32_t number; // index among the launches of the run
    struct machine_event *event;
    struct machine_launch *launch;
    uint64_t ready;       // first cycle in which its CTAs may start
    struct arena arena;   // memory of its CTAs
    uint64_t next, count; // clusters of the grid; without clusters, each CTA is one
    uint64_t ctas, over;
    uint64_t posted;                 // posted stores of all cores when its last CTA ended
    uint64_t period, wave;           // of sampling, in CTAs; 0: no sampling
    struct machine_warming *warming; // used by sampling
    uint32_t registers;
    bool is_released; // its memory was freed
    VEC(struct cta *) idle;
};

// An active scheme.
struct active_scheme {
    const struct scheme_ops *ops;
    void *state;
    uint32_t number; // number of the registered scheme
};

// Schemes, and the requesters and stalls of registered ones.
struct machine_schemes {
    struct active_scheme *active;
    uint32_t count;
    uint8_t *of_requester;                   // per requester: 1 + number among `active`, or 0
    uint32_t *first_requester, *first_stall; // per registered scheme
    VEC(struct memsys_requester) requesters; // those of cores, then those of registered schemes
};

// Cores with work.
struct machine_ticks {
    uint64_t *due;    // per core: next cycle with work
    uint64_t *awake;  // set of cores with work
    uint64_t *ticked; // set of cores that tick in this cycle
    uint64_t *trying; // set of cores that may have room for a CTA
    uint64_t shuffle; // random state; 0: off
    uint32_t *order;
};

// The current run.
struct machine_run {
    const struct machine_limits *limits;
    struct arena arena;
    uint64_t until;                // cycle in which the run pauses, as `now` counts
    uint64_t begun, cycles_before; // cycle in which the run began; cycles of earlier runs
    uint32_t evaluated;            // evaluated cycles of the run
};

// Events of the host in the current run.
struct machine_agenda {
    VEC(struct machine_event *) events;
    uint32_t first;                // all before it have ended
    uint32_t waiting, open;        // events that have not begun, and that have not ended
    uint64_t ended, ended_seen;    // ended events, now and when this part of the run began
    struct machine_event *pausing; // pause event that waits for replies to all cores; NULL: none
};

// Launches that have begun.
struct machine_launches {
    struct running **running;
    uint32_t count;      // of `running`
    uint32_t live;       // number that are not over
    uint32_t unreleased; // number that are over and have memory
};

// Search for runs without progress.
struct machine_watchdog {
    uint64_t progress;                   // CTAs begun and ended
    uint64_t progress_seen, progress_at; // sum of all that the watchdog counts, and the cycle of
                                         // its last growth
    uint64_t looked_at;                  // cycle of the last search for CTAs without progress
    struct repeats repeats;              // warps that may repeat a state forever
    uint64_t marked_at;                  // cycle in which `repeats` was recorded; 0: not since the
                                         // last progress
    VEC(struct cta *) watched;
};

struct machine {
    struct arena *arena;
    const struct machine_config *config;
    const struct program *program;
    struct core *cores;
    uint32_t count, words; // number of cores, and words of a set of cores
    uint32_t ordinary;     // number of cores of kind 0, which come first, also among the endpoints
    uint32_t *core_at;     // per endpoint: its core, if any
    uint64_t now, start;   // cycles since `start`, the initial value of clocks
    struct launch_time time;
    struct machine_ticks ticks;
    struct core_shared shared;
    struct machine_kind {
        struct core_kind kind;
        uint32_t first, count; // range of its cores
        uint32_t turn;         // core that gets the next CTA first
        struct core_stats totals;
        struct cache_stats l1_totals;
    } * kinds;
    uint32_t kind_count;
    struct machine_schemes schemes;
    struct machine_run run;
    struct machine_agenda agenda;
    struct machine_launches launches;
    struct copy_engines *copies; // NULL: no copies
    struct machine_watchdog watchdog;
    struct machine_totals totals;
    struct core_stats core_totals;
    struct cache_stats l1_totals;
    struct machine_trace *trace; // may be NULL
};

// Schedules the core's next tick in this cycle.
static inline void machine_set_due(struct machine *machine, uint32_t core, uint64_t cycle)
{
    machine->ticks.due[core] = cycle;
    if (cycle == UINT64_MAX)
        bits_clear(machine->ticks.awake, core);
    else
        bits_set(machine->ticks.awake, core);
}

// Kinds of cores (machine_kinds.c).

// Creates the configured kinds and counts the cores.
void machine_init_kinds(struct machine *machine);
// Adds the endpoints of added cores to the tables of a new memory system.
void machine_add_endpoints(struct machine *machine, struct memsys_tables *tables);
// Creates the cores. Requires a memory system with these tables.
void machine_init_cores(struct machine *machine, const struct memsys_tables *tables);
// Returns the kind of cores that executes a launch.
static inline const struct machine_kind *machine_kind_of(const struct machine *machine,
                                                         const struct machine_launch *launch)
{
    return &machine->kinds[launch->placement.kind];
}

// Agenda

// Begins the events that are due in this cycle. Returns false and sets the fault in `result` if a
// launch does not fit the machine.
bool machine_begin_due(struct machine *machine, struct grid_result *result);
// Returns the next cycle in which an event begins or ends by itself, or a copy sends; UINT64_MAX if
// no such cycle is known.
uint64_t machine_agenda_next(const struct machine *machine);
// Returns true if only the agenda prevents the cores from making progress, until a known cycle.
bool machine_agenda_holds(const struct machine *machine);
// Sampling of CTAs: starts it for a launch, if the launch has enough waves; executes CTAs untimed,
// in the memory of an idle one, until the next timed one.
void machine_sample_begin(struct machine *machine, struct running *running);
void machine_sample_skip(struct machine *machine, struct running *running, struct cta *cta);
// Functional warming of the LLC by untimed CTAs: starts it for a sampled launch; prepares a CTA,
// which is one of the `left` before the next timed one; applies all accesses to the LLC before that
// one starts.
void machine_warm_begin(struct machine *machine, struct running *running);
void machine_warm_cta(struct running *running, struct cta *cta, uint64_t left);
void machine_warm_end(struct running *running, struct cta *cta);
// Ends a launch that has no CTAs left.
void machine_end_launch(struct machine *machine, struct running *running);
// Ends an event of the agenda.
void machine_end_event(struct machine *machine, struct machine_event *event);
// Frees the memory of a launch that has begun.
void machine_release(struct running *running);

// Copy engines, one per direction. They execute copies in the order in which these begin.

// Add the engines' endpoint to the tables of a new memory system, and connect them to it.
void machine_add_copies(struct machine *machine, struct memsys_tables *tables);
void machine_connect_copies(struct machine *machine, const struct memsys_tables *tables);
// Begins a copy.
void machine_begin_copy(struct machine *machine, struct machine_event *event);
// Processes replies and sends requests.
void machine_tick_copies(struct machine *machine);
// Returns the next cycle in which a request can be sent; UINT64_MAX: not before a reply.
uint64_t machine_copies_next(const struct machine *machine);
// Returns the number of requests in flight.
uint32_t machine_copies_inside(const struct machine *machine);
// Moves the bytes of a served request.
void machine_serve_copy(struct machine *machine, const struct memsys_request *request);

// Starts CTAs on cores that have room, at most one per core and cycle. Returns true if CTAs are
// left and a core has room.
bool machine_dispatch(struct machine *machine);
// Evaluates warps of all cores that may wait for an event in CTAs of their cluster on this core.
void machine_look_at_clusters(struct machine *machine, uint32_t core);
// Removes ended CTAs and detached warps of a core.
void machine_retire_ended(struct machine *machine, uint32_t core);
// Counts the instructions of CTAs and detached warps that have not ended.
void machine_count_there(struct machine *machine);

// Returns true if the run has made no progress for so long that it must be aborted.
bool machine_watch(struct machine *machine);
// Releases CTAs whose warps wait for lanes that wait at a barrier. Returns true if any of them can
// continue.
bool machine_relieve(struct machine *machine);
// Stores in the result which warps wait for which.
void machine_report_stalls(struct machine *machine, struct grid_result *result);

// Registered schemes and active ones (machine_schemes.c).

// Adds a requester.
void machine_add_requester(struct machine *machine, const struct memsys_requester *row);
// Collects the rows of registered schemes: stalls and requesters.
void machine_init_rows(struct machine *machine);
// Activates the schemes that the configuration enables and whose plan, if they read one, is
// present. Applies their requirements to machine->config before the machine is built.
void machine_choose_schemes(struct machine *machine, const struct machine_plans *plans);
// Creates the schemes' states, before memory system and cores.
void machine_create_schemes(struct machine *machine, const struct machine_plans *plans);
// Returns the configuration that the enabled schemes which read a plan require, with or without a
// plan.
const struct machine_config *machine_as_planned(struct arena *arena,
                                                const struct machine_config *config);

// Loops over the active schemes that have `function`.
#define EACH_SCHEME(scheme, machine, function)                                                     \
    for (const struct active_scheme *scheme = (machine)->schemes.active;                           \
         scheme < (machine)->schemes.active + (machine)->schemes.count; scheme++)                  \
        if (scheme->ops->function)

// Updates statistics.
void machine_refresh(struct machine *machine);

// Write the events before this cycle; write running or open events up to this cycle. Require a
// trace.
void machine_trace_cycle(struct machine *machine);
void machine_trace_close(struct machine *machine);
