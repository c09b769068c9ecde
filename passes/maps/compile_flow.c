// Control flow of a kernel without loops: bounds of the stream, and predicates.
#include "passes/maps/compile_internal.h"
#include <string.h>

bool map_condition(const struct map_compiler *c, uint32_t block, uint32_t *version, bool *negated,
                   uint32_t *taken)
{
    const struct ir_block *at = &c->fn->blocks.v[block];
    if (at->first == at->end || at->succ_count != 2)
        return false;
    uint32_t last = at->end - 1;
    uint32_t guard = ir_find_operand(c->fn, last, ROLE_GUARD, 0);
    uint32_t label = ir_find_operand(c->fn, last, ROLE_LABEL, 0);
    if (guard == IR_NONE || label == IR_NONE || c->fn->operands.v[label].kind != OPERAND_LABEL)
        return false;
    *version = c->fn->operand_version.v[guard];
    *negated = c->fn->insts.v[last].flags & INST_GUARD_NEGATED;
    *taken = c->fn->operands.v[label].index;
    return true;
}

// Returns true if the block does nothing but end the thread.
static bool is_end(const struct map_compiler *c, uint32_t block)
{
    const struct ir_block *at = &c->fn->blocks.v[block];
    return at->first + 1 == at->end && c->fn->insts.v[at->first].class == CLASS_RETURN &&
           !(c->fn->insts.v[at->first].flags & INST_GUARDED);
}

// Bounds

static void limit(struct map_compiler *c, const char **bound, const char *function,
                  const char *text)
{
    *bound = *bound ? arena_printf(c->arena, "%s(%s, %s)", function, *bound, text) : text;
}

// Limits a dimension to the places where factor · place + rest has the relation to 0.
static bool limit_dimension(struct map_compiler *c, uint32_t dim, const struct map_sum *sum,
                            enum map_relation relation)
{
    static const struct {
        bool is_low;
        bool one_more;
    } plus[] = {[MAP_LT] = {false, false},
                [MAP_LE] = {false, true},
                [MAP_GT] = {true, true},
                [MAP_GE] = {true, false}},
      minus[] = {[MAP_LT] = {true, true},
                 [MAP_LE] = {true, false},
                 [MAP_GT] = {false, false},
                 [MAP_GE] = {false, true}};
    int64_t factor = sum->is_number[dim] ? sum->number[dim] : 0;
    if (relation > MAP_GE || (factor != 1 && factor != -1))
        return false;
    bool positive = factor == 1;
    bool is_low = positive ? plus[relation].is_low : minus[relation].is_low;
    bool more = positive ? plus[relation].one_more : minus[relation].one_more;
    const char *text = arena_printf(c->arena, positive ? "0 - (%s)" : "(%s)", sum->rest);
    text = more ? arena_printf(c->arena, "%s + 1", text) : text;
    if (is_low)
        limit(c, &c->low[dim], "max", text);
    else
        limit(c, &c->high[dim], "min", text);
    return true;
}

static bool limit_all(struct map_compiler *c, const struct map_sum *sum, enum map_relation relation)
{
    static const char *const signs[] = {[MAP_LT] = "<",  [MAP_LE] = "<=", [MAP_GT] = ">",
                                        [MAP_GE] = ">=", [MAP_EQ] = "==", [MAP_NE] = "!="};
    uint32_t dimensions = 0, dim = 0;
    for (uint32_t i = 0; i < DIMS; i++)
        if (sum->factor[i]) {
            dimensions++;
            dim = i;
        }
    if (dimensions)
        return dimensions == 1 && dim < LAUNCH_DIMS && limit_dimension(c, dim, sum, relation);
    const char *text = arena_printf(c->arena, "(%s %s 0)", sum->rest, signs[relation]);
    c->when = c->when ? arena_printf(c->arena, "%s * %s", c->when, text) : text;
    return true;
}

static bool read_relation(const struct map_compiler *c, uint32_t inst, bool holds,
                          enum map_relation *to, bool *is_unsigned)
{
    static const struct {
        uint16_t word;
        uint8_t yes, no;
        bool is_unsigned;
    } rows[] = {{W_lt, MAP_LT, MAP_GE, false}, {W_le, MAP_LE, MAP_GT, false},
                {W_gt, MAP_GT, MAP_LE, false}, {W_ge, MAP_GE, MAP_LT, false},
                {W_eq, MAP_EQ, MAP_NE, false}, {W_ne, MAP_NE, MAP_EQ, false},
                {W_lo, MAP_LT, MAP_GE, true},  {W_ls, MAP_LE, MAP_GT, true},
                {W_hi, MAP_GT, MAP_LE, true},  {W_hs, MAP_GE, MAP_LT, true}};
    uint16_t type = c->fn->insts.v[inst].type;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (ir_has_modifier(c->module, c->fn, inst, rows[i].word)) {
            *to = holds ? rows[i].yes : rows[i].no;
            *is_unsigned = rows[i].is_unsigned || type == W_u32 || type == W_u64;
            return *is_unsigned || type == W_s32 || type == W_s64 || *to >= MAP_EQ;
        }
    return false;
}

// Returns true if a side of an unsigned comparison is not negative. The launch may be required to
// ensure that.
static bool is_natural(struct map_compiler *c, const struct affine *a)
{
    struct map_sum sum;
    int64_t min, max;
    affine_range(c->affines, a, &min, &max);
    if (min >= 0)
        return true;
    if (!c->skips || !map_sum_of(c, a, &sum) || !map_sum_is_free(&sum, DIMS))
        return false;
    map_require(c, arena_printf(c->arena, "%s >= 0", sum.rest));
    return true;
}

bool map_comparison(struct map_compiler *c, uint32_t inst, bool holds, struct map_sum *sum,
                    enum map_relation *relation)
{
    struct affine a, b, difference;
    bool is_unsigned;
    uint32_t first = ir_find_operand(c->fn, inst, ROLE_USE, 0);
    uint32_t second = ir_find_operand(c->fn, inst, ROLE_USE, 1);
    if (second == IR_NONE || ir_find_operand(c->fn, inst, ROLE_USE, 2) != IR_NONE ||
        !read_relation(c, inst, holds, relation, &is_unsigned) ||
        !affine_of_operand(c->affines, first, &a) || !affine_of_operand(c->affines, second, &b))
        return false;
    if (is_unsigned && !(is_natural(c, &a) && is_natural(c, &b)))
        return false;
    return affine_difference(c->affines, &a, &b, &difference) && map_sum_of(c, &difference, sum);
}

// Uses a comparison as a bound: threads continue where its value is `holds`.
static bool use_comparison(struct map_compiler *c, uint32_t inst, bool holds)
{
    struct map_sum sum;
    enum map_relation relation;
    return map_comparison(c, inst, holds, &sum, &relation) && limit_all(c, &sum, relation);
}

static bool use_version(struct map_compiler *c, uint32_t version, bool holds, uint32_t depth);

static bool use_both(struct map_compiler *c, uint32_t inst, bool holds, uint32_t depth)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t operand = ir_find_operand(c->fn, inst, ROLE_USE, i);
        if (operand == IR_NONE || c->fn->operands.v[operand].kind != OPERAND_REGISTER ||
            !use_version(c, c->fn->operand_version.v[operand],
                         holds != c->fn->operands.v[operand].negated, depth + 1))
            return false;
    }
    return true;
}

static bool use_version(struct map_compiler *c, uint32_t version, bool holds, uint32_t depth)
{
    enum { DEPTH = 16 };
    const struct ir_version *at = &c->fn->versions.v[version];
    if (at->kind != VERSION_INST || depth > DEPTH || c->fn->insts.v[at->index].flags & INST_GUARDED)
        return false;
    switch (c->fn->insts.v[at->index].op) {
    case OP_setp: return use_comparison(c, at->index, holds);
    case OP_or: return !holds && use_both(c, at->index, false, depth);
    case OP_and: return holds && use_both(c, at->index, true, depth);
    default: return false;
    }
}

// Handles a branch that ends threads: those that continue are a range of places.
static bool use_bounds(struct map_compiler *c, uint32_t block)
{
    uint32_t version, taken;
    bool negated;
    if (!map_condition(c, block, &version, &negated, &taken))
        return false;
    const uint32_t *succs = ir_succs(c->fn, block);
    uint32_t other = succs[0] == taken ? succs[1] : succs[0];
    if (is_end(c, taken) == is_end(c, other))
        return false;
    bool stays_if_taken = is_end(c, other);
    return use_version(c, version, stays_if_taken != negated, 0);
}

static bool follow(struct map_compiler *c, uint32_t block, uint32_t to)
{
    c->blocks[block].bounds = true;
    c->blocks[block].follow = to;
    return true;
}

bool map_decide(struct map_compiler *c, uint32_t block, uint32_t way)
{
    const char *low[LAUNCH_DIMS], *high[LAUNCH_DIMS], *when = c->when;
    uint32_t version, taken;
    bool negated;
    if (!map_condition(c, block, &version, &negated, &taken))
        return false;
    memcpy(low, c->low, sizeof low);
    memcpy(high, c->high, sizeof high);
    // A condition on the thread's place would limit what follows, too.
    if (use_version(c, version, (taken == way) != negated, 0) && !memcmp(low, c->low, sizeof low) &&
        !memcmp(high, c->high, sizeof high))
        return follow(c, block, way);
    memcpy(c->low, low, sizeof low);
    memcpy(c->high, high, sizeof high);
    c->when = when;
    return false;
}

// Handles a branch that skips the loop: the map requires that the launch does not take it.
static bool use_guard(struct map_compiler *c, uint32_t block, uint32_t header)
{
    const uint32_t *succs = ir_succs(c->fn, block);
    uint32_t way = ir_dominates(c->fn, succs[0], header) ? succs[0] : succs[1];
    uint32_t other = succs[0] == way ? succs[1] : succs[0];
    return ir_dominates(c->fn, way, header) && !ir_dominates(c->fn, other, header) &&
           map_decide(c, block, way);
}

static bool has_store(const struct map_compiler *c, uint32_t block)
{
    const struct ir_block *at = &c->fn->blocks.v[block];
    for (uint32_t i = at->first; i < at->end; i++)
        if (c->fn->insts.v[i].class == CLASS_STORE)
            return true;
    return false;
}

// Uses the bounds on the path from a block to the header of a loop; without a loop, to the first
// branch that is not a bound. Returns the block where the path ends.
static uint32_t use_path(struct map_compiler *c, uint32_t block, uint32_t header)
{
    bool stored = false; // also by threads that a later bound would end
    while (block != header && !c->blocks[block].seen) {
        const uint32_t *succs = ir_succs(c->fn, block);
        c->blocks[block].seen = true;
        stored |= has_store(c, block);
        if (c->fn->blocks.v[block].succ_count == 1) {
            block = succs[0];
        } else if (c->blocks[block].bounds) { // decided by map_skip
            block = c->blocks[block].follow;
        } else if (!stored && use_bounds(c, block)) {
            follow(c, block, is_end(c, succs[0]) ? succs[1] : succs[0]);
            block = c->blocks[block].follow;
        } else if (header != IR_NONE && use_guard(c, block, header)) {
            block = c->blocks[block].follow;
        }
    }
    return block;
}

// The path to a loop must not depend on conditions of the thread.
static bool use_loop(struct map_compiler *c, uint32_t block, uint32_t loop)
{
    uint32_t header = c->fn->loops.v[loop].header, end = use_path(c, block, header);
    if (end == header || ir_post_dominates(c->fn, header, end))
        return true;
    const struct ir_block *at = &c->fn->blocks.v[end];
    return map_refuse(c, RULE_MAP_DIVERGES, at->first < at->end ? at->end - 1 : IR_NONE,
                      "the loop is executed under a condition that the launch does not decide");
}

bool map_flow(struct map_compiler *c)
{
    if (c->loop == IR_NONE) {
        use_path(c, 0, IR_NONE); // bounds hold for all that follows
        return true;
    }
    if (c->before != IR_NONE && !use_loop(c, 0, c->before))
        return false;
    uint32_t behind = c->before == IR_NONE ? 0 : c->blocks[c->fn->loops.v[c->before].latch].follow;
    if (c->nest != IR_NONE &&
        !(use_loop(c, behind, c->nest) && use_loop(c, c->fn->loops.v[c->nest].header, c->loop)))
        return false;
    if (c->nest == IR_NONE && !use_loop(c, 0, c->loop))
        return false;
    if (c->when)
        map_require(c, c->when);
    c->when = NULL;
    return true;
}

bool map_is_way(const struct map_compiler *c, uint32_t from, uint32_t block)
{
    return !c->blocks[from].skipped && (!c->blocks[from].bounds || c->blocks[from].follow == block);
}

// Predicates

static uint32_t condition_node(struct map_compiler *c, uint32_t version, bool negated,
                               uint32_t reader)
{
    uint32_t value = map_value(c, version, reader, false);
    return value && negated ? graph_not(c, value) : value;
}

bool map_edge(struct map_compiler *c, uint32_t from, uint32_t block, uint32_t *to)
{
    uint32_t version, taken;
    bool negated;
    if (!map_predicate(c, from, to))
        return false;
    if (c->blocks[from].bounds || c->fn->blocks.v[from].succ_count == 1)
        return true;
    if (!map_condition(c, from, &version, &negated, &taken))
        return map_refuse(c, RULE_MAP_DIVERGES, c->fn->blocks.v[from].end - 1,
                          "the branch has no condition that a map could carry");
    uint32_t own =
        condition_node(c, version, negated != (taken != block), c->fn->blocks.v[from].end - 1);
    if (own && *to)
        own = graph_core(c, "and.b32", *to, own, 0);
    *to = own;
    return own;
}

// Finds the predicate of a block with several incoming branches, such as the default of a switch.
static bool any_edge(struct map_compiler *c, uint32_t block, uint32_t *to)
{
    uint32_t own;
    *to = 0;
    for (uint32_t i = 0; i < c->fn->blocks.v[block].pred_count; i++) {
        uint32_t from = ir_preds(c->fn, block)[i];
        if (!map_is_way(c, from, block))
            continue;
        if (!map_edge(c, from, block, &own))
            return false;
        if (!own) { // always
            *to = 0;
            return true;
        }
        *to = *to ? graph_core(c, "or.b32", *to, own, 0) : own;
    }
    return true;
}

bool map_predicate(struct map_compiler *c, uint32_t block, uint32_t *to)
{
    const struct ir_block *at = &c->fn->blocks.v[block];
    *to = c->blocks[block].predicate;
    if (*to || !block || map_is_header(c, block))
        return true;
    if (at->pred_count == 1) {
        if (!map_edge(c, ir_preds(c->fn, block)[0], block, to))
            return false;
    } else if (!ir_post_dominates(c->fn, block, at->idom)) {
        if (!any_edge(c, block, to))
            return false;
    } else if (!map_predicate(c, at->idom, to)) {
        return false;
    }
    c->blocks[block].predicate = *to;
    return true;
}
