#include "passes/maps/map_read.h"
#include "passes/maps/map_reading.h"
#include "passes/maps/map_scope.h"
#include "support/nearest.h"
#include <stdarg.h>
#include <string.h>

static const struct yaml_key rows[MAP_KEYS] = {
#define MAP_KEY(context, key, form, needed, text)                                                  \
    [KEY_##context##_##key] = {CONTEXT_##context, #context, #key, form, needed, text},
#include "passes/maps/keys.def"
#undef MAP_KEY
};

static const char *const contexts[CONTEXTS] = {
    [CONTEXT_MAP] = "the map",        [CONTEXT_NODE] = "a node",
    [CONTEXT_OPERAND] = "an operand", [CONTEXT_INITIAL] = "`initial`",
    [CONTEXT_RESULT] = "a result",
};

static const struct yaml_rule rules[] = {
    {CONTEXT_NODE, YAML_AT_MOST_ONE, "predicate unless",
     "'predicate' and 'unless' exclude each other"},
    {CONTEXT_OPERAND, YAML_ONE_OF, "from value load",
     "an operand must have one of 'from', 'value' and 'load'"},
    {CONTEXT_OPERAND, YAML_NEEDS, "from initial", "a constant cannot have initial tokens"},
    {CONTEXT_INITIAL, YAML_AT_MOST_ONE, "base first", "'first' and 'base' exclude each other"},
    {CONTEXT_INITIAL, YAML_NEEDS, "base add", "'add' needs 'base'"},
    {CONTEXT_RESULT, YAML_ONE_OF, "register base",
     "a result must have either 'register' or 'base'"},
};

static void report(struct diags *diags, uint32_t begin, uint32_t end, const char *text)
{
    diag_add(diags, DIAG_ERROR, "map", begin, end, "%s", text);
}

const struct yaml_keys map_keys = {rows,  MAP_KEYS, contexts, CONTEXTS, rules, ARRAY_LENGTH(rules),
                                   report};

void map_read_fault(struct map_reading *r, const struct yaml_node *at, const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report(r->diags, at->begin, at->end, text);
}

// Values

struct map_text map_text_of(const struct yaml_node *node)
{
    if (!node || node->kind != YAML_SCALAR)
        return (struct map_text){0};
    return (struct map_text){node->text, node->length, node->begin, node->end};
}

struct map_expr map_read_expr(struct map_reading *r, const struct yaml_node *node)
{
    struct map_expr to = {map_text_of(node), NULL};
    struct expr_fault fault;
    if (!node)
        return to;
    if (node->kind != YAML_SCALAR || !node->length) {
        map_read_fault(r, node, "an expression must be one value");
        return (struct map_expr){0};
    }
    to.expr = map_parse(r->arena, r->map, node->text, node->length, &fault);
    if (to.expr)
        return to;
    uint32_t begin = node->begin, end = node->end;
    if (node->inner != NO_OFFSET && fault.end <= node->length) {
        begin = node->inner + fault.begin;
        end = node->inner + fault.end;
    }
    report(r->diags, begin, end, fault.text);
    return (struct map_expr){0};
}

bool map_read_flag(struct map_reading *r, const struct yaml_node *node)
{
    bool yes = node && !strcmp(node->text, "true");
    if (node && !yes && strcmp(node->text, "false"))
        map_read_fault(r, node, "expected true or false, not '%s'", node->text);
    return yes;
}

uint32_t map_read_number(struct map_reading *r, const struct yaml_node *node, uint32_t max,
                         uint32_t initial)
{
    uint64_t value = 0;
    if (!node)
        return initial;
    bool good = node->length && node->length < 10;
    for (uint32_t i = 0; good && i < node->length; i++) {
        good = node->text[i] >= '0' && node->text[i] <= '9';
        value = value * 10 + (uint64_t)(node->text[i] - '0');
    }
    if (good && value <= max)
        return (uint32_t)value;
    map_read_fault(r, node, "'%s' is not a whole number from 0 to %u", node->text, max);
    return initial;
}

uint32_t map_read_reference(struct map_reading *r, const struct map_text *name)
{
    struct nearest nearest;
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < r->map->nodes.n; i++) {
        const struct map_text *known = &r->map->nodes.v[i].name;
        if (!strcmp(known->text, name->text))
            return i;
        nearest_offer(&nearest, known->text, known->length);
    }
    diag_add(r->diags, DIAG_ERROR, "map", name->begin, name->end,
             nearest.best ? "unknown node '%s'; did you mean '%s'?" : "unknown node '%s'",
             name->text, nearest.best);
    return MAP_NO_NODE;
}

// Parts of the map

static bool is_name(const struct yaml_node *node)
{
    bool good = node->kind == YAML_SCALAR && node->length;
    for (uint32_t i = 0; good && i < node->length; i++) {
        char c = node->text[i];
        good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
               (i && c >= '0' && c <= '9');
    }
    return good;
}

// Returns false with an error if the node is not a new name.
static bool parse_name(struct map_reading *r, const struct yaml_node *node)
{
    if (!is_name(node)) {
        map_read_fault(r, node,
                       "a name must consist of letters, digits and '_', and not begin "
                       "with a digit");
        return false;
    }
    if (map_knows(r->map, node->text)) {
        map_read_fault(r, node, "'%s' is given twice", node->text);
        return false;
    }
    return true;
}

static void parse_params(struct map_reading *r, const struct yaml_node *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *name = yaml_at(&r->document, list->items[i]);
        if (parse_name(r, name))
            vec_push(r->arena, &r->map->params, map_text_of(name));
    }
}

static void parse_values(struct map_reading *r, const struct yaml_node *mapping)
{
    for (uint32_t i = 0; mapping && i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(&r->document, mapping->items[i]);
        if (!parse_name(r, name))
            continue;
        struct map_expr value = map_read_expr(r, yaml_at(&r->document, mapping->items[i + 1]));
        vec_push(r->arena, &r->map->values, (struct map_value){map_text_of(name), value});
    }
}

static void parse_requires(struct map_reading *r, const struct yaml_node *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        struct map_expr condition = map_read_expr(r, yaml_at(&r->document, list->items[i]));
        vec_push(r->arena, &r->map->requires, condition);
    }
}

static struct map_boundary parse_endpoint(struct map_reading *r, const struct yaml_node *node,
                                          const char *word, enum map_boundary_kind kind)
{
    static const char barrier[] = "barrier ";
    struct map_boundary place = {.kind = (uint8_t)kind};
    if (!node || !strcmp(node->text, word))
        return place;
    const char *digits = node->text + sizeof barrier - 1;
    bool good = !strncmp(node->text, barrier, sizeof barrier - 1) && *digits &&
                strspn(digits, "0123456789") == strlen(digits) && strlen(digits) < 6;
    place.kind = MAP_AT_BARRIER;
    for (; good && *digits; digits++)
        place.barrier = place.barrier * 10 + (uint32_t)(*digits - '0');
    if (!good)
        map_read_fault(r, node, "expected '%s' or 'barrier N', not '%s'", word, node->text);
    return place;
}

static void name_nodes(struct map_reading *r, const struct yaml_node *mapping)
{
    for (uint32_t i = 0; mapping && i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(&r->document, mapping->items[i]);
        struct map_node node = {.name = map_text_of(name)};
        bool good = is_name(name) && r->map->nodes.n < MAP_NODES_MAX;
        if (!is_name(name))
            map_read_fault(r, name,
                           "a name must consist of letters, digits and '_', and not begin "
                           "with a digit");
        else if (!good)
            map_read_fault(r, name, "the map has more than %u nodes", (uint32_t)MAP_NODES_MAX);
        for (uint32_t k = 0; good && k < r->map->nodes.n; k++)
            if (!strcmp(r->map->nodes.v[k].name.text, name->text)) {
                map_read_fault(r, name, "'%s' is given twice", name->text);
                good = false;
            }
        if (good)
            vec_push(r->arena, &r->map->nodes, node);
    }
    if (mapping && !mapping->count)
        map_read_fault(r, mapping, "the map has no nodes");
}

static void parse_result(struct map_reading *r, const struct yaml_node *name,
                         const struct yaml_node *mapping)
{
    struct map_result result = {.name = map_text_of(name), .node = MAP_NO_NODE};
    if (!yaml_keys_read(&map_keys, CONTEXT_RESULT, &r->document, mapping, r->of, r->diags))
        return;
    result.node_text = map_text_of(r->of[KEY_RESULT_node]);
    result.node = map_read_reference(r, &result.node_text);
    result.operand = map_read_number(r, r->of[KEY_RESULT_operand], MAP_OPERANDS - 1, 0);
    result.reg = map_text_of(r->of[KEY_RESULT_register]);
    result.base = map_read_expr(r, r->of[KEY_RESULT_base]);
    result.step = map_read_expr(r, r->of[KEY_RESULT_step]);
    if (result.node != MAP_NO_NODE)
        vec_push(r->arena, &r->map->results, result);
}

static void parse_results(struct map_reading *r, const struct yaml_node *mapping)
{
    for (uint32_t i = 0; mapping && i < mapping->count; i += 2)
        parse_result(r, yaml_at(&r->document, mapping->items[i]),
                     yaml_at(&r->document, mapping->items[i + 1]));
}

// Values come before the expressions that use them.
static void parse_map(struct map_reading *r)
{
    const struct yaml_node *of[MAP_KEYS];
    struct map *map = r->map;
    memcpy(of, r->of, sizeof of);
    map->name = map_text_of(of[KEY_MAP_name]);
    map->kernel = map_text_of(of[KEY_MAP_kernel]);
    map->enter = parse_endpoint(r, of[KEY_MAP_enter], "begin", MAP_AT_BEGIN);
    map->leave = parse_endpoint(r, of[KEY_MAP_leave], "end", MAP_AT_END);
    map->is_ordered = map_read_flag(r, of[KEY_MAP_ordered]);
    parse_params(r, of[KEY_MAP_params]);
    parse_values(r, of[KEY_MAP_values]);
    parse_requires(r, of[KEY_MAP_requires]);
    map->groups = map_read_expr(r, of[KEY_MAP_groups]);
    map->threads = map_read_expr(r, of[KEY_MAP_threads]);
    map->activations = map_read_expr(r, of[KEY_MAP_activations]);
    map->copies = map_read_expr(r, of[KEY_MAP_copies]);
    name_nodes(r, of[KEY_MAP_nodes]);
    if (r->diags->errors)
        return;
    map_read_nodes(r, of[KEY_MAP_nodes]);
    parse_results(r, of[KEY_MAP_results]);
}

struct map *map_read(struct arena *arena, const struct source *source, struct diags *diags)
{
    struct map_reading r = {.arena = arena, .map = ARENA_NEW(arena, struct map), .diags = diags};
    uint32_t before = diags->errors;
    if (!yaml_read(&r.document, arena, source, diags))
        return NULL;
    if (r.document.root == YAML_NOTHING) {
        report(diags, NO_OFFSET, NO_OFFSET, "the file is empty");
        return NULL;
    }
    if (!yaml_keys_read(&map_keys, CONTEXT_MAP, &r.document, yaml_at(&r.document, r.document.root),
                        r.of, diags))
        return NULL;
    parse_map(&r);
    if (diags->errors == before)
        map_check(arena, r.map, diags);
    return diags->errors == before ? r.map : NULL;
}
