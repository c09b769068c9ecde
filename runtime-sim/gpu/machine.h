// A GPU: cores and what is behind them, and launches on it.
//
// A cycle of the cores: those that have something to do tick, in any order; then what they read and
// write of memory is done, core by core; CTAs that are over make room for the next ones; then the
// memory system goes on to the next cycle in which a core has something to do.
#pragma once
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/gpu/core.h"
#include "runtime-sim/gpu/scheme.h"

struct machine_keys {
#define CONFIG_DEF "runtime-sim/gpu/machine.def"
#include "runtime-sim/base/config_fields.inc"
};

struct machine_config {
    struct machine_keys machine;
    struct core_config core;
    struct cache_config l1;
    struct tags_config code, constant, texture;
    struct memsys_config memsys;
    // Schemes that may be active, up to a NULL; NULL: none. Of each the values of its section.
    const struct scheme_ops *const *schemes;
    void *of_scheme[SCHEMES_MOST];
    struct scheme_classes classes[SCHEMES_MOST]; // of a machine, of its active schemes
};

enum { MACHINE_SECTIONS = 6 + MEMSYS_SECTIONS + SCHEMES_MOST };

// Sections for config_init, of which values are read into *config; returns how many. `schemes`:
// those that are registered, up to a NULL; NULL: none.
uint32_t machine_sections(struct config_section sections[MACHINE_SECTIONS],
                          struct machine_config *config, struct arena *arena,
                          const struct scheme_ops *const *schemes);
// The number of a registered scheme.
uint32_t machine_scheme_number(const struct machine_config *config, const struct scheme_ops *ops);
// The first classes that it has added to the networks of a machine.
struct scheme_classes machine_scheme_classes(const struct machine_config *config,
                                             const struct scheme_ops *ops);
// What is wrong with a configuration as a sentence without a full stop; NULL: nothing. For what the
// tables of keys cannot tell.
const char *machine_check(struct arena *arena, const struct machine_config *config);
// A scheme is on that reads a plan.
bool machine_reads_plans(const struct machine_config *config);
// The policy of the first scheme that is on: the value of its key `policy`. "baseline": none is.
const char *machine_policy(struct arena *arena, const struct machine_config *config);

struct machine;
struct trace;

// Needs a configuration that machine_check finds right, and a program; both stay.
struct machine *machine_new(struct arena *arena, const struct machine_config *config,
                            const struct program *program);
// What the program's metadata hold for each registered scheme: the table of its plan, or NULL.
struct machine_plans {
    const void *table[SCHEMES_MOST];
};
// The same with schemes, which the configuration turns on. Without plans (NULL) those are active
// that read none.
struct machine *machine_new_planned(struct arena *arena, const struct machine_config *config,
                                    const struct program *program,
                                    const struct machine_plans *plans);
// What the scheme's create returned; NULL: it is not active.
void *machine_scheme(const struct machine *machine, const struct scheme_ops *ops);
// Evaluates what is evaluated in the same cycle in another order each time; results stay the same.
void machine_shuffle(struct machine *machine, uint64_t seed);
// The first cycle of a machine that has run nothing yet, which is 0 otherwise: of what goes on
// where another machine has left off.
void machine_start_at(struct machine *machine, uint64_t cycle);

// A launch and how it went.
struct machine_launch {
    struct launch *launch; // as grid_run wants it
    uint64_t begun, ended; // cycles; the run's end if it came before
    uint64_t warp_instructions, thread_instructions;
    // Registers of a thread, and where the number comes from; CTAs that a core has room for, and
    // what there is too little of for one more.
    uint32_t registers, room;
    const char *registers_source, *limit;
};

struct machine_limits {
    uint64_t cycles; // the one in which the run ends, if it is not done; 0: none
    // Called in each cycle that is a multiple of `every` (0: never), with statistics that are up to
    // date.
    uint64_t every;
    void (*sample)(void *context, uint64_t cycle);
    void *context;
    // For another thread that watches: cycles of this run, and its CTAs that are over; or NULL.
    atomic_uint_fast64_t *cycle, *ctas_done;
};

enum machine_end {
    MACHINE_DONE,
    MACHINE_STOPPED, // launch->stop
    MACHINE_CYCLES,  // the limit
    MACHINE_STUCK,   // result->stalls says who waits for whom
    MACHINE_FAULT,   // result->fault
};

// Runs launches at the same time, until all are over: CTAs of the first come before those of the
// next ones, which have what room there is left. Before them the first levels forget all. Launches
// are told apart by their ids: result->fault.launch is that of the one that has failed, or, if the
// run is stuck, of the first that is not over.
enum machine_end machine_run(struct machine *machine, struct machine_launch *launches,
                             uint32_t count, const struct machine_limits *limits,
                             struct grid_result *result);

// Registers of each thread of a launch, and where the number comes from, in words.
uint32_t machine_registers(const struct machine *machine, const struct launch *launch,
                           const char **source);
// CTAs of the launch that a core has room for; 0: not even one, `why` says what there is too little
// of.
uint32_t machine_occupancy(const struct machine *machine, const struct launch *launch,
                           const char **why);

uint64_t machine_cycle(const struct machine *machine);
// After launches that are done: writes back and drops all that the LLC holds, as time goes on. To
// statistics this is a part of the run before it. Of `limits` only `every` and `sample` count;
// NULL: none.
void machine_flush(struct machine *machine, const struct machine_limits *limits);

// A trace, in which a microsecond is a cycle: names of processes and rows, once; what the machine
// does from now on; and no more of it, while nothing runs. The results stay the same.
void machine_trace_name(const struct machine *machine, struct trace *to);
void machine_trace_begin(struct machine *machine, struct arena *arena, struct trace *to);
void machine_trace_end(struct machine *machine);

// What can be known. Statistics are up to date after machine_run.
struct machine_totals {
#define STATS_DEF "runtime-sim/gpu/machine_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

void machine_stats_add(struct machine *machine, struct stats *stats);
// Those that a machine of this configuration has, whatever it runs.
void machine_stats_name(struct arena *arena, const struct machine_config *config,
                        struct stats *stats);
// Who waits for whom in networks and memory.
void machine_report(const struct machine *machine, FILE *to);
