// Makes the map of a graph. Each text is parsed once.
#include "passes/maps/compile_internal.h"
#include "passes/maps/map_read.h"
#include "passes/maps/map_scope.h"
#include <string.h>

struct map_making {
    struct map_compiler *c;
    struct map *map;
    VEC(const struct expr *) parsed; // by text
    const char *fault;               // the first one
};

static struct map_text plain(const char *text)
{
    return (struct map_text){.text = text, .length = (uint32_t)strlen(text)};
}

static struct map_text text_of(const struct map_making *m, uint32_t text)
{
    return text ? plain(graph_plain(m->c, text)) : (struct map_text){0};
}

static struct map_expr expr_of(struct map_making *m, uint32_t text)
{
    struct map_expr to = {.at = text_of(m, text)};
    struct expr_fault fault;
    while (m->parsed.n <= text)
        vec_push(m->c->arena, &m->parsed, NULL);
    if (!text || m->fault)
        return to;
    if (!m->parsed.v[text]) {
        m->parsed.v[text] = map_parse(m->c->arena, m->map, to.at.text, to.at.length, &fault);
        m->fault = m->parsed.v[text] ? NULL : fault.text;
    }
    to.expr = m->parsed.v[text];
    return to;
}

static const struct scalar *type_of(const struct map_text *text)
{
    return scalar_find(text->text ? text->text : "b32", text->text ? text->length : 3);
}

static struct map_operand make_operand(struct map_making *m, uint32_t node, uint32_t operand)
{
    const struct graph_operand *at = graph_operand_at(m->c, operand);
    struct map_operand to = {.from = graph_from(m->c, node, operand)};
    struct map_text type = text_of(m, at->type);
    if (to.from == MAP_NO_NODE) {
        to.constant = expr_of(m, at->value);
        to.type_text = type;
        to.type = at->type ? type_of(&type) : NULL;
        return to;
    }
    to.from_text = m->map->nodes.v[to.from].name;
    if (!at->count)
        return to;
    to.initial =
        (struct map_initial){.count = at->count, .type_text = type, .type = type_of(&type)};
    to.initial.kind = at->base ? MAP_WORDS : MAP_SERIES;
    to.initial.first = expr_of(m, at->first);
    to.initial.step = expr_of(m, at->step);
    to.initial.base = expr_of(m, at->base);
    to.initial.add = expr_of(m, at->add);
    return to;
}

static void make_operands(struct map_making *m, uint32_t number, struct map_node *to)
{
    const struct graph_node *node = graph_node_at(m->c, number);
    for (uint32_t i = 0; i < MAP_OPERANDS && node->in[i]; i++)
        to->operands[to->operand_count++] = make_operand(m, number, node->in[i]);
    if (node->imm)
        to->operands[to->operand_count++] =
            (struct map_operand){.from = MAP_NO_NODE, .constant = expr_of(m, node->imm)};
    if (node->in[0])
        return;
    map_make_increment(to, number);
    to->increment.start = expr_of(m, node->start);
    to->increment.step = expr_of(m, node->step);
}

static void make_node(struct map_making *m, uint32_t number)
{
    const struct graph_node *node = graph_node_at(m->c, number);
    struct map_node *to = &m->map->nodes.v[number];
    to->op = text_of(m, node->op);
    to->count = expr_of(m, graph_count(m->c, number));
    map_find_kind(to);
    to->base = expr_of(m, node->base);
    to->wait = expr_of(m, node->wait);
    to->off = expr_of(m, node->off);
    to->is_through = node->is_through;
    to->predicate.from = MAP_NO_NODE;
    if (node->predicate)
        to->predicate = make_operand(m, number, node->predicate);
    if (to->predicate.constant.expr && !m->fault)
        m->fault = "a predicate must not be a constant";
    make_operands(m, number, to);
}

static void make_results(struct map_making *m)
{
    for (uint32_t i = 0; i < m->c->results.n; i++) {
        const struct graph_result *from = &m->c->results.v[i];
        struct map_result to = {.name = plain(arena_printf(m->c->arena, "result%u", i))};
        if (!graph_reader(m->c, from->carried, &to.node, &to.operand)) {
            m->fault = m->fault ? m->fault : "no node has the value that is left at the end";
            return;
        }
        to.node_text = m->map->nodes.v[to.node].name;
        to.base = expr_of(m, from->base);
        to.step = expr_of(m, from->step);
        vec_push(m->c->arena, &m->map->results, to);
    }
}

static void make_head(struct map_making *m)
{
    struct map_compiler *c = m->c;
    const struct name *name = tree_name(c->module->tree, c->fn->name);
    m->map->name = m->map->kernel = plain(arena_strndup(c->arena, name->text, name->length));
    for (uint32_t i = 0; i < c->params; i++)
        vec_push(c->arena, &m->map->params, plain(arena_printf(c->arena, "p%u", i)));
    for (uint32_t i = 0; i < c->values.n; i++) {
        struct map_value value = {plain(c->values.v[i].name), expr_of(m, c->values.v[i].text)};
        vec_push(c->arena, &m->map->values, value);
    }
    for (uint32_t i = 0; i < c->requires.n; i++)
        vec_push(c->arena, &m->map->requires, expr_of(m, c->requires.v[i]));
    m->map->leave.kind = MAP_AT_END;
    m->map->groups = expr_of(m, c->map_groups);
    m->map->threads = expr_of(m, graph_text(c, "32"));
    m->map->activations = expr_of(m, c->activations);
    m->map->copies = expr_of(m, c->copies);
    m->map->is_ordered = c->is_ordered;
}

struct map *graph_map(struct map_compiler *c)
{
    struct map_making m = {.c = c, .map = ARENA_NEW(c->arena, struct map)};
    uint32_t nodes = c->nodes.names.n;
    struct diags diags;
    diags_init(&diags, c->arena);
    make_head(&m);
    if (!m.fault && nodes > MAP_NODES_MAX)
        m.fault = arena_printf(c->arena, "the map has more than %u nodes", MAP_NODES_MAX);
    for (uint32_t i = 0; i < nodes && !m.fault; i++) {
        struct map_node node = {.name = plain(arena_printf(c->arena, "n%u", i))};
        vec_push(c->arena, &m.map->nodes, node);
    }
    for (uint32_t i = 0; i < nodes && !m.fault; i++)
        make_node(&m, i);
    if (!m.fault)
        make_results(&m);
    if (!m.fault)
        map_check(c->arena, m.map, &diags);
    if (diags.list.n)
        m.fault = diags.list.v[0].message;
    if (!m.fault)
        return m.map;
    map_refuse(c, RULE_MAP_OPERATION, IR_NONE, "%s", m.fault);
    return NULL;
}
