#include "passes/maps/map.h"
#include <string.h>

const struct map map_automatic;

void map_find_kind(struct map_node *node)
{
    static const struct {
        const char *text;
        enum map_kind kind;
    } kinds[] = {{"ld.", MAP_LOAD}, {"st.", MAP_STORE}, {"red.", MAP_REDUCE}};
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(node->op.text, kinds[i].text, strlen(kinds[i].text)))
            node->kind = (uint8_t)kinds[i].kind;
    if (node->kind == MAP_CORE)
        return;
    const char *type = strrchr(node->op.text, '.') + 1;
    node->type = scalar_find(type, strlen(type));
    node->is_shared = strstr(node->op.text, ".shared.");
    node->unit = MAP_LSU;
}

void map_make_increment(struct map_node *node, uint32_t self)
{
    enum { TOKENS = 8 };
    node->is_increment = true;
    node->operand_count = 2;
    node->operands[0] = (struct map_operand){.from = self, .from_text = node->name};
    node->operands[1] = (struct map_operand){.from = MAP_NO_NODE};
    node->increment.tokens = TOKENS;
}

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
    EACH_FIFO (at, node)
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
