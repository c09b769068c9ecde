// Reorders chains of an associative operation, such as max(max(a, w), b) or w - a + b. If w comes
// from the previous iteration, the whole chain after it is a cycle of the map. Therefore w enters
// last: max(max(a, b), w). This is exact for integers, whose sums wrap around.
#include "passes/maps/compile_internal.h"
#include <string.h>

enum { TERMS_MAX = 16, LATE_MAX = 200 };

struct term {
    uint32_t operand;
    uint32_t value; // operand
    uint32_t late;  // operations since the previous iteration's word, or 0 if the value needs no
                    // such word
    bool is_negative, is_constant;
};

struct terms {
    const char *op; // opcode; "add" for sums and differences
    bool is_sum;
    struct term list[TERMS_MAX];
    uint32_t count, late;
    bool fails;
};

// Returns the longest path from a word of the previous iteration to the version, in operations, or
// 0.
static uint32_t lateness(struct map_compiler *c, uint32_t version)
{
    enum { UNKNOWN, NEVER };
    const struct ir_function *fn = c->fn;
    uint32_t origin = map_origin(c, version), late = 0;
    const struct ir_version *at = &fn->versions.v[origin];
    if (!c->late)
        c->late = ARENA_ARRAY(c->arena, uint8_t, fn->versions.n + 1);
    if (c->late[origin] != UNKNOWN)
        return c->late[origin] - NEVER;
    c->late[origin] = NEVER;
    if (!map_in_loop(c, ir_version_block(fn, origin)) || map_is_stream(c, origin))
        return 0;
    if (map_carried_phi(c, origin) != IR_NONE) {
        late = map_carried_recurs(c, at->index) ? 1 : 0;
    } else if (at->kind == VERSION_PHI) {
        const struct ir_phi *phi = &fn->phis.v[at->index];
        for (uint32_t i = 0; i < fn->blocks.v[phi->block].pred_count; i++) {
            uint32_t own = lateness(c, fn->phi_args.v[phi->args + i]);
            late = own && own + 1 > late ? own + 1 : late;
        }
    } else if (at->kind == VERSION_INST && c->fn->insts.v[at->index].class != CLASS_LOAD) {
        // The address of a load is a stream of its own.
        const struct ir_inst *inst = &fn->insts.v[at->index];
        for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++) {
            uint32_t own = fn->operands.v[i].role != ROLE_DEF && fn->operand_version.v[i] != IR_NONE
                               ? lateness(c, fn->operand_version.v[i])
                               : 0;
            late = own && own + 1 > late ? own + 1 : late;
        }
    }
    c->late[origin] = (uint8_t)(NEVER + (late < LATE_MAX ? late : LATE_MAX));
    return c->late[origin] - NEVER;
}

// Returns the associative opcode of an instruction, "add" for sums and differences, or NULL.
static const char *associative(const struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    bool is_signed = at->type == W_s32, is_word = at->type == W_b32;
    const char *op = NULL;
    if (at->flags & INST_GUARDED || (!is_signed && at->type != W_u32 && !is_word) ||
        at->operand_count != 3 || ir_has_modifier(c->module, c->fn, inst, W_sat) ||
        ir_has_modifier(c->module, c->fn, inst, W_cc) ||
        ir_has_modifier(c->module, c->fn, inst, W_relu) || ir_reads_part(c->fn, inst))
        return NULL;
    switch (at->op) {
    case OP_add:
    case OP_sub: return "add";
    case OP_max: op = is_signed ? "max.s32" : "max.u32"; break;
    case OP_min: op = is_signed ? "min.s32" : "min.u32"; break;
    case OP_and: op = "and.b32"; break;
    case OP_or: op = "or.b32"; break;
    case OP_xor: op = "xor.b32"; break;
    default: break;
    }
    return op;
}

// Returns the instruction that computes an operand from further terms and has no other use, or
// IR_NONE.
static uint32_t link_of(struct map_compiler *c, const struct terms *terms, uint32_t operand)
{
    const struct ir_operand *at = &c->fn->operands.v[operand];
    uint32_t version = c->fn->operand_version.v[operand];
    if (at->kind != OPERAND_REGISTER || at->part || at->negated || version == IR_NONE)
        return IR_NONE;
    const struct ir_version *from = &c->fn->versions.v[version];
    if (from->kind != VERSION_INST || from->use_count != 1 || map_is_stream(c, version) ||
        !map_in_loop(c, ir_version_block(c->fn, version)))
        return IR_NONE;
    const char *op = associative(c, from->index);
    return op && !strcmp(op, terms->op) ? from->index : IR_NONE;
}

static void add_terms(struct map_compiler *c, struct terms *terms, uint32_t inst, bool is_negative)
{
    for (uint32_t i = 0; i < 2 && !terms->fails; i++) {
        uint32_t operand = ir_find_operand(c->fn, inst, ROLE_USE, i);
        bool minus = is_negative != (i == 1 && c->fn->insts.v[inst].op == OP_sub);
        uint32_t link = operand == IR_NONE ? IR_NONE : link_of(c, terms, operand);
        if (operand == IR_NONE || terms->count == TERMS_MAX) {
            terms->fails = true;
        } else if (link != IR_NONE) {
            add_terms(c, terms, link, minus);
        } else {
            uint32_t version = c->fn->operand_version.v[operand];
            struct term term = {.operand = operand, .is_negative = minus};
            term.late = version == IR_NONE ? 0 : lateness(c, version);
            terms->late += term.late > 0;
            terms->list[terms->count++] = term;
        }
    }
}

static bool make_terms(struct map_compiler *c, struct terms *terms, uint32_t inst)
{
    for (uint32_t i = 0; i < terms->count; i++) {
        struct term *term = &terms->list[i];
        term->value = map_operand_value(c, term->operand, inst);
        if (!term->value)
            return false;
        term->is_constant = graph_is_constant(c, term->value);
    }
    return true;
}

// Early terms precede late ones. A constant must follow another term.
static bool is_before(const struct term *a, const struct term *b)
{
    if (a->late != b->late)
        return a->late < b->late;
    return !a->is_constant && b->is_constant;
}

static struct term join(struct map_compiler *c, const struct terms *terms, struct term a,
                        struct term b)
{
    struct term to = {.late = a.late > b.late ? a.late : b.late};
    const char *op = terms->op;
    to.late += to.late > 0;
    if (terms->is_sum) {
        bool swaps = a.is_negative && !b.is_negative;
        op = a.is_negative != b.is_negative ? "sub.s32" : "add.s32";
        to.is_negative = a.is_negative && b.is_negative;
        if (swaps) {
            struct term first = a;
            a = b;
            b = first;
        }
    }
    to.value = graph_core(c, op, a.value, b.value, 0);
    return to;
}

static void sort(struct terms *terms)
{
    for (uint32_t i = 1; i < terms->count; i++)
        for (uint32_t k = i; k && is_before(&terms->list[k], &terms->list[k - 1]); k--) {
            struct term term = terms->list[k];
            terms->list[k] = terms->list[k - 1];
            terms->list[k - 1] = term;
        }
}

// Combines all terms into the first one.
static void join_all(struct map_compiler *c, struct terms *terms)
{
    sort(terms);
    while (terms->count > 1 && !terms->list[0].is_constant) {
        terms->list[0] = join(c, terms, terms->list[0], terms->list[1]);
        memmove(&terms->list[1], &terms->list[2], (terms->count - 2) * sizeof *terms->list);
        terms->count--;
        sort(terms);
    }
}

// Decays: w' = max(a, w + q) with a constant q is a cycle of two operations. Its sum u = w + q is a
// cycle of one: u' = max(a, u) + q, a single video instruction, whose addition wraps around.

static bool is_used_after(const struct map_compiler *c, uint32_t version)
{
    const struct ir_function *fn = c->fn;
    for (uint32_t i = 0; i < fn->phis.n; i++) {
        const struct ir_phi *phi = &fn->phis.v[i];
        for (uint32_t k = 0; k < fn->blocks.v[phi->block].pred_count; k++)
            if (!map_in_loop(c, phi->block) &&
                map_origin(c, fn->phi_args.v[phi->args + k]) == version)
                return true;
    }
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        const struct ir_inst *at = &fn->insts.v[i];
        for (uint32_t k = at->operands; k < at->operands + at->operand_count; k++)
            if (!map_in_loop(c, at->block) && fn->operands.v[k].role != ROLE_DEF &&
                fn->operand_version.v[k] != IR_NONE &&
                map_origin(c, fn->operand_version.v[k]) == version)
                return true;
    }
    return false;
}

// Returns the constant of an operand as an expression, or NULL.
static const char *constant_of(struct map_compiler *c, uint32_t operand, uint32_t inst)
{
    uint32_t value = map_operand_value(c, operand, inst);
    bool is_known = value && graph_is_constant(c, value) && !graph_operand_at(c, value)->type;
    return is_known ? graph_plain(c, graph_operand_at(c, value)->value) : NULL;
}

// Returns the expression that a sum or difference adds to its first operand, or NULL.
static const char *added(struct map_compiler *c, uint32_t inst)
{
    const char *op = associative(c, inst);
    uint32_t second = ir_find_operand(c->fn, inst, ROLE_USE, 1);
    if (!op || strcmp(op, "add") || second == IR_NONE)
        return NULL;
    const char *constant = constant_of(c, second, inst);
    const char *sign = c->fn->insts.v[inst].op == OP_sub ? "0 - " : "";
    return constant ? arena_printf(c->arena, "%s(%s)", sign, constant) : NULL;
}

// Makes the nodes of a decay, or returns 0. `late`: its only term from the previous iteration.
static uint32_t make_decay(struct map_compiler *c, const struct terms *terms, uint32_t late,
                           uint32_t inst)
{
    uint32_t version = c->fn->operand_version.v[terms->list[late].operand];
    const struct ir_version *from = &c->fn->versions.v[version];
    uint32_t made = c->fn->operand_version.v[ir_find_operand(c->fn, inst, ROLE_DEF, 0)];
    if (from->kind != VERSION_INST || from->use_count != 1 || is_used_after(c, made))
        return 0;
    const char *add = added(c, from->index);
    uint32_t first = ir_find_operand(c->fn, from->index, ROLE_USE, 0);
    uint32_t source = add ? c->fn->operand_version.v[first] : IR_NONE;
    uint32_t phi = source == IR_NONE ? IR_NONE : map_carried_phi(c, map_origin(c, source));
    if (phi == IR_NONE || map_origin(c, map_carried_next(c, phi)) != made)
        return 0;
    struct terms others = *terms;
    others.list[late] = others.list[--others.count];
    if (!make_terms(c, &others, inst))
        return 0;
    join_all(c, &others);
    struct graph_operand last = {.from = GRAPH_SELF};
    bool begins = map_carried_initial(c, phi, inst, add, &last);
    if (others.count != 1 || others.list[0].is_constant || !begins)
        return 0;
    uint32_t a = others.list[0].value, constant = graph_constant(c, graph_quoted(c, add));
    const char *type = strchr(terms->op, '.') + 1;
    struct map_decay decay = {.add = add};
    struct graph_node node = {.op =
                                  graph_text(c, "v%.3s.%s.%s.%s.add", terms->op, type, type, type),
                              .in = {a, graph_operand_add(c, &last), constant},
                              .count = map_tokens_in(c)};
    decay.sum = graph_node_add(c, &node);
    last.from = graph_operand_at(c, decay.sum)->from;
    node.op = graph_text(c, "%s", terms->op);
    node.in[1] = graph_operand_add(c, &last);
    node.in[2] = 0;
    decay.node = graph_node_add(c, &node);
    vec_push(c->arena, &c->decays, decay);
    return decay.node;
}

static uint32_t find_decay(struct map_compiler *c, const struct terms *terms, uint32_t inst)
{
    bool fits = !strncmp(terms->op, "max", 3) || !strncmp(terms->op, "min", 3);
    for (uint32_t i = 0; i < terms->count && fits && terms->late == 1; i++)
        if (terms->list[i].late)
            return make_decay(c, terms, i, inst);
    return 0;
}

// Returns the operand with the second stream of a decay, if the instruction computes it, or 0.
static uint32_t find_sum(struct map_compiler *c, uint32_t inst)
{
    const char *add = c->decays.n ? added(c, inst) : NULL;
    uint32_t value =
        add ? map_operand_value(c, ir_find_operand(c->fn, inst, ROLE_USE, 0), inst) : 0;
    for (uint32_t i = 0; i < c->decays.n && value; i++)
        if (c->decays.v[i].node == value && !strcmp(c->decays.v[i].add, add))
            return c->decays.v[i].sum;
    return 0;
}

uint32_t map_terms(struct map_compiler *c, uint32_t inst)
{
    const char *op = associative(c, inst);
    if (!op || c->loop == IR_NONE || c->domain != MAP_BODY ||
        !map_in_loop(c, c->fn->insts.v[inst].block))
        return 0;
    struct terms terms = {.op = op, .is_sum = !strcmp(op, "add")};
    add_terms(c, &terms, inst, false);
    uint32_t sum = find_sum(c, inst);
    uint32_t decay = sum || terms.fails ? sum : find_decay(c, &terms, inst);
    if (decay || c->to->why)
        return decay;
    if (terms.fails || terms.count < 3 || !terms.late || terms.late == terms.count ||
        !make_terms(c, &terms, inst))
        return 0;
    join_all(c, &terms);
    if (terms.count > 1)
        return 0; // constants alone come first
    const struct term *all = &terms.list[0];
    return all->is_negative
               ? graph_core(c, "sub.s32", graph_constant(c, graph_text(c, "0")), all->value, 0)
               : all->value;
}
