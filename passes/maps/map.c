#include "passes/maps/map.h"

const struct map map_automatic;

bool map_is_fifo(const struct map_operand *operand)
{
    return operand->from != MAP_NO_NODE;
}

const struct map_operand *map_operand(const struct map_node *node, uint32_t at)
{
    static const struct map_operand none = {.from = MAP_NO_NODE};
    if (at == MAP_OPERANDS)
        return &node->predicate;
    return at < node->operand_count ? &node->operands[at] : &none;
}

uint32_t map_tokens(const struct map_node *node, uint32_t at)
{
    return node->is_increment ? node->increment.tokens : map_operand(node, at)->initial.count;
}

uint32_t map_fifos(const struct map_node *node)
{
    uint32_t count = 0;
    EACH_FIFO(at, node)
    count++;
    return count;
}

struct map_counts map_count(const struct map *map)
{
    struct map_counts counts = {0};
    for (uint32_t i = 0; i < map->nodes.n; i++) {
        const struct map_node *node = &map->nodes.v[i];
        counts.cores += node->kind == MAP_CORE;
        counts.lsus += node->kind != MAP_CORE;
        counts.sfus += node->unit == MAP_SFU;
    }
    return counts;
}
