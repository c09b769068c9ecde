// Values that go from one iteration to the next, and those of the last iteration.
#include "passes/maps/compile_internal.h"
#include <string.h>

// Returns the argument of a phi of the loop's header that comes from before the loop, or from its
// end.
static uint32_t header_arg(const struct map_compiler *c, uint32_t phi, bool from_loop)
{
    const struct ir_phi *at = &c->fn->phis.v[phi];
    const uint32_t *preds = ir_preds(c->fn, at->block);
    for (uint32_t i = 0; i < c->fn->blocks.v[at->block].pred_count; i++)
        if (map_in_loop(c, preds[i]) == from_loop)
            return c->fn->phi_args.v[at->args + i];
    return IR_NONE;
}

static struct map_carried *find(struct map_compiler *c, uint32_t phi)
{
    for (uint32_t i = 0; i < c->carried.n; i++)
        if (c->carried.v[i].phi == phi && c->carried.v[i].row == c->row)
            return &c->carried.v[i];
    struct map_carried made = {.phi = phi, .row = c->row, .next = header_arg(c, phi, true)};
    made.mark = arena_printf(c->arena, "<%u.%u>", phi, c->row);
    vec_push(c->arena, &c->carried, made);
    return &c->carried.v[c->carried.n - 1];
}

// First tokens

static const char *first_sum(struct map_compiler *c, uint32_t version, bool is_float,
                             const char *plus)
{
    struct map_sum sum;
    struct affine a = affine_of_version(c->affines, version);
    if (is_float || !map_sum_of(c, &a, &sum) || sum.factor[DIM_K])
        return NULL;
    const char *step = sum.factor[DIM_X] ? sum.factor[DIM_X] : "0";
    return arena_printf(c->arena, ", first: \"%s%s\", step: \"%s\"", map_sum_first(c, &sum), plus,
                        step);
}

// The initial tokens of a value, with `add` added to each if it is not NULL: the text behind their
// count.
static const char *first_tokens(struct map_compiler *c, uint32_t version, bool is_float,
                                uint32_t reader, const char *add)
{
    const char *plus = add ? arena_printf(c->arena, " + %s", add) : "";
    uint32_t origin = map_origin(c, version), immediate = map_immediate_of(c, version);
    uint32_t param = map_float_param(c, origin);
    const struct ir_version *at = &c->fn->versions.v[origin];
    const char *text = NULL;
    if (immediate != IR_NONE)
        return arena_printf(c->arena, ", first: \"%s%s\"",
                            map_immediate(c, immediate, reader, is_float), plus);
    if (is_float && param != IR_NONE)
        return arena_printf(c->arena, ", first: p%u", param);
    uint32_t access = at->kind == VERSION_INST ? map_access_to(c, origin) : c->accesses.n;
    if (access < c->accesses.n)
        text = map_load_first(c, access);
    if (text && add)
        text = arena_printf(c->arena, "%s, add: \"%s\"", text, add);
    if (!text && c->fn->registers.v[c->fn->versions.v[origin].reg].bits == 32)
        text = first_sum(c, origin, is_float, plus);
    if (!text)
        map_refuse(c, RULE_MAP_INPUTS, at->kind == VERSION_INST ? at->index : reader,
                   "the value before the first iteration is computed, and a FIFO begins with words "
                   "of memory or of the launch");
    return text;
}

uint32_t map_carried_phi(const struct map_compiler *c, uint32_t version)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    bool is_header = c->loop != IR_NONE && at->kind == VERSION_PHI &&
                     c->fn->phis.v[at->index].block == c->fn->loops.v[c->loop].header;
    return is_header ? at->index : IR_NONE;
}

const char *map_carried_value(struct map_compiler *c, uint32_t phi, uint32_t reader, bool as_float)
{
    uint32_t first = header_arg(c, phi, false);
    struct map_carried *carried = find(c, phi);
    const char *tokens = first_tokens(c, first, as_float, reader, NULL);
    if (!tokens || carried->next == IR_NONE)
        return NULL;
    return arena_printf(c->arena, "{from: %s, initial: {count: %u%s}}", carried->mark, c->tile,
                        tokens);
}

const char *map_carried_initial(struct map_compiler *c, uint32_t phi, uint32_t reader,
                                const char *add)
{
    const char *tokens = first_tokens(c, header_arg(c, phi, false), false, reader, add);
    return tokens ? arena_printf(c->arena, ", initial: {count: %u%s}", c->tile, tokens) : NULL;
}

uint32_t map_carried_next(const struct map_compiler *c, uint32_t phi)
{
    return header_arg(c, phi, true);
}

// Returns true if the value of the next iteration does not wait for that of this one.
static bool is_delay(const struct map_compiler *c, uint32_t next)
{
    const struct ir_version *at = &c->fn->versions.v[map_origin(c, next)];
    return at->kind == VERSION_INST && c->fn->insts.v[at->index].class == CLASS_LOAD;
}

bool map_carried_nodes(struct map_compiler *c)
{
    uint32_t reader = c->fn->blocks.v[c->fn->loops.v[c->loop].header].first;
    c->domain = MAP_BODY;
    for (uint32_t i = 0; i < c->carried.n; i++) { // which grows
        const struct map_carried carried = c->carried.v[i];
        if (carried.node)
            continue;
        const char *value = map_value(c, carried.next, reader, false);
        if (value && *value == '{' && strncmp(value, "{from:", 6))
            return map_refuse(c, RULE_MAP_INPUTS, IR_NONE,
                              "a value of the next iteration is the same in all of them");
        if (value && (*value == '{' || (c->passes && is_delay(c, carried.next))))
            value = map_node_add(c, "{op: mov.b32, in: [%s]}", value);
        c->carried.v[i].node = value;
        if (!value)
            return false;
    }
    return true;
}

// Texts

// Notes which operand of the node reads each carried value.
static void note_readers(struct map_compiler *c, const char *name, const char *text)
{
    const char *in = strstr(text, "in: [");
    uint32_t operand = 0, depth = 0;
    for (const char *at = in ? in + 5 : ""; *at && !(*at == ']' && !depth); at++) {
        depth += *at == '{' || *at == '[' || *at == '(';
        depth -= *at == '}' || *at == ']' || *at == ')';
        operand += *at == ',' && !depth;
        for (uint32_t i = 0; *at == '<' && i < c->carried.n; i++) {
            struct map_carried *carried = &c->carried.v[i];
            if (!carried->reader && !strncmp(at, carried->mark, strlen(carried->mark))) {
                carried->reader = name;
                carried->operand = operand;
            }
        }
    }
}

static const char *replace(struct arena *arena, const char *text, const char *mark,
                           const char *name)
{
    const char *at = strstr(text, mark);
    if (!at)
        return text;
    const char *rest = replace(arena, at + strlen(mark), mark, name);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, name, rest);
}

const char *map_carried_names(struct map_compiler *c, uint32_t number)
{
    const char *text = c->nodes.v[number];
    const char *name = arena_strndup(c->arena, text, strcspn(text, ":"));
    const char *named = text;
    note_readers(c, name, text);
    for (uint32_t i = 0; i < c->carried.n; i++)
        named = replace(c->arena, named, c->carried.v[i].mark, c->carried.v[i].node);
    // Nodes that feed each other would not end.
    if (named == text || strstr(named, ", count: count"))
        return named;
    return arena_printf(c->arena, "%.*s, count: %s}", (int)strlen(named) - 1, named,
                        number < c->before_nodes ? "count_before" : "count");
}

// The last iteration

// Returns true if the value is computed from that of the phi in the same iteration.
static bool reads(const struct map_compiler *c, uint32_t version, uint32_t phi, bool *seen)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    if (seen[version] || !map_in_loop(c, ir_version_block(c->fn, version)))
        return false;
    seen[version] = true;
    if (at->kind == VERSION_PHI) {
        const struct ir_phi *choice = &c->fn->phis.v[at->index];
        uint32_t args = c->fn->blocks.v[choice->block].pred_count;
        if (map_carried_phi(c, version) != IR_NONE)
            return at->index == phi;
        for (uint32_t i = 0; i < args; i++)
            if (reads(c, c->fn->phi_args.v[choice->args + i], phi, seen))
                return true;
        return false;
    }
    const struct ir_inst *inst = &c->fn->insts.v[at->index];
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++)
        if (c->fn->operands.v[i].role != ROLE_DEF && c->fn->operand_version.v[i] != IR_NONE &&
            reads(c, c->fn->operand_version.v[i], phi, seen))
            return true;
    return false;
}

bool map_carried_recurs(struct map_compiler *c, uint32_t phi)
{
    bool *seen = ARENA_ARRAY(c->arena, bool, c->fn->versions.n + 1);
    return reads(c, header_arg(c, phi, true), phi, seen);
}

struct map_carried *map_carried_last(struct map_compiler *c, uint32_t version)
{
    uint32_t origin = map_origin(c, version);
    for (uint32_t i = 0; i < c->fn->phis.n; i++) {
        const struct ir_phi *phi = &c->fn->phis.v[i];
        if (map_carried_phi(c, phi->version) != IR_NONE && !map_is_stream(c, phi->version) &&
            map_origin(c, header_arg(c, i, true)) == origin &&
            reads(c, origin, i, ARENA_ARRAY(c->arena, bool, c->fn->versions.n + 1)))
            return find(c, i);
    }
    return NULL;
}

const char *map_final_value(struct map_compiler *c, uint32_t version, uint32_t reader)
{
    c->domain = MAP_BODY;
    const char *value = map_value(c, version, reader, false);
    const char *last = NULL;
    if (value && (*value != '{' || strstr(value, "from:"))) {
        const char *number = map_node_add(c, "{op: increment, count: count}");
        last = map_node_add(c, "{op: setp.ge.u32, in: [%s], imm: count - %u}", number, c->tile);
    }
    c->domain = MAP_OUTER;
    return last ? map_node_add(c, "{op: mov.b32, in: [%s], predicate: %s}", value, last) : value;
}
