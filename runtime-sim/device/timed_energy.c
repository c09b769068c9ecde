#include "runtime-sim/base/trace.h"
#include "runtime-sim/device/timed_run.h"
#include <string.h>

// Statistics

// Copies the list of groups, so that others can be added.
static struct stats *copy_of(const struct stats *stats, struct arena *arena)
{
    struct stats *copy = ARENA_NEW(arena, struct stats);
    stats_init(copy, arena);
    for (uint32_t i = 0; i < stats->groups.n; i++)
        vec_push(arena, &copy->groups, stats->groups.v[i]);
    return copy;
}

struct timed_stats timed_stats_with_energy(const struct timed *timed,
                                           const struct stats_mark *since, struct arena *arena)
{
    struct energy_result result;
    if (!energy_evaluate(&timed->energy, &timed->stats, since, arena, &result))
        return (struct timed_stats){&timed->stats, *since};
    struct stats *stats = copy_of(&timed->stats, arena);
    energy_stats_add(&result, stats);
    // Values of the added groups are counted from 0.
    struct stats_mark mark = stats_zero(stats, arena);
    memcpy(mark.values, since->values, stats_values(&timed->stats) * sizeof *mark.values);
    return (struct timed_stats){stats, mark};
}

struct timed_stats timed_stats_sample(const struct timed *timed, struct arena *arena)
{
    return timed_stats_with_energy(timed, &timed->sampled, arena);
}

void timed_name_energy(const struct timed_options *options, struct arena *arena,
                       struct stats *stats)
{
    struct energy_model model;
    struct energy_result result;
    machine_energy(&model, arena, options->config, false);
    if (energy_evaluate(&model, stats, NULL, arena, &result))
        energy_stats_add(&result, stats);
}

// Trace

void timed_trace_power_name(struct timed *timed)
{
    trace_process(timed->trace, TRACE_POWER, "power", 0);
}

static const char *watts_text(const struct energy_result *result, struct arena *arena)
{
    const char *text = "";
    for (uint32_t i = 0; i < result->components.n; i++)
        text =
            arena_printf(arena, "%s%s\"%s\":%.6g", text, i ? "," : "", result->components.v[i].name,
                         result->components.v[i].joules.value / result->seconds);
    return text;
}

void timed_trace_power(struct timed *timed, uint64_t cycle)
{
    struct arena own;
    struct energy_result result;
    arena_init(&own, timed->arena->memory);
    if (energy_evaluate(&timed->energy, &timed->stats, &timed->sampled, &own, &result) &&
        result.seconds > 0)
        trace_values(timed->trace, TRACE_POWER,
                     trace_microseconds(timed->power_from) - timed->trace->origin, "W",
                     watts_text(&result, &own));
    timed->power_from = cycle;
    arena_free(&own);
}
