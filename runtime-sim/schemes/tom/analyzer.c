#include "runtime-sim/schemes/tom/analyzer.h"

const struct stat_key map_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/tom/map_stats.def"
#define STATS_OF struct map_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t map_stat_key_count = sizeof map_stat_keys / sizeof *map_stat_keys;

// Rows of the pairs are consecutive members.
static uint64_t *row(uint64_t *first, uint32_t pair)
{
    return first + pair;
}

static uint32_t stack_of(uint64_t address, uint32_t pair)
{
    return address >> (MAP_FIRST_BIT + pair) & (MAP_STACKS - 1);
}

void map_note(struct map_stats *stats, struct map_instance *instance, uint64_t address,
              uint32_t stack)
{
    if (!instance->touched)
        instance->first = address;
    stats->accesses++;
    instance->base |= 1U << stack;
    for (uint32_t pair = 0; pair < MAP_PAIRS; pair++) {
        uint32_t here = stack_of(address, pair);
        instance->touched |= UINT64_C(1) << (MAP_STACKS * pair + here);
        *row(&stats->home_7, pair) += here == stack_of(instance->first, pair);
    }
}

void map_end(struct map_stats *stats, struct map_instance *instance)
{
    if (instance->touched) {
        stats->instances++;
        stats->one_base += !(instance->base & (instance->base - 1));
    }
    for (uint32_t pair = 0; instance->touched && pair < MAP_PAIRS; pair++) {
        uint32_t set = instance->touched >> (MAP_STACKS * pair) & ((1U << MAP_STACKS) - 1);
        *row(&stats->one_7, pair) += !(set & (set - 1));
        *row(&stats->stacks_7, pair) += (uint64_t)__builtin_popcount(set);
    }
    *instance = (struct map_instance){0};
}

void map_choose(struct map_stats *stats)
{
    uint32_t best = 0;
    for (uint32_t pair = 1; pair < MAP_PAIRS; pair++) {
        uint64_t one = *row(&stats->one_7, pair), most = *row(&stats->one_7, best);
        if (one > most || (one == most && *row(&stats->home_7, pair) > *row(&stats->home_7, best)))
            best = pair;
    }
    stats->best_bit = stats->instances ? MAP_FIRST_BIT + best : 0;
}
