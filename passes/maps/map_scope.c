#include "passes/maps/map_scope.h"
#include <string.h>

static const char *const names[MAP_NAMES] = {
#define MAP_NAME(name, text) [MAP_NAME_##name] = #name,
#include "passes/maps/map_names.def"
#undef MAP_NAME
};

// Names: those of all expressions, then parameters, then values.

static bool is_text(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && !memcmp(known, name, length);
}

static bool find_name(void *context, const char *name, size_t length, struct expr_ref *ref)
{
    const struct map *map = context;
    uint32_t values = MAP_NAMES + map->params.n;
    *ref = (struct expr_ref){.kind = REF_NUMBER, .index = UINT32_MAX};
    for (uint32_t i = 0; i < MAP_NAMES; i++)
        if (is_text(names[i], name, length))
            ref->index = i;
    for (uint32_t i = 0; i < map->params.n; i++)
        if (is_text(map->params.v[i].text, name, length))
            ref->index = MAP_NAMES + i;
    for (uint32_t i = 0; i < map->values.n; i++)
        if (is_text(map->values.v[i].name.text, name, length))
            ref->index = values + i;
    return ref->index != UINT32_MAX;
}

bool map_knows(const struct map *map, const char *name)
{
    struct expr_ref ref;
    return find_name((void *)map, name, strlen(name), &ref);
}

const struct expr *map_parse(struct arena *arena, const struct map *map, const char *text,
                             size_t length, struct expr_fault *fault)
{
    struct expr_names known = {.context = (void *)map, .find = find_name};
    return expr_parse(arena, text, length, &known, fault);
}

// Evaluation. A value refers only to earlier ones, so the depth is bounded.

static const char *load(void *context, struct expr_ref ref, int64_t element,
                        struct host_number *number)
{
    const struct map_scope *scope = context;
    const struct map *map = scope->map;
    (void)element;
    if (ref.index < MAP_NAMES) {
        *number = (struct host_number){.kind = NUMBER_INTEGER, .integer = scope->names[ref.index]};
        return NULL;
    }
    uint32_t at = ref.index - MAP_NAMES;
    if (at >= map->params.n)
        return map_evaluate(scope, &map->values.v[at - map->params.n].value, number);
    if (!scope->params)
        return arena_printf(scope->arena, "the parameter '%s' has no value here",
                            map->params.v[at].text);
    *number = scope->params[at];
    return NULL;
}

static const char *no_address(void *context, uint32_t buffer, int64_t element,
                              struct host_number *number)
{
    (void)context, (void)buffer, (void)element, (void)number;
    return "a map has no buffers";
}

const char *map_evaluate(const struct map_scope *scope, const struct map_expr *expr,
                         struct host_number *to)
{
    struct expr_names known = {
        .context = (void *)scope, .find = find_name, .load = load, .address = no_address};
    struct expr_fault fault;
    if (expr_evaluate(expr->expr, &known, to, &fault))
        return NULL;
    return fault.text;
}

const char *map_integer(const struct map_scope *scope, const struct map_expr *expr, int64_t initial,
                        int64_t *to)
{
    struct host_number number;
    *to = initial;
    if (!expr->expr)
        return NULL;
    const char *fault = map_evaluate(scope, expr, &number);
    if (!fault && !number_integer(&number, to))
        fault = arena_printf(scope->arena, "'%s' is not an integer", expr->at.text);
    return fault;
}

// Words

static const struct scalar *last_type(const char *op, bool first)
{
    const struct scalar *found = NULL;
    for (const char *at = strchr(op, '.'); at; at = strchr(at + 1, '.')) {
        const struct scalar *type = scalar_find(at + 1, strcspn(at + 1, "."));
        if (type && !(first && found))
            found = type;
    }
    return found;
}

// The operands have the last type of the opcode, as in cvt.rn.f32.s32. Offsets of memory nodes,
// predicates and the third operand of selections are integers.
const struct scalar *map_operand_type(const struct map_node *node, uint32_t at)
{
    bool word = at == MAP_OPERANDS || (node->kind != MAP_CORE && !at) ||
                (at == 2 && !strncmp(node->op.text, "selp.", 5));
    const struct scalar *type = word ? NULL : last_type(node->op.text, false);
    return type && type->bytes == 4 ? type : scalar_find("b32", 3);
}

const char *map_word(const struct map_scope *scope, const struct map_expr *expr,
                     const struct scalar *type, uint32_t *to)
{
    struct host_number number;
    *to = 0;
    if (!expr->expr)
        return NULL;
    const char *fault = map_evaluate(scope, expr, &number);
    if (fault)
        return fault;
    if (type->class != SCALAR_FLOAT && number.kind != NUMBER_REAL) {
        *to = (uint32_t)number.integer;
        return NULL;
    }
    return scalar_store(type, &number, to);
}

const char *map_constant(const struct map_scope *scope, const struct map_node *node, uint32_t at,
                         uint32_t *to)
{
    if (!node->is_increment)
        return map_word(scope, &node->operands[at].constant, map_operand_type(node, at), to);
    int64_t step;
    const char *fault = map_integer(scope, &node->increment.step, 1, &step);
    *to = (uint32_t)step * node->increment.tokens;
    return fault;
}

// Returns first + count * step, which wraps around, as sums of expressions do.
static int64_t term_of(int64_t first, int64_t count, int64_t step)
{
    return (int64_t)((uint64_t)first + (uint64_t)count * (uint64_t)step);
}

// Sets the tokens or addresses first, first + step, …
static const char *set_series(const struct map_scope *scope, const struct map_initial *initial,
                              const struct scalar *type, uint32_t *words, uint64_t *addresses)
{
    bool memory = initial->kind == MAP_WORDS, real = type->class == SCALAR_FLOAT && !memory;
    struct host_number first = {.kind = NUMBER_INTEGER}, step = first;
    const struct map_expr *begin = memory ? &initial->base : &initial->first;
    step.integer = memory ? 4 : 0;
    const char *fault = begin->expr ? map_evaluate(scope, begin, &first) : NULL;
    if (!fault && initial->step.expr)
        fault = map_evaluate(scope, &initial->step, &step);
    for (uint32_t i = 0; !fault && i < initial->count; i++) {
        struct host_number at = {.kind = real ? NUMBER_REAL : NUMBER_INTEGER,
                                 .integer = term_of(first.integer, i, step.integer),
                                 .real = number_real(&first) + i * number_real(&step)};
        if (memory)
            addresses[i] = (uint64_t)at.integer;
        else if (real)
            fault = scalar_store(type, &at, &words[i]);
        else
            words[i] = (uint32_t)at.integer;
    }
    return fault;
}

static const char *set_increment(const struct map_scope *scope, const struct map_node *node,
                                 uint32_t *words)
{
    int64_t start, step;
    const char *fault = map_integer(scope, &node->increment.start, 0, &start);
    if (!fault)
        fault = map_integer(scope, &node->increment.step, 1, &step);
    for (uint32_t i = 0; !fault && i < node->increment.tokens; i++)
        words[i] = (uint32_t)term_of(start, (int64_t)i - node->increment.tokens, step);
    return fault;
}

const char *map_initial_words(const struct map_scope *scope, const struct map_node *node,
                              uint32_t at, uint32_t *words, uint64_t *addresses)
{
    const struct map_initial *initial = &map_operand(node, at)->initial;
    const struct scalar *type = map_operand_type(node, at);
    const char *fault = NULL;
    if (node->is_increment && !at)
        return set_increment(scope, node, words);
    if (initial->kind != MAP_LIST)
        return set_series(scope, initial, type, words, addresses);
    for (uint32_t i = 0; !fault && i < initial->count; i++)
        fault = map_word(scope, &initial->list[i], type, &words[i]);
    return fault;
}

const char *map_unfit(const struct map_scope *scope)
{
    for (uint32_t i = 0; i < scope->map->requires.n; i++) {
        const struct map_expr *condition = &scope->map->requires.v[i];
        int64_t value;
        const char *fault = map_integer(scope, condition, 1, &value);
        if (fault)
            return fault;
        if (!value)
            return arena_printf(scope->arena, "the map requires %s", condition->at.text);
    }
    return NULL;
}
