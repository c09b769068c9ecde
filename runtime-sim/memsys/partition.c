#include "runtime-sim/memsys/partition.h"
#include "runtime-sim/base/ipoly.h"
#include "support/search.h"
#include <assert.h>

bool partition_is_good(const struct partition_range *r)
{
    return r->first <= r->last && r->count && r->chunk &&
           (r->rule != PARTITION_XOR || !(r->count & (r->count - 1)));
}

void partition_init(struct partition_map *map, struct arena *arena,
                    const struct partition_range *all)
{
    struct partition_range whole = *all;
    whole.first = 0;
    whole.last = UINT64_MAX;
    assert(partition_is_good(&whole));
    *map = (struct partition_map){.arena = arena};
    vec_push(arena, &map->ranges, whole);
}

static void keep(struct partition_map *to, const struct partition_range *range, uint64_t first,
                 uint64_t last)
{
    struct partition_range part = *range;
    part.first = first;
    part.last = last;
    vec_push(to->arena, &to->ranges, part);
}

void partition_replace(struct partition_map *map, const struct partition_range *range)
{
    struct partition_map made = {.arena = map->arena};
    assert(partition_is_good(range));
    for (uint32_t i = 0; i < map->ranges.n; i++) {
        const struct partition_range *old = &map->ranges.v[i];
        if (old->first < range->first)
            keep(&made, old, old->first, old->last < range->first ? old->last : range->first - 1);
        if (range->first >= old->first && range->first <= old->last)
            keep(&made, range, range->first, range->last);
        if (old->last > range->last)
            keep(&made, old, old->first > range->last ? old->first : range->last + 1, old->last);
    }
    *map = made;
}

const struct partition_range *partition_range_of(const struct partition_map *map, uint64_t address)
{
    uint32_t low = SEARCH(i, 0, map->ranges.n - 1, map->ranges.v[i].last < address);
    return &map->ranges.v[low];
}

// XORs the lowest part of a chunk's number, or the partition, with the other parts.
static uint64_t mix(const struct partition_range *r, uint64_t lowest, uint64_t rest)
{
    if (r->rule == PARTITION_XOR && r->count > 1)
        for (; rest; rest /= r->count)
            lowest ^= rest % r->count;
    return lowest;
}

uint32_t partition_of(const struct partition_map *map, uint64_t address)
{
    const struct partition_range *r = partition_range_of(map, address);
    uint64_t chunk = address / r->chunk;
    if (r->rule == PARTITION_IPOLY)
        return ipoly_place(r->count, chunk);
    return (uint32_t)mix(r, chunk % r->count, chunk / r->count);
}

uint64_t partition_address(const struct partition_range *r, uint32_t partition, uint64_t local)
{
    uint64_t rest = local / r->chunk;
    uint64_t lowest = r->rule == PARTITION_IPOLY ? ipoly_remainder(r->count, partition, rest)
                                                 : mix(r, partition, rest);
    return (rest * r->count + lowest) * r->chunk + local % r->chunk;
}

uint64_t partition_local(const struct partition_map *map, uint64_t address)
{
    const struct partition_range *r = partition_range_of(map, address);
    return address / r->chunk / r->count * r->chunk + address % r->chunk;
}
