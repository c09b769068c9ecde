// Reads the nodes of a map: operands, initial tokens, memory.
#include "passes/maps/map_reading.h"
#include <string.h>

// Returns the type of words in memory; b32 if `node` is NULL.
static const struct scalar *parse_type(struct map_reading *r, const struct yaml_node *node)
{
    const struct scalar *type = scalar_find(node ? node->text : "b32", node ? node->length : 3);
    if (type && type->bytes <= 4 && (type->class != SCALAR_FLOAT || type->bytes == 4))
        return type;
    map_read_fault(r, node, "'%s' is not a type of 8, 16 or 32 bits", node->text);
    return scalar_find("b32", 3);
}

static void parse_initial(struct map_reading *r, const struct yaml_node *node,
                          struct map_initial *to)
{
    const struct yaml_node *of[MAP_KEYS];
    if (!node)
        return;
    if (node->kind == YAML_SEQUENCE) {
        to->kind = MAP_LIST;
        to->count = node->count;
        to->list = ARENA_ARRAY(r->arena, struct map_expr, node->count);
        for (uint32_t i = 0; i < node->count; i++)
            to->list[i] = map_read_expr(r, yaml_at(&r->document, node->items[i]));
        return;
    }
    if (!yaml_keys_read(&map_keys, CONTEXT_INITIAL, &r->document, node, of, r->diags))
        return;
    to->count = map_read_number(r, of[KEY_INITIAL_count], MAX_TOKENS, 0);
    to->first = map_read_expr(r, of[KEY_INITIAL_first]);
    to->step = map_read_expr(r, of[KEY_INITIAL_step]);
    to->base = map_read_expr(r, of[KEY_INITIAL_base]);
    to->add = map_read_expr(r, of[KEY_INITIAL_add]);
    to->kind = of[KEY_INITIAL_base] ? MAP_WORDS : MAP_SERIES;
    to->type_text = map_text_of(of[KEY_INITIAL_type]);
    to->type = parse_type(r, of[KEY_INITIAL_type]);
}

// Reads an operand: a name, or a mapping with `from`, `value` or `load`.
static struct map_operand parse_operand(struct map_reading *r, const struct yaml_node *node)
{
    const struct yaml_node *of[MAP_KEYS];
    struct map_operand to = {.from = MAP_NO_NODE};
    if (node->kind == YAML_SCALAR) {
        to.from_text = map_text_of(node);
        to.from = map_read_reference(r, &to.from_text);
        return to;
    }
    if (!yaml_keys_read(&map_keys, CONTEXT_OPERAND, &r->document, node, of, r->diags))
        return to;
    to.constant =
        map_read_expr(r, of[KEY_OPERAND_load] ? of[KEY_OPERAND_load] : of[KEY_OPERAND_value]);
    to.type_text = map_text_of(of[KEY_OPERAND_type]);
    to.type = of[KEY_OPERAND_load] ? parse_type(r, of[KEY_OPERAND_type]) : NULL;
    if (of[KEY_OPERAND_from]) {
        to.from_text = map_text_of(of[KEY_OPERAND_from]);
        to.from = map_read_reference(r, &to.from_text);
        parse_initial(r, of[KEY_OPERAND_initial], &to.initial);
    }
    return to;
}

static void add_operand(struct map_reading *r, struct map_node *node, const struct yaml_node *at,
                        struct map_operand operand)
{
    if (node->operand_count == MAP_OPERANDS)
        map_read_fault(r, at, "'%s' has more than %u operands", node->name.text,
                       (uint32_t)MAP_OPERANDS);
    else
        node->operands[node->operand_count++] = operand;
}

static void parse_operands(struct map_reading *r, struct map_node *node)
{
    const struct yaml_node *list = r->of[KEY_NODE_in], *imm = r->of[KEY_NODE_imm];
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *item = yaml_at(&r->document, list->items[i]);
        add_operand(r, node, item, parse_operand(r, item));
    }
    if (imm)
        add_operand(r, node, imm,
                    (struct map_operand){.from = MAP_NO_NODE, .constant = map_read_expr(r, imm)});
}

static void parse_predicate(struct map_reading *r, struct map_node *node)
{
    const struct yaml_node *when = r->of[KEY_NODE_predicate], *unless = r->of[KEY_NODE_unless];
    node->predicate.from = MAP_NO_NODE;
    node->negated = unless;
    if (when || unless)
        node->predicate = parse_operand(r, when ? when : unless);
    if ((when || unless) && node->predicate.from == MAP_NO_NODE && node->predicate.constant.expr)
        map_read_fault(r, when ? when : unless, "a predicate must not be a constant");
}

static void parse_increment(struct map_reading *r, struct map_node *node, uint32_t self)
{
    static const struct {
        enum map_key key;
        const char *name;
    } others[] = {{KEY_NODE_in, "in"}, {KEY_NODE_imm, "imm"}};
    for (uint32_t i = 0; i < 2; i++)
        if (r->of[others[i].key])
            map_read_fault(r, r->of[others[i].key], "an increment cannot have '%s'",
                           others[i].name);
    map_make_increment(node, self);
    node->increment = (struct map_increment){
        .start = map_read_expr(r, r->of[KEY_NODE_start]),
        .step = map_read_expr(r, r->of[KEY_NODE_step]),
        .tokens = map_read_number(r, r->of[KEY_NODE_tokens], MAX_TOKENS, node->increment.tokens)};
    if (!node->increment.tokens)
        map_read_fault(r, r->of[KEY_NODE_tokens], "an increment must have at least one token");
}

static void parse_memory(struct map_reading *r, struct map_node *node)
{
    static const enum map_key keys[] = {KEY_NODE_base, KEY_NODE_offset, KEY_NODE_wait, KEY_NODE_off,
                                        KEY_NODE_through};
    for (uint32_t i = 0; node->kind == MAP_CORE && i < ARRAY_LENGTH(keys); i++)
        if (r->of[keys[i]])
            map_read_fault(r, r->of[keys[i]], "'%s' is not a memory node and cannot have '%s'",
                           node->name.text, map_keys.keys[keys[i]].name);
    node->base = map_read_expr(r, r->of[KEY_NODE_base]);
    node->offset = map_read_expr(r, r->of[KEY_NODE_offset]);
    node->wait = map_read_expr(r, r->of[KEY_NODE_wait]);
    node->off = map_read_expr(r, r->of[KEY_NODE_off]);
    node->is_through = map_read_flag(r, r->of[KEY_NODE_through]);
}

static void parse_node(struct map_reading *r, uint32_t self, const struct yaml_node *mapping)
{
    struct map_node *node = &r->map->nodes.v[self];
    if (!yaml_keys_read(&map_keys, CONTEXT_NODE, &r->document, mapping, r->of, r->diags))
        return;
    node->op = map_text_of(r->of[KEY_NODE_op]);
    node->count = map_read_expr(r, r->of[KEY_NODE_count]);
    map_find_kind(node);
    parse_memory(r, node);
    parse_predicate(r, node);
    if (!strcmp(node->op.text, "increment")) {
        parse_increment(r, node, self);
        return;
    }
    static const enum map_key keys[] = {KEY_NODE_start, KEY_NODE_step, KEY_NODE_tokens};
    for (uint32_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (r->of[keys[i]])
            map_read_fault(r, r->of[keys[i]], "'%s' is not an increment and cannot have '%s'",
                           node->name.text, map_keys.keys[keys[i]].name);
    parse_operands(r, node);
}

void map_read_nodes(struct map_reading *r, const struct yaml_node *nodes)
{
    for (uint32_t i = 0; i < r->map->nodes.n; i++)
        parse_node(r, i, yaml_at(&r->document, nodes->items[i * 2 + 1]));
}
