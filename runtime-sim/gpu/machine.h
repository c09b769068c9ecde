// A GPU: cores and what is behind them, and launches on it.
//
// A cycle: cores that are due tick, in any order; then values of memory are read and written, core
// by core; CTAs that are over make room for the next ones; then the memory system advances to the
// next cycle in which a core is due.
#pragma once
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/gpu/core.h"
#include "runtime-sim/gpu/scheme.h"

struct machine_keys {
#define CONFIG_DEF "runtime-sim/gpu/machine.def"
#include "runtime-sim/base/config_fields.inc"
};

enum { CORE_KINDS = 4 }; // at most, the ordinary kind included

// Cores of another kind than the ordinary ones. They get CTAs of the launches whose placement names
// the kind, and warps that schemes start.
struct added_cores {
    const char *name; // of statistics and traces
    struct core_config core;
    struct cache_config l1;
    struct tags_config code, constant, texture;
    // MEMSYS_AT_PARTITION: each core is the endpoint of a partition; MEMSYS_OF_OWNER: each core has
    // an endpoint of its own at a node.
    enum memsys_end at;
    const uint32_t *places; // numbers of partitions or nodes, one for each core
    uint32_t count;
    uint32_t scheme; // that has added them, by registration; the machine sets it
};

struct machine_config {
    struct machine_keys machine;
    // The ordinary cores: memory.cores of them.
    struct core_config core;
    struct cache_config l1;
    struct tags_config code, constant, texture;
    struct memsys_config memsys;
    // Schemes that may be active, up to a NULL; NULL: none. Of each the values of its section.
    const struct scheme_ops *const *schemes;
    void *of_scheme[SCHEMES_MOST];
    struct scheme_classes classes[SCHEMES_MOST]; // of a machine, of its active schemes
    struct added_cores added[CORE_KINDS - 1];    // by active schemes: kinds 1 and up
    uint32_t added_count;
};

enum { MACHINE_SECTIONS = 6 + MEMSYS_SECTIONS + SCHEMES_MOST };

// Makes the sections for config_init, whose values are read into *config; returns their count.
// `schemes`: the registered ones, up to a NULL; NULL: none.
uint32_t machine_sections(struct config_section sections[MACHINE_SECTIONS],
                          struct machine_config *config, struct arena *arena,
                          const struct scheme_ops *const *schemes);
// Returns the number of a registered scheme.
uint32_t machine_scheme_number(const struct machine_config *config, const struct scheme_ops *ops);
// Returns the first classes that it has added to the networks.
struct scheme_classes machine_scheme_classes(const struct machine_config *config,
                                             const struct scheme_ops *ops);
// Returns the first fault of a configuration that the tables of keys cannot find, as a sentence
// without a full stop; NULL: none.
const char *machine_check(struct arena *arena, const struct machine_config *config);
// Returns true if a scheme that is on reads a plan.
bool machine_reads_plans(const struct machine_config *config);
// Returns the policy of the first scheme that is on: the value of its key `policy`; "baseline" if
// none is on.
const char *machine_policy(struct arena *arena, const struct machine_config *config);

// Copies the ordinary kind, without cores, for the `require` of a scheme: the next kind. Returns
// it, to be changed.
struct added_cores *machine_add_cores(struct machine_config *config, const char *name);

struct machine;
struct trace;

// Requires a configuration without a fault, and a program; both must outlive the machine.
struct machine *machine_new(struct arena *arena, const struct machine_config *config,
                            const struct program *program);
// For each registered scheme the table of its plan in the program's metadata, or NULL.
struct machine_plans {
    const void *table[SCHEMES_MOST];
};
// The same with the schemes that the configuration turns on. Schemes that read a plan need it to be
// active. `plans` may be NULL.
struct machine *machine_new_planned(struct arena *arena, const struct machine_config *config,
                                    const struct program *program,
                                    const struct machine_plans *plans);
// Returns the state that the scheme's create returned; NULL: it is not active.
void *machine_scheme(const struct machine *machine, const struct scheme_ops *ops);
// Evaluates components in another order in each cycle; results stay the same.
void machine_shuffle(struct machine *machine, uint64_t seed);
// The first cycle of a machine that has run nothing yet, which is 0 otherwise: of what goes on
// where another machine has left off.
void machine_start_at(struct machine *machine, uint64_t cycle);

// In which order the CTAs of a launch start. A CTA does not start before the one in front of it.
enum cta_order { CTAS_ASCENDING, CTAS_DESCENDING };

// Where the CTAs of a launch run.
struct cta_placement {
    uint32_t kind;     // of cores
    uint8_t order;     // enum cta_order
    bool one_per_core; // a core with such a CTA has no other
};

// A launch and how it went.
struct machine_launch {
    struct launch *launch; // as grid_run wants it
    struct cta_placement placement;
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

// Runs launches at the same time until all are over: CTAs of the first one start before those of
// the next ones, on each kind of cores. L1s are emptied before. Launches have different ids:
// result->fault.launch is that of the launch that failed or, if the run is stuck, of the first one
// that is not over.
enum machine_end machine_run(struct machine *machine, struct machine_launch *launches,
                             uint32_t count, const struct machine_limits *limits,
                             struct grid_result *result);

// Returns the registers of each thread of a launch. *source: where the number comes from.
uint32_t machine_registers(const struct machine *machine, const struct machine_launch *launch,
                           const char **source);
// Returns how many CTAs of the launch a core of its kind has room for; 0: not even one. *why: the
// resource that is used up first.
uint32_t machine_occupancy(const struct machine *machine, const struct machine_launch *launch,
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
// Prints waiting requests in networks and memory.
void machine_report(const struct machine *machine, FILE *to);
