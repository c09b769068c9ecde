#include "runtime-sim/schemes/tom/range_map.h"
#include "runtime-sim/schemes/tom/analyzer.h"

enum { ROUNDS = 3 };

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

// Returns true if a better pair was found.
static bool improve(const struct map_samples *samples, const struct tom_allocations *table,
                    struct tom_range *range, uint32_t *most)
{
    uint32_t best = range->bit, before = *most;
    for (uint32_t pair = 0; pair < MAP_PAIRS; pair++) {
        range->bit = MAP_FIRST_BIT + pair;
        uint32_t one = range_map_one(samples, table);
        if (one <= *most)
            continue;
        *most = one;
        best = range->bit;
    }
    range->bit = best;
    return *most > before;
}

void range_map_choose(const struct map_samples *samples, struct tom_allocations *table,
                      uint32_t bit)
{
    bool better = true;
    for (uint32_t i = 0; i < table->ranges.n; i++)
        table->ranges.v[i].bit = bit;
    uint32_t most = range_map_one(samples, table);
    for (uint32_t round = 0; round < ROUNDS && better; round++) {
        better = false;
        for (uint32_t i = 0; i < table->ranges.n; i++)
            if (table->ranges.v[i].candidate)
                better |= improve(samples, table, &table->ranges.v[i], &most);
    }
}
