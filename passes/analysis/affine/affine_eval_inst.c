// Evaluates instructions lane by lane.
#include "passes/analysis/affine/affine_eval.h"

struct step {
    struct evaluation *e;
    const struct ir_inst *inst;
    uint32_t id;
    struct warp_operation at;
};

typedef bool step_fn(const struct step *s, struct affine_warp_value *to);

static const struct ir_function *function_of(const struct step *s)
{
    return s->e->affines->fn;
}

static bool has(const struct step *s, uint16_t word)
{
    return ir_has_modifier(s->e->affines->module, function_of(s), s->id, word);
}

static bool is_integer_type(uint16_t type)
{
    return type != W_b8 && ir_type_is_integer(type);
}

static uint32_t source(const struct step *s, uint32_t n)
{
    return ir_find_operand(function_of(s), s->id, ROLE_USE, n);
}

static bool read(const struct step *s, uint32_t n, struct affine_warp_value *to)
{
    uint32_t operand = source(s, n);
    return operand != IR_NONE && evaluate_operand(s->e, operand, s->at.bits, s->inst->block, to);
}

static bool read_number(const struct step *s, uint32_t n, struct affine_warp_value *to)
{
    return read(s, n, to) && warp_number(s->e->affines, to, s->at.bits, s->at.is_signed);
}

// Reads a source that is known and equal in all lanes.
static bool read_constant(const struct step *s, uint32_t n, int64_t *to)
{
    struct affine_warp_value value;
    if (!read(s, n, &value) || !warp_is_exact(&value) || !warp_is_flat(&value))
        return false;
    *to = affine_extended(value.offset[0], s->at.bits, s->at.is_signed);
    return true;
}

// Steps

static bool copy_operand(const struct step *s, struct affine_warp_value *to)
{
    return read(s, 0, to);
}

static bool convert(const struct step *s, struct affine_warp_value *to)
{
    struct step from = *s;
    from.at.bits = ir_type_bits(s->inst->type2);
    from.at.is_signed = ir_type_is_signed(s->inst->type2);
    return is_integer_type(s->inst->type2) && read_number(&from, 0, to) &&
           warp_number(s->e->affines, to, s->at.bits, s->at.is_signed);
}

static bool add(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x, y;
    return read(s, 0, &x) && read(s, 1, &y) &&
           warp_sum(s->e->affines, &x, &y, s->inst->op == OP_sub ? -1 : 1, to);
}

static bool combine(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x, y;
    return read(s, 0, &x) && warp_number(s->e->affines, &x, s->at.bits, true) && read(s, 1, &y) &&
           warp_number(s->e->affines, &y, s->at.bits, true) &&
           warp_logic(&s->at, s->inst->op, &x, &y, to);
}

static bool shift_right(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x;
    int64_t by;
    return read_number(s, 0, &x) && read_constant(s, 1, &by) && by >= 0 && by < s->at.bits &&
           by < 63 && warp_quotient(&s->at, &x, INT64_C(1) << by, to);
}

// Rejects negative dividends: the instruction truncates, warp_quotient rounds down.
static bool divide(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x, zero = warp_constant(0), negative;
    int64_t by;
    if (!read_number(s, 0, &x) || !read_constant(s, 1, &by) || by < 1 ||
        !warp_compare(&s->at, WARP_LT, &x, &zero, &negative) || !warp_is_exact(&negative) ||
        !warp_is_flat(&negative) || negative.offset[0])
        return false;
    return s->inst->op == OP_div ? warp_quotient(&s->at, &x, by, to)
                                 : warp_remainder(&s->at, &x, by, to);
}

static bool limit(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x, y, first;
    enum warp_relation relation = s->inst->op == OP_min ? WARP_LE : WARP_GE;
    return !has(s, W_relu) && read_number(s, 0, &x) && read_number(s, 1, &y) &&
           warp_compare(&s->at, relation, &x, &y, &first) &&
           warp_choose(&s->at, &first, &x, &y, to);
}

static bool select(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value condition, x, y;
    return read(s, 0, &x) && read(s, 1, &y) && read(s, 2, &condition) &&
           warp_choose(&s->at, &condition, &x, &y, to);
}

// Extracts an unsigned bit field: drops the bits above it, then those below it.
static bool extract_field(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x;
    int64_t from, bits;
    return !s->at.is_signed && read_number(s, 0, &x) && read_constant(s, 1, &from) &&
           read_constant(s, 2, &bits) && from >= 0 && bits > 0 && from + bits <= s->at.bits &&
           from + bits < 62 && warp_remainder(&s->at, &x, INT64_C(1) << (from + bits), &x) &&
           warp_quotient(&s->at, &x, INT64_C(1) << from, to);
}

// bfi: inserts the low bits of the first source into the second.
static bool put_field(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value field, into, zero = warp_constant(0);
    int64_t from, bits;
    if (!read(s, 0, &field) || !read(s, 1, &into) || !read_constant(s, 2, &from) ||
        !read_constant(s, 3, &bits) || from < 0 || bits < 1 || from + bits > s->at.bits ||
        from + bits > 62)
        return false;
    int64_t mask = ((INT64_C(1) << bits) - 1) << from;
    struct affine_warp_value own = warp_constant(mask), others = warp_constant(~mask);
    return warp_sum(s->e->affines, &zero, &field, INT64_C(1) << from, &field) &&
           warp_number(s->e->affines, &field, s->at.bits, true) &&
           warp_number(s->e->affines, &into, s->at.bits, true) &&
           warp_logic(&s->at, OP_and, &field, &own, &field) && warp_is_exact(&field) &&
           warp_logic(&s->at, OP_and, &into, &others, &into) &&
           warp_logic(&s->at, OP_or, &into, &field, to);
}

// Comparisons

static bool find_relation(const struct step *s, enum warp_relation *relation, bool *is_signed)
{
    static const struct {
        uint16_t word;
        enum warp_relation relation;
        bool is_unsigned;
    } words[] = {{W_eq, WARP_EQ, false}, {W_ne, WARP_NE, false}, {W_lt, WARP_LT, false},
                 {W_le, WARP_LE, false}, {W_gt, WARP_GT, false}, {W_ge, WARP_GE, false},
                 {W_lo, WARP_LT, true},  {W_ls, WARP_LE, true},  {W_hi, WARP_GT, true},
                 {W_hs, WARP_GE, true}};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (has(s, words[i].word)) {
            *relation = words[i].relation;
            bool equality = *relation == WARP_EQ || *relation == WARP_NE;
            *is_signed = equality || (s->at.is_signed && !words[i].is_unsigned);
            return true;
        }
    return false;
}

static bool compare(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x, y;
    enum warp_relation relation;
    struct step own = *s;
    return source(s, 2) == IR_NONE && find_relation(s, &relation, &own.at.is_signed) &&
           read_number(&own, 0, &x) && read_number(&own, 1, &y) &&
           warp_compare(&own.at, relation, &x, &y, to);
}

// Requires predicates that are known in all lanes.
static bool combine_predicates(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value x, y = warp_constant(1);
    bool alone = s->inst->op == OP_mov || s->inst->op == OP_not;
    if (!read(s, 0, &x) || !warp_is_exact(&x) ||
        (!alone && (!read(s, 1, &y) || !warp_is_exact(&y))))
        return false;
    *to = x;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        int64_t a = x.offset[lane] & 1, b = y.offset[lane] & 1;
        bool both = s->inst->op == OP_and || s->inst->op == OP_mov;
        to->offset[lane] = both ? a & b : s->inst->op == OP_or ? a | b : a ^ b;
    }
    to->assumes |= y.assumes;
    return true;
}

// Operations of a whole warp

static bool is_whole(const struct step *s, uint32_t mask)
{
    const struct block_shape *shape = &s->e->affines->shape;
    uint64_t threads = (uint64_t)shape->x * shape->y * shape->z;
    int64_t lanes;
    return has(s, W_sync) && read_constant(s, mask, &lanes) && (uint32_t)lanes == UINT32_MAX &&
           (!shape_is_known(shape) || threads >= (s->e->warp + 1) * (uint64_t)WARP_LANES);
}

// Returns the lane that a lane reads, or itself if that lane is outside its segment of the warp.
static uint32_t shuffled_lane(const struct step *s, uint32_t lane, uint32_t by, uint32_t limits)
{
    uint32_t parts = limits >> 8 & 31, limit = limits & 31;
    uint32_t min = lane & parts, max = min | (limit & ~parts), from;
    by &= 31;
    if (has(s, W_up))
        return lane >= max + by ? lane - by : lane;
    from = has(s, W_down) ? lane + by : has(s, W_bfly) ? lane ^ by : min | (by & ~parts);
    return from <= max ? from : lane;
}

static bool shuffle(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value from, by;
    int64_t limits;
    if (!is_whole(s, 3) || !read(s, 0, &from) || !read(s, 1, &by) || !warp_is_exact(&by) ||
        !read_constant(s, 2, &limits))
        return false;
    *to = from;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        to->offset[lane] =
            from.offset[shuffled_lane(s, lane, (uint32_t)by.offset[lane], (uint32_t)limits)];
    return true;
}

static bool vote(const struct step *s, struct affine_warp_value *to)
{
    struct affine_warp_value votes;
    uint32_t ballot = 0;
    if (!has(s, W_ballot) || !is_whole(s, 1) || !read(s, 0, &votes) || !warp_is_exact(&votes))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        ballot |= (uint32_t)(votes.offset[lane] & 1) << lane;
    *to = warp_constant(affine_extended(ballot, 32, true));
    to->assumes = votes.assumes;
    return true;
}

static step_fn *const steps[OP_COUNT] = {
    [OP_mov] = copy_operand, [OP_cvta] = copy_operand, [OP_cvt] = convert,
    [OP_add] = add,          [OP_sub] = add,           [OP_and] = combine,
    [OP_or] = combine,       [OP_xor] = combine,       [OP_shr] = shift_right,
    [OP_div] = divide,       [OP_rem] = divide,        [OP_min] = limit,
    [OP_max] = limit,        [OP_selp] = select,       [OP_bfe] = extract_field,
    [OP_bfi] = put_field,    [OP_setp] = compare,      [OP_shfl] = shuffle,
    [OP_vote] = vote,
};

// Sources that are known in all lanes

// Returns true for instructions without saturation or carry. A `cvt` has two types.
static bool is_plain(const struct step *s)
{
    bool converts = s->inst->op == OP_cvt;
    bool predicates = s->inst->op == OP_setp || s->inst->op == OP_vote;
    return s->inst->vector == 1 && is_integer_type(s->inst->type) && !has(s, W_sat) &&
           !has(s, W_cc) && (predicates || converts == (s->inst->type2 != W_UNKNOWN)) &&
           (!converts || is_integer_type(s->inst->type2));
}

static bool compute(const struct step *s, struct affine_warp_value *to)
{
    const struct operation *operation = operation_find(s->e->affines, s->id);
    struct affine_warp_value sources[4];
    uint16_t type = s->inst->op == OP_cvt ? s->inst->type2 : s->inst->type;
    if (!operation || has(s, W_relu) || source(s, operation_sources(operation)) != IR_NONE)
        return false;
    *to = warp_constant(0);
    for (uint32_t i = 0; i < operation_sources(operation); i++) {
        uint32_t operand = source(s, i);
        if (operand == IR_NONE ||
            !evaluate_operand(s->e, operand, 64, s->inst->block, &sources[i]) ||
            !warp_is_exact(&sources[i]))
            return false;
        to->assumes |= sources[i].assumes;
    }
    if (!operation_compute(operation, sources, ir_type_bits(type), ir_type_is_signed(type), to))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES && s->inst->op == OP_cvt; lane++)
        to->offset[lane] = affine_extended(to->offset[lane], s->at.bits, s->at.is_signed);
    return true;
}

static bool result(const struct step *s, struct affine_warp_value *to)
{
    uint16_t op = s->inst->op;
    if (s->inst->type == W_pred)
        return (op == OP_and || op == OP_or || op == OP_xor || op == OP_not || op == OP_mov) &&
               combine_predicates(s, to);
    if (op >= OP_COUNT || !is_plain(s))
        return false;
    return compute(s, to) || (steps[op] && steps[op](s, to));
}

// Selects, by the guard, the result or the register's old value.
static bool guarded(const struct step *s, const struct affine_warp_value *made,
                    struct affine_warp_value *to)
{
    const struct ir_function *fn = function_of(s);
    uint32_t guard = ir_find_operand(fn, s->id, ROLE_GUARD, 0);
    uint32_t old = ir_find_operand(fn, s->id, ROLE_KEEP, 0);
    bool negated = s->inst->flags & INST_GUARD_NEGATED;
    struct affine_warp_value condition, kept;
    return guard != IR_NONE && old != IR_NONE &&
           evaluate_operand(s->e, guard, 1, s->inst->block, &condition) &&
           evaluate_operand(s->e, old, 64, s->inst->block, &kept) &&
           warp_choose(&s->at, &condition, negated ? &kept : made, negated ? made : &kept, to);
}

bool evaluate_inst(struct evaluation *e, uint32_t version, struct affine_warp_value *to)
{
    const struct ir_function *fn = e->affines->fn;
    uint32_t id = fn->versions.v[version].index;
    const struct ir_inst *inst = &fn->insts.v[id];
    uint32_t first = ir_find_operand(fn, id, ROLE_DEF, 0);
    struct step s = {
        e,
        inst,
        id,
        {e->affines, version, ir_type_bits(inst->type), ir_type_is_signed(inst->type)}};
    struct affine_warp_value made;
    if (first == IR_NONE || fn->operand_version.v[first] != version || !result(&s, &made))
        return false;
    if (inst->flags & INST_GUARDED)
        return guarded(&s, &made, to);
    *to = made;
    return true;
}
