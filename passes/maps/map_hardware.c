#include "passes/maps/map_hardware.h"
#include <stdlib.h>

struct map_hardware map_hardware_initial(void)
{
    return (struct map_hardware){
#define CONFIG_UINT(name, unit, min, max, initial, source, text)                                   \
    .name = (uint32_t)strtoul(initial, NULL, 10),
#define CONFIG_CHOICE(name, ...) .name = 0,
#include "passes/maps/hardware.def"
#undef CONFIG_UINT
#undef CONFIG_CHOICE
    };
}

struct map_hardware map_hardware_of(const struct map_hardware *hardware, const struct map *map,
                                    uint32_t copies)
{
    struct map_hardware to = *hardware;
    uint32_t fifos = 0;
    for (uint32_t i = 0; i < map->nodes.n; i++)
        EACH_FIFO (at, &map->nodes.v[i])
            fifos += map->nodes.v[i].kind == MAP_CORE || at;
    if (!hardware->fifo_words || !fifos || !copies)
        return to;
    uint64_t each = hardware->fifo_words / ((uint64_t)fifos * copies);
    to.data_fifo = each ? (uint32_t)each : 1;
    return to;
}

uint32_t map_latency(const struct map_hardware *hardware, const struct map_node *node)
{
    if (node->kind != MAP_CORE)
        return hardware->lsu_latency + hardware->wire_latency;
    uint32_t latency = node->unit == MAP_SFU     ? hardware->latency_sfu
                       : node->operand_count > 2 ? hardware->latency_3
                                                 : hardware->latency_2;
    return latency + hardware->wire_latency;
}

uint32_t map_interval(const struct map_hardware *hardware, const struct map_node *node)
{
    return node->unit == MAP_SFU ? hardware->interval_sfu : 1;
}

uint32_t map_capacity(const struct map_hardware *hardware, const struct map_node *node, uint32_t at)
{
    return node->kind != MAP_CORE && !at ? hardware->address_fifo : hardware->data_fifo;
}

static const char *tokens_misfit(struct arena *arena, const struct map_hardware *hardware,
                                 const struct map_node *node)
{
    EACH_FIFO (at, node) {
        uint32_t tokens = map_tokens(node, at), entries = map_capacity(hardware, node, at);
        if (tokens > entries)
            return arena_printf(arena, "a FIFO of '%s' has %u initial tokens, but only %u entries",
                                node->name.text, tokens, entries);
    }
    return NULL;
}

const char *map_misfit(struct arena *arena, const struct map_hardware *hardware,
                       const struct map *map, uint32_t *node)
{
    struct map_counts counts = map_count(map);
    const struct {
        const char *what;
        uint32_t needs, room;
    } limits[] = {
        {"cores", counts.cores, hardware->cores},
        {"load-store units", counts.lsus, hardware->lsus},
        {"cores with special functions", counts.sfus, hardware->sfus},
    };
    *node = MAP_NO_NODE;
    for (uint32_t i = 0; i < ARRAY_LENGTH(limits); i++)
        if (limits[i].needs > limits[i].room)
            return arena_printf(arena, "the map needs %u %s, but there are %u", limits[i].needs,
                                limits[i].what, limits[i].room);
    for (*node = 0; *node < map->nodes.n; ++*node) {
        const char *fault = tokens_misfit(arena, hardware, &map->nodes.v[*node]);
        if (fault)
            return fault;
    }
    return NULL;
}
