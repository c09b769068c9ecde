// The L1 of the mode: tags with LRU replacement.
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <string.h>

void spatial_lines_init(struct spatial_lines *lines, struct arena *arena,
                        const struct spatial_config *config, uint32_t line_bytes)
{
    uint32_t count = config->l1_kib * 1024 / line_bytes;
    uint32_t ways = config->l1_ways < count ? config->l1_ways : count;
    *lines = (struct spatial_lines){.sets = count / ways, .ways = ways, .max = config->mshrs};
    count = lines->sets * ways;
    lines->line = ARENA_ARRAY(arena, uint64_t, count);
    lines->used = ARENA_ARRAY(arena, uint64_t, count);
    lines->state = ARENA_ARRAY(arena, uint8_t, count);
    lines->prefetched = ARENA_ARRAY(arena, bool, count);
    lines->fresh = ARENA_ARRAY(arena, bool, count);
}

static uint32_t first_way(const struct spatial_lines *lines, uint64_t line)
{
    return (uint32_t)(line % lines->sets) * lines->ways;
}

uint32_t spatial_lines_find(const struct spatial_lines *lines, uint64_t line)
{
    uint32_t first = first_way(lines, line);
    for (uint32_t i = first; i < first + lines->ways; i++)
        if (lines->state[i] != LINE_ABSENT && lines->line[i] == line)
            return i;
    return SPATIAL_NONE;
}

uint32_t spatial_lines_allocate(struct spatial_lines *lines, uint64_t line, bool *unused)
{
    uint32_t first = first_way(lines, line), oldest = SPATIAL_NONE;
    *unused = false;
    for (uint32_t i = first; lines->coming < lines->max && i < first + lines->ways; i++) {
        if (lines->state[i] == LINE_COMING || lines->fresh[i])
            continue;
        if (oldest == SPATIAL_NONE || lines->state[i] == LINE_ABSENT ||
            (lines->state[oldest] != LINE_ABSENT && lines->used[i] < lines->used[oldest]))
            oldest = i;
    }
    if (oldest == SPATIAL_NONE)
        return SPATIAL_NONE;
    *unused = lines->state[oldest] == LINE_PRESENT && lines->prefetched[oldest];
    lines->line[oldest] = line;
    lines->state[oldest] = LINE_COMING;
    lines->used[oldest] = ++lines->uses;
    lines->prefetched[oldest] = false;
    lines->coming++;
    return oldest;
}

void spatial_lines_arrive(struct spatial_lines *lines, uint32_t place)
{
    lines->state[place] = LINE_PRESENT;
    lines->coming--;
    lines->fresh[place] = true;
    lines->fresh_count++;
}

bool spatial_lines_seen(struct spatial_lines *lines)
{
    if (!lines->fresh_count)
        return false;
    lines->fresh_count = 0;
    memset(lines->fresh, 0, lines->sets * lines->ways * sizeof *lines->fresh);
    return true;
}

uint32_t spatial_lines_forget(struct spatial_lines *lines)
{
    uint32_t unused = 0;
    for (uint32_t i = 0; i < lines->sets * lines->ways; i++) {
        unused += lines->state[i] != LINE_ABSENT && lines->prefetched[i];
        lines->prefetched[i] = false;
        if (lines->state[i] == LINE_PRESENT)
            lines->state[i] = LINE_ABSENT;
    }
    return unused;
}
