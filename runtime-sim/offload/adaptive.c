#include "runtime-sim/offload/adaptive.h"
#include <string.h>

void adaptive_init(struct adaptive *a, struct arena *arena, uint32_t chains,
                   const struct cache_config *l1)
{
    *a = (struct adaptive){.sets = (uint32_t)l1->sets, .ways = (uint32_t)l1->ways};
    a->chains = ARENA_ARRAY(arena, struct adaptive_chain, chains + 1);
    a->line = ARENA_ARRAY(arena, uint64_t, a->sets * a->ways);
    a->used = ARENA_ARRAY(arena, uint64_t, a->sets * a->ways);
    adaptive_flush(a);
}

void adaptive_doubt(struct adaptive *a, uint32_t chain)
{
    for (uint32_t i = 0; i < ADAPTIVE_KINDS; i++)
        a->chains[chain].kind[i] =
            (struct adaptive_counts){.saved = -1, .instances = ADAPTIVE_LEAST, .off = true};
}

void adaptive_flush(struct adaptive *a)
{
    memset(a->line, 0xff, (size_t)a->sets * a->ways * sizeof *a->line);
}

bool adaptive_load(struct adaptive *a, uint64_t line)
{
    uint32_t first = (uint32_t)(line % a->sets) * a->ways, oldest = first;
    for (uint32_t i = first; i < first + a->ways; i++) {
        if (a->line[i] == line) {
            a->used[i] = ++a->uses;
            return true;
        }
        if (a->line[oldest] != UINT64_MAX &&
            (a->line[i] == UINT64_MAX || a->used[i] < a->used[oldest]))
            oldest = i;
    }
    a->line[oldest] = line;
    a->used[oldest] = ++a->uses;
    return false;
}

bool adaptive_begins(struct adaptive *a, uint32_t chain, bool *probes)
{
    struct adaptive_chain *c = &a->chains[chain];
    *probes = false;
    if (!c->kind[ADAPTIVE_HERE].off && !c->kind[ADAPTIVE_MEET].off)
        return true;
    *probes = ++c->skipped % ADAPTIVE_PROBE == 0;
    return *probes || !c->kind[ADAPTIVE_HERE].off || !c->kind[ADAPTIVE_MEET].off;
}

bool adaptive_allows(const struct adaptive *a, uint32_t chain, enum adaptive_kind kind)
{
    return !a->chains[chain].kind[kind].off;
}

void adaptive_learn(struct adaptive *a, uint32_t chain, enum adaptive_kind kind, int64_t saved)
{
    struct adaptive_counts *counts = &a->chains[chain].kind[kind];
    counts->saved += saved - counts->saved / ADAPTIVE_MEMORY;
    counts->instances++;
    if (counts->instances >= ADAPTIVE_LEAST)
        counts->off = counts->saved < 0;
}
