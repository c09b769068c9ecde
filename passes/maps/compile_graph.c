// The graph of a map under construction. Texts, operands and nodes have dense ids; equal ones share
// an id, so that a common subexpression is one node.
#include "passes/maps/compile_internal.h"
#include <string.h>

void graph_init(struct map_compiler *c)
{
    c->texts = ARENA_NEW(c->arena, struct intern);
    c->operands = ARENA_NEW(c->arena, struct intern);
    intern_init(c->texts, c->arena);
    intern_init(c->operands, c->arena);
    c->count = graph_text(c, "count");
    c->count_before = graph_text(c, "count_before");
}

// Returns the id of these bytes, which are copied if they are new.
static uint32_t keep(struct map_compiler *c, struct intern *in, const void *bytes, size_t size)
{
    uint32_t known = intern_find(in, bytes, size);
    return known != UINT32_MAX
               ? known
               : intern_add(in, memcpy(arena_alloc(c->arena, size), bytes, size), size);
}

uint32_t graph_text(struct map_compiler *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(c->arena, format, args);
    va_end(args);
    return 1 + intern_add(c->texts, text, strlen(text));
}

uint32_t graph_quoted(struct map_compiler *c, const char *text)
{
    return graph_text(c, "\"%s\"", text);
}

const char *graph_plain(const struct map_compiler *c, uint32_t text)
{
    const struct name *name = &c->texts->names.v[text - 1];
    return *name->text == '"' ? arena_strndup(c->arena, name->text + 1, name->length - 2)
                              : name->text;
}

uint32_t graph_operand_add(struct map_compiler *c, const struct graph_operand *operand)
{
    return 1 + keep(c, c->operands, operand, sizeof *operand);
}

const struct graph_operand *graph_operand_at(const struct map_compiler *c, uint32_t operand)
{
    return (const void *)c->operands->names.v[operand - 1].text;
}

uint32_t graph_constant(struct map_compiler *c, uint32_t value)
{
    return graph_operand_add(c, &(struct graph_operand){.from = MAP_NO_NODE, .value = value});
}

bool graph_is_constant(const struct map_compiler *c, uint32_t operand)
{
    return graph_operand_at(c, operand)->from == MAP_NO_NODE;
}

uint32_t graph_node_add(struct map_compiler *c, const struct graph_node *node)
{
    uint32_t number = keep(c, &c->nodes, node, sizeof *node);
    return graph_operand_add(c, &(struct graph_operand){.from = number});
}

uint32_t graph_core(struct map_compiler *c, const char *op, uint32_t a, uint32_t b, uint32_t d)
{
    return graph_node_add(c, &(struct graph_node){.op = graph_text(c, "%s", op), .in = {a, b, d}});
}

uint32_t graph_not(struct map_compiler *c, uint32_t predicate)
{
    return graph_node_add(c, &(struct graph_node){.op = graph_text(c, "xor.b32"),
                                                  .in = {predicate},
                                                  .imm = graph_text(c, "1")});
}

const struct graph_node *graph_node_at(const struct map_compiler *c, uint32_t node)
{
    return (const void *)c->nodes.names.v[node].text;
}

// Returns the number of a carried value, or IR_NONE.
static uint32_t carried_of(const struct map_compiler *c, uint32_t operand)
{
    uint32_t from = operand ? graph_operand_at(c, operand)->from : MAP_NO_NODE;
    return from >= GRAPH_CARRIED && from < GRAPH_SELF ? from - GRAPH_CARRIED : IR_NONE;
}

uint32_t graph_from(const struct map_compiler *c, uint32_t node, uint32_t operand)
{
    uint32_t from = graph_operand_at(c, operand)->from, carried = carried_of(c, operand);
    if (carried != IR_NONE)
        return graph_operand_at(c, c->carried.v[carried].node)->from;
    return from == GRAPH_SELF ? node : from;
}

uint32_t graph_count(const struct map_compiler *c, uint32_t number)
{
    const struct graph_node *node = graph_node_at(c, number);
    bool carries = carried_of(c, node->predicate) != IR_NONE;
    for (uint32_t i = 0; i < MAP_OPERANDS; i++)
        carries |= carried_of(c, node->in[i]) != IR_NONE;
    if (node->count || !carries)
        return node->count;
    return number < c->before_nodes ? c->count_before : c->count;
}

bool graph_reader(const struct map_compiler *c, uint32_t carried, uint32_t *node, uint32_t *operand)
{
    for (*node = 0; *node < c->nodes.names.n; ++*node)
        for (*operand = 0; *operand < MAP_OPERANDS; ++*operand)
            if (carried_of(c, graph_node_at(c, *node)->in[*operand]) == carried)
                return true;
    return false;
}

void graph_value_add(struct map_compiler *c, const char *name, uint32_t text)
{
    vec_push(c->arena, &c->values, (struct graph_value){name, text});
}
