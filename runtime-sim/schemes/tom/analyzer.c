#include "runtime-sim/schemes/tom/analyzer.h"

const struct stat_key map_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/tom/map_stats.def"
#define STATS_OF struct map_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t map_stat_key_count = ARRAY_LENGTH(map_stat_keys);

// Returns the counter of a pair. The counters of all pairs are consecutive members.
static uint64_t *row(uint64_t *first, uint32_t pair)
{
    return first + pair;
}

static uint64_t pair_value(const uint64_t *first, uint32_t pair)
{
    return first[pair];
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

static bool is_better(const struct map_stats *stats, enum map_metric metric, uint32_t pair,
                      uint32_t than)
{
    uint64_t one = pair_value(&stats->one_7, pair), other = pair_value(&stats->one_7, than);
    if (metric == MAP_FEWEST)
        return pair_value(&stats->stacks_7, pair) < pair_value(&stats->stacks_7, than);
    if (metric == MAP_ONE && one != other)
        return one > other;
    return pair_value(&stats->home_7, pair) > pair_value(&stats->home_7, than);
}

uint32_t map_best(const struct map_stats *stats, enum map_metric metric)
{
    uint32_t best = 0;
    for (uint32_t pair = 1; pair < MAP_PAIRS; pair++)
        if (is_better(stats, metric, pair, best))
            best = pair;
    return stats->instances ? MAP_FIRST_BIT + best : 0;
}

uint64_t map_one(const struct map_stats *stats, uint32_t bit)
{
    return bit ? pair_value(&stats->one_7, bit - MAP_FIRST_BIT) : 0;
}

void map_settle(struct map_stats *stats, enum map_metric metric, uint32_t chosen)
{
    stats->best_bit = map_best(stats, metric);
    stats->best_bit_one = map_best(stats, MAP_ONE);
    stats->best_bit_stacks = map_best(stats, MAP_FEWEST);
    stats->best_bit_home = map_best(stats, MAP_HOME);
    stats->chosen_bit = chosen;
    stats->one_best = map_one(stats, stats->best_bit);
    stats->one_chosen = map_one(stats, chosen);
}
