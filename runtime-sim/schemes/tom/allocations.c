#include "runtime-sim/exec/memory/image.h"
#include "runtime-sim/schemes/tom/allocations.h"
#include "runtime-sim/schemes/tom/analyzer.h"
#include "support/search.h"
#include <stdlib.h>
#include <string.h>

// Returns the number of ranges that begin at or below the address.
static uint32_t count_below(const struct tom_allocations *table, uint64_t address)
{
    return SEARCH(i, 0, table->ranges.n, table->ranges.v[i].first <= address);
}

struct tom_range *tom_range_at(const struct tom_allocations *table, uint64_t address)
{
    uint32_t below = count_below(table, address);
    struct tom_range *range = below ? &table->ranges.v[below - 1] : NULL;
    return range && address <= range->last ? range : NULL;
}

bool tom_holds(const struct image *image, uint64_t address)
{
    uint32_t found = image_find(image, address);
    const struct allocation *at = found == UINT32_MAX ? NULL : &image->list.v[found];
    return at && at->state == ALLOCATION_LIVE && address - at->address < at->bytes;
}

static struct tom_range range_of(const struct allocation *from)
{
    return (struct tom_range){
        .first = from->address, .last = from->address + from->bytes - 1, .name = from->name};
}

struct tom_range *tom_range_add(struct tom_allocations *table, struct arena *arena,
                                const struct image *image, uint64_t address)
{
    struct tom_range range = range_of(&image->list.v[image_find(image, address)]);
    uint32_t at = count_below(table, range.first);
    vec_push(arena, &table->ranges, range);
    memmove(&table->ranges.v[at + 1], &table->ranges.v[at],
            (table->ranges.n - 1 - at) * sizeof range);
    table->ranges.v[at] = range;
    return &table->ranges.v[at];
}

static int by_use(const void *a, const void *b)
{
    const struct tom_range *x = a, *y = b;
    if (x->uses != y->uses)
        return x->uses < y->uses ? 1 : -1;
    return x->first < y->first ? -1 : 1;
}

static int by_address(const void *a, const void *b)
{
    const struct tom_range *x = a, *y = b;
    return x->first < y->first ? -1 : 1;
}

// Allocations for parameters and for grid barriers belong to a launch, not to the host.
static bool is_of_host(const struct allocation *at)
{
    return at->state == ALLOCATION_LIVE && !at->heap && strcmp(at->name, IMAGE_PARAMETERS) != 0 &&
           strcmp(at->name, IMAGE_WORKSPACE) != 0;
}

void tom_allocations_fill(struct tom_allocations *table, struct arena *arena,
                          const struct image *image, const struct tom_allocations *known,
                          uint32_t max)
{
    for (uint32_t i = 0; i < image->list.n; i++) {
        struct tom_range range = range_of(&image->list.v[i]);
        const struct tom_range *use = known ? tom_range_at(known, range.first) : NULL;
        range.uses = use ? use->uses : 0;
        if (is_of_host(&image->list.v[i]))
            vec_push(arena, &table->ranges, range);
    }
    if (table->ranges.n <= max)
        return;
    qsort(table->ranges.v, table->ranges.n, sizeof *table->ranges.v, by_use);
    for (uint32_t i = table->ranges.n; i-- > max;)
        vec_push(arena, &table->left_out, table->ranges.v[i].name);
    table->ranges.n = max;
    qsort(table->ranges.v, table->ranges.n, sizeof *table->ranges.v, by_address);
}

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
    uint32_t max = range_map_one(samples, table), bit = 0;
    struct tom_range *best = NULL;
    for (uint32_t i = 0; i < table->ranges.n; i++) {
        struct tom_range *range = &table->ranges.v[i];
        uint32_t before = range->bit;
        for (uint32_t pair = 0; range->candidate && pair < MAP_PAIRS; pair++) {
            range->bit = MAP_FIRST_BIT + pair;
            uint32_t one = range_map_one(samples, table);
            if (one <= max)
                continue;
            max = one;
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
