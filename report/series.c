// Collects counts per interval of a run, with a bounded number of intervals.
#include "report/sim_report.h"
#include <string.h>

static const char *const counters[] = {
    "machine.thread_instructions",
    "dram.data_clocks",
    "llc.port_clocks",
    "request.noc_link",
    "reply.noc_link",
    "memory.latency_sum",
    "memory.data_answers",
};

static void add_stalls(struct sim_collector *c)
{
    const struct stats *stats = &c->timed->stats;
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        for (uint32_t k = 0; !strcmp(group->name, "core") && k < group->count; k++)
            if (!strcmp(group->keys[k].name, "issued") ||
                !strncmp(group->keys[k].name, "stall_", 6))
                vec_push(c->arena, &c->series.names,
                         arena_printf(c->arena, "core.%s", group->keys[k].name));
    }
}

void sim_collect_begin(struct sim_collector *c, struct timed *timed, struct arena *arena,
                       bool fixed)
{
    *c = (struct sim_collector){.timed = timed, .arena = arena, .fixed = fixed};
    for (size_t i = 0; i < ARRAY_LENGTH(counters); i++)
        vec_push(arena, &c->series.names, counters[i]);
    add_stalls(c);
}

static void merge_pairs(struct sim_collector *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->series.samples.n; i += 2) {
        struct sim_sample *to = &c->series.samples.v[kept++];
        *to = c->series.samples.v[i];
        if (i + 1 == c->series.samples.n)
            break;
        const struct sim_sample *from = &c->series.samples.v[i + 1];
        to->ended = from->ended;
        for (uint32_t k = 0; k < c->series.names.n; k++)
            to->values[k] += from->values[k];
    }
    c->series.samples.n = kept;
    if (!c->fixed)
        timed_set_interval(c->timed, c->timed->interval * 2);
}

void sim_collect(struct sim_collector *c, uint64_t cycle)
{
    struct sim_sample sample = {(double)c->last, (double)cycle,
                                ARENA_ARRAY(c->arena, double, c->series.names.n)};
    for (uint32_t i = 0; i < c->series.names.n; i++)
        stats_find(&c->timed->stats, &c->timed->sampled, c->series.names.v[i], &sample.values[i]);
    c->last = cycle;
    vec_push(c->arena, &c->series.samples, sample);
    if (c->series.samples.n == SIM_SAMPLES)
        merge_pairs(c);
}
