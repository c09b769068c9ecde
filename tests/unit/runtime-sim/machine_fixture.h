// A machine of a configuration and the kernels that run on it, for tests.
#pragma once
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include "runtime-sim/schemes/llc_omni/table.h"
#include "runtime-sim/schemes/schemes.h"
#include "tests/lib/machine_run.h"
#include "tests/unit/runtime-sim/kernel.h"
#include "tests/unit/runtime-sim/plain_slice.h"

enum { RIG_TEXT = 1 << 17, RIG_LAUNCHES = 4 };

struct rig {
    struct kernel k;
    struct machine_config config;
    struct machine *machine;
    struct stats stats;
    enum machine_end end;
    struct grid_result result;
    struct launch launches[RIG_LAUNCHES];
    struct machine_launch runs[RIG_LAUNCHES];
    uint32_t count;
    struct sites sites;          // with rig_count_sites
    struct kernel_sites *kernel; // NULL: not counted
    uint64_t shuffle, max_cycles;
    uint64_t cycles; // of the last run's first launch
};

// The text of a kernel, built piece by piece.
struct text {
    char at[RIG_TEXT];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static inline void text_put(struct text *t,
                                                                  const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->at + t->length, RIG_TEXT - t->length, format, list);
    va_end(list);
    assert_true(t->length < RIG_TEXT);
}

// Loads the kernels of the text, and a configuration with this many cores (0: all), after settings
// up to a NULL. `known`: the registered schemes.
static inline void rig_configure_from(struct rig *r, const char *text, const char *name,
                                      uint32_t cores, const char *const *settings,
                                      const struct scheme_ops *const *known)
{
    struct config config;
    *r = (struct rig){0};
    kernel_load(&r->k, text, NULL);
    uint32_t count;
    struct config_section *sections = machine_sections(&r->config, &r->k.arena, known, &count);
    config_init(&config, &r->k.arena, sections, count);
    assert_true(config_load(&config, name));
    if (!strcmp(name, "isca19"))
        set_plain_slice(&config);
    if (cores)
        r->config.memsys.memory.cores = cores;
    for (; settings && *settings; settings++)
        assert_true(config_set(&config, *settings));
    const char *wrong = machine_check(&r->k.arena, &r->config);
    if (wrong)
        fail_msg("%s", wrong);
}

static inline void rig_configure_with(struct rig *r, const char *text, uint32_t cores,
                                      const char *const *settings,
                                      const struct scheme_ops *const *known)
{
    rig_configure_from(r, text, "isca19", cores, settings, known);
}

static inline void rig_configure(struct rig *r, const char *text, uint32_t cores,
                                 const char *const *settings)
{
    rig_configure_with(r, text, cores, settings, schemes);
}

// Makes the machine count by instruction, for one kernel. Requires rig_configure, before the
// machine is built.
static inline void rig_count_sites(struct rig *r)
{
    sites_init(&r->sites, &r->k.arena);
    r->kernel = sites_of_kernel(&r->sites, r->k.program.functions.n);
    r->config.sites = &r->sites;
}

// Builds the machine with these plans; NULL: none. Requires rig_configure_with.
static inline void rig_build_planned(struct rig *r, const struct machine_plans *plans)
{
    r->machine = machine_new_planned(&r->k.arena, &r->config, &r->k.program, plans);
    stats_init(&r->stats, &r->k.arena);
    machine_stats_add(r->machine, &r->stats);
}

static inline struct offload_config *offload_config_of(const struct machine_config *config)
{
    return config->of_scheme[machine_scheme_number(config, &llc_omni)];
}

// Builds the machine with the program's chains; NULL: none. Requires rig_configure.
static inline void rig_build(struct rig *r, const struct offload_table *table)
{
    struct machine_plans plans = {0};
    machine_plan_add(&plans, &r->k.arena, &llc_omni, table);
    rig_build_planned(r, &plans);
}

// Builds the machine without chains.
static inline void rig_load(struct rig *r, const char *text, uint32_t cores,
                            const char *const *settings)
{
    rig_configure(r, text, cores, settings);
    rig_build(r, NULL);
}

// Returns the memory system, for the places of cores and partitions.
static inline const struct memsys *rig_memsys(const struct rig *r)
{
    return r->machine->shared.memsys;
}

// Adds a launch to the next run, with the kernel's current parameters.
static inline struct launch *rig_add(struct rig *r, const char *name, uint32_t grid, uint32_t block)
{
    const struct program_function *function = program_find(&r->k.program, name);
    assert_non_null(function);
    assert_true(r->count < RIG_LAUNCHES);
    struct launch *launch = &r->launches[r->count];
    *launch = (struct launch){.program = &r->k.program,
                              .function = (uint32_t)(function - r->k.program.functions.v),
                              .grid = {grid, 1, 1},
                              .block = {block, 1, 1},
                              .params = r->k.params,
                              .image = &r->k.image,
                              .sites = r->kernel,
                              .textures = r->k.textures};
    r->runs[r->count++] = (struct machine_launch){.launch = launch};
    return launch;
}

static inline void rig_go(struct rig *r)
{
    struct machine_limits limits = {.cycles = r->max_cycles};
    struct machine_event agenda[RIG_LAUNCHES] = {0};
    for (uint32_t i = 0; i < r->count; i++)
        agenda[i].launch = &r->runs[i];
    machine_shuffle(r->machine, r->shuffle);
    r->end = machine_run(r->machine, agenda, r->count, &limits, &r->result);
    r->cycles = r->runs[0].ended - r->runs[0].begun;
    r->count = 0;
}

static inline void rig_done(const struct rig *r)
{
    if (r->result.fault.happened)
        fail_msg("%s", r->result.fault.text);
    assert_int_equal(r->end, MACHINE_DONE);
}

// Runs one launch to its end; returns its cycles.
static inline uint64_t rig_run(struct rig *r, const char *name, uint32_t grid, uint32_t block)
{
    rig_add(r, name, grid, block);
    rig_go(r);
    rig_done(r);
    return r->cycles;
}

static inline double rig_stat(const struct rig *r, const char *name)
{
    double value = 0;
    if (!stats_find(&r->stats, NULL, name, &value))
        fail_msg("no statistic %s", name);
    return value;
}

// Returns the statistic GROUP.NAME.
static inline double rig_of(const struct rig *r, const char *group, const char *name)
{
    char all[96];
    snprintf(all, sizeof all, "%s.%s", group, name);
    return rig_stat(r, all);
}

// Checks that every slot of every core is counted under one reason in each cycle.
static inline void rig_check_slots(const struct rig *r)
{
    static const char *const reasons[] = {
        "issued",        "stall_empty",   "stall_fetch",        "stall_result",
        "stall_load",    "stall_barrier", "stall_fence",        "stall_lanes",
        "stall_ended",   "stall_unit",    "stall_memory_queue", "stall_not_selected",
        "stall_forming", "stall_chain"};
    double sum = 0, slots = (double)(r->config.memsys.memory.cores * r->config.core.warps);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        sum += rig_of(r, "core", reasons[i]);
    assert_true(sum == rig_stat(r, "machine.cycles") * slots);
    assert_true(rig_stat(r, "core.issued") ==
                rig_stat(r, "core.warp_instructions") + rig_stat(r, "core.issued_again"));
}

static inline void rig_free(struct rig *r)
{
    kernel_free(&r->k);
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})
