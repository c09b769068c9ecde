// Statistics of the whole machine.
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include <string.h>

static void add_all(uint64_t *to, const void *from, size_t bytes)
{
    const uint64_t *values = from;
    for (size_t i = 0; i < bytes / sizeof *values; i++)
        to[i] += values[i];
}

static void add_cores(struct machine *machine, struct machine_kind *kind)
{
    memset(&kind->totals, 0, sizeof kind->totals);
    memset(&kind->l1_totals, 0, sizeof kind->l1_totals);
    for (uint32_t i = kind->first; i < kind->first + kind->count; i++) {
        core_settle(&machine->cores[i], machine->now);
        add_all((uint64_t *)&kind->totals, &machine->cores[i].stats, sizeof kind->totals);
        add_all((uint64_t *)&kind->l1_totals, &machine->cores[i].l1.stats, sizeof kind->l1_totals);
    }
}

void machine_refresh(struct machine *machine)
{
    struct core_stats *cores = &machine->core_totals;
    struct cache_stats *l1 = &machine->l1_totals;
    memset(cores, 0, sizeof *cores);
    memset(l1, 0, sizeof *l1);
    for (uint32_t i = 0; i < machine->kind_count; i++) {
        struct machine_kind *kind = &machine->kinds[i];
        add_cores(machine, kind);
        add_all((uint64_t *)cores, &kind->totals, sizeof *cores);
        add_all((uint64_t *)l1, &kind->l1_totals, sizeof *l1);
    }
    struct machine_totals *totals = &machine->totals;
    totals->cycles = machine->run.cycles_before + machine->now - machine->run.begun;
    totals->warp_instructions = cores->warp_instructions;
    totals->thread_instructions = cores->thread_instructions;
    totals->from_l1 = l1->read_hits;
    totals->from_l1_merge = l1->read_merged;
    totals->l1_requests = l1->reads + cores->direct_loads;
    memsys_stats_refresh(machine->shared.memsys);
    EACH_SCHEME (scheme, machine, report.settle)
        scheme->ops->report.settle(machine, scheme->state);
}

const struct stat_key *machine_site_keys(const struct machine *machine, struct arena *arena,
                                         uint32_t *count)
{
    return core_site_stat_keys(&machine->shared, arena, count);
}

void machine_stats_add(struct machine *machine, struct stats *stats)
{
    static const struct stat_key keys[] = {
#define STATS_DEF "runtime-sim/gpu/machine/machine_stats.def"
#define STATS_OF struct machine_totals
#include "runtime-sim/base/stats_keys.inc"
    };
    const struct core_shared *shared = &machine->shared;
    stats_add(stats, "machine", keys, ARRAY_LENGTH(keys), &machine->totals);
    stats_add(stats, "core", shared->stat_keys, shared->stat_key_count, &machine->core_totals);
    stats_add(stats, "l1", cache_stat_keys, cache_stat_key_count, &machine->l1_totals);
    for (uint32_t i = 1; i < machine->kind_count; i++) {
        struct machine_kind *kind = &machine->kinds[i];
        const char *l1 = arena_printf(machine->arena, "%s_l1", kind->kind.name);
        stats_add(stats, kind->kind.name, shared->stat_keys, shared->stat_key_count, &kind->totals);
        stats_add(stats, l1, cache_stat_keys, cache_stat_key_count, &kind->l1_totals);
    }
    memsys_stats_add(machine->shared.memsys, stats);
    EACH_SCHEME (scheme, machine, report.add_stats)
        scheme->ops->report.add_stats(scheme->state, stats);
    for (uint32_t i = 0; i < machine->count; i++) {
        const char *name = arena_printf(machine->arena, "core%u", i);
        stats_add_member(stats, "core*", name, shared->stat_keys, shared->stat_key_count,
                         &machine->cores[i].stats);
        name = arena_printf(machine->arena, "l1_%u", i);
        stats_add_member(stats, "l1_*", name, cache_stat_keys, cache_stat_key_count,
                         &machine->cores[i].l1.stats);
    }
}

void machine_each_item(const struct machine *machine, struct arena *arena,
                       machine_item_function *function, void *context)
{
    EACH_SCHEME (scheme, machine, report.add_items) {
        struct scheme_items items = {0};
        scheme->ops->report.add_items(machine, scheme->state, arena, &items);
        for (uint32_t i = 0; i < items.list.n; i++)
            function(context, &items.list.v[i], scheme->ops->report.item_rows);
    }
}

void machine_add_resources(const struct machine *machine, struct arena *arena,
                           struct scheme_resources *to)
{
    EACH_SCHEME (scheme, machine, report.add_resources)
        scheme->ops->report.add_resources(machine, scheme->state, arena, to);
}

const struct noc *machine_network(const struct machine *machine, enum memsys_network network)
{
    return memsys_noc(machine->shared.memsys, network);
}

const char *machine_shortfall(const struct machine *machine, struct arena *arena)
{
    EACH_SCHEME (scheme, machine, report.shortfall) {
        const char *text = scheme->ops->report.shortfall(machine, scheme->state, arena);
        if (text)
            return arena_printf(arena, "policy %s: %s", machine_policy(arena, machine->config),
                                text);
    }
    return NULL;
}

void machine_write_notes(const struct machine *machine, FILE *to)
{
    EACH_SCHEME (scheme, machine, report.write_notes)
        scheme->ops->report.write_notes(machine, scheme->state, to);
}

// A machine without a program has all statistics of one with a program, except those of schemes
// that read a plan.
void machine_stats_name(struct arena *arena, const struct machine_config *config,
                        struct stats *stats)
{
    struct program *none = ARENA_NEW(arena, struct program);
    struct ir_module *module = ARENA_NEW(arena, struct ir_module);
    *module = (struct ir_module){.arena = arena};
    *none = (struct program){.arena = arena, .module = module};
    machine_stats_add(machine_new(arena, machine_as_planned(arena, config), none), stats);
    for (uint32_t i = 0; i < machine_scheme_count(config); i++) {
        const struct scheme_ops *ops = config->schemes[i];
        if (ops->configuration.read_plan && ops->report.add_stats && machine_enables(config, i))
            ops->report.add_stats(NULL, stats);
    }
}
