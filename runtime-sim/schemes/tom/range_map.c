#include "runtime-sim/schemes/tom/range_map.h"
#include "runtime-sim/schemes/tom/analyzer.h"

uint32_t range_map_one(const struct map_samples *samples, const struct tom_allocations *table)
{
    uint32_t one = 0, at = 0;
    for (uint32_t i = 0; i < samples->ends.n; i++) {
        uint32_t touched = 0;
        for (; at < samples->ends.v[i]; at++) {
            const struct tom_range *range = tom_range_at(table, samples->lines.v[at]);
            if (range && range->candidate)
                touched |= 1U << (samples->lines.v[at] >> range->bit & (MAP_STACKS - 1));
        }
        one += touched && !(touched & (touched - 1));
    }
    return one;
}

// Applies the best change of one range's pair: the one under which the most instances touch one
// stack. Returns false if no change is an improvement.
static bool improve(const struct map_samples *samples, const struct tom_allocations *table)
{
    uint32_t most = range_map_one(samples, table), bit = 0;
    struct tom_range *best = NULL;
    for (uint32_t i = 0; i < table->ranges.n; i++) {
        struct tom_range *range = &table->ranges.v[i];
        uint32_t before = range->bit;
        for (uint32_t pair = 0; range->candidate && pair < MAP_PAIRS; pair++) {
            range->bit = MAP_FIRST_BIT + pair;
            uint32_t one = range_map_one(samples, table);
            if (one <= most)
                continue;
            most = one;
            best = range;
            bit = range->bit;
        }
        range->bit = before;
    }
    if (best)
        best->bit = bit;
    return best;
}

void range_map_choose(const struct map_samples *samples, struct tom_allocations *table,
                      uint32_t bit)
{
    for (uint32_t i = 0; i < table->ranges.n; i++)
        table->ranges.v[i].bit = bit;
    while (improve(samples, table))
        continue;
}
