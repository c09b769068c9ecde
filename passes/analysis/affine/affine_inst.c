// Computes expressions of instructions from those of their operands. The table at the end lists the
// supported instructions; results of others are atoms.
#include "passes/analysis/affine/affine_internal.h"

struct affine_reader {
    struct affines *affines;
    enum affine_view view;
    const struct ir_inst *inst;
    uint32_t id;
    uint32_t version; // the version to compute
    unsigned bits;    // of the instruction's type
    bool is_signed;
};

typedef bool rule_function(const struct affine_reader *r, struct affine *to);

static uint32_t source(const struct affine_reader *r, uint32_t n)
{
    return ir_find_operand(r->affines->fn, r->id, ROLE_USE, n);
}

static bool has(const struct affine_reader *r, uint16_t word)
{
    return ir_has_modifier(r->affines->module, r->affines->fn, r->id, word);
}

bool affine_read(struct affines *affines, enum affine_view view, uint32_t operand, unsigned bits,
                 struct affine *to)
{
    const struct ir_operand *o = &affines->fn->operands.v[operand];
    uint32_t version = affines->fn->operand_version.v[operand], node = o->node;
    const struct tree *tree = affines->module->tree;
    if (o->part)
        return false;
    if (o->kind == OPERAND_IMMEDIATE) {
        uint8_t kind = node == IR_NONE ? NODE_INT : tree->nodes.v[node].kind;
        int64_t value = o->negated ? (int64_t) - (uint64_t)o->value : o->value;
        *to = affine_constant(affine_extended(value, bits, true));
        return kind != NODE_FLOAT32 && kind != NODE_FLOAT64;
    }
    if (o->negated)
        return false;
    if (o->kind == OPERAND_SPECIAL)
        return affine_of_special(affines, o->index, o->member, to);
    if (o->kind == OPERAND_SYMBOL) {
        *to = affine_of_symbol(affines, o->index);
        to->constant = o->value;
        return true;
    }
    if (o->kind != OPERAND_REGISTER || version == IR_NONE || o->member != W_UNKNOWN)
        return false;
    uint32_t place = affines->place[view][version];
    *to = place && place != AFFINE_OPEN ? affines->values.v[place - 1]
                                        : affine_opaque(affines, version);
    return true;
}

static bool read_source(const struct affine_reader *r, uint32_t n, struct affine *to)
{
    uint32_t operand = source(r, n);
    return operand != IR_NONE && affine_read(r->affines, r->view, operand, r->bits, to);
}

static bool read_constant(const struct affine_reader *r, uint32_t n, int64_t *value)
{
    struct affine a;
    if (!read_source(r, n, &a) || a.count || a.exact_bits < r->bits)
        return false;
    *value = a.constant;
    return true;
}

static bool finish(const struct affine_reader *r, struct sum *sum, unsigned bits, struct affine *to)
{
    sum_cut(sum, bits);
    return sum_keep(r->affines, sum, to);
}

// Widths

bool affine_is_wider(const struct affines *affines, const struct affine *a, unsigned bits)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (int k = 0; k < AFFINE_FACTORS && a->terms[i].atom[k] != IR_NONE; k++) {
            const struct affine_atom *atom = &affines->atoms.v[a->terms[i].atom[k]];
            bool fits = bits > 63 || (bits && atom->min >= -(INT64_C(1) << (bits - 1)));
            fits &= bits > 62 || atom->max < INT64_C(1) << bits;
            if (atom->kind == AFFINE_COMMON) // only these low bits of it are used
                fits = atom->bits <= bits;
            if (atom->kind != AFFINE_ITERATION && !fits)
                return true;
        }
    return false;
}

// Reads a register's bits as a signed number. A sum is assumed not to have wrapped around.
static bool widen_signed(const struct affine_reader *r, uint32_t operand, unsigned bits,
                         struct affine *a)
{
    uint32_t version = r->affines->fn->operand_version.v[operand];
    if (!a->count) {
        a->constant = affine_extended(a->constant, bits, true);
        return true;
    }
    if (a->exact_bits >= bits && affine_fits(r->affines, a, bits, true)) {
        a->exact_bits = 64;
        return true;
    }
    if (affine_is_wider(r->affines, a, bits)) {
        if (version == IR_NONE)
            return false;
        *a = affine_opaque(r->affines, version);
        return true;
    }
    a->exact_bits = a->exact_bits < bits ? a->exact_bits : (uint8_t)bits;
    a->assumes |= AFFINE_SIGNED;
    return true;
}

// Replaces each atom by the same atom read as unsigned. Returns false if one cannot be.
static bool unsign_terms(struct affines *affines, const struct affine *a, unsigned bits,
                         struct affine *to)
{
    struct sum sum = sum_new();
    sum.constant = a->constant;
    sum.exact_bits = a->exact_bits;
    sum.assumes = a->assumes;
    for (uint32_t i = 0; i < a->count; i++) {
        struct affine product = affine_constant(a->terms[i].coefficient);
        for (int k = 0; k < AFFINE_FACTORS && a->terms[i].atom[k] != IR_NONE; k++) {
            struct affine_atom atom = affines->atoms.v[a->terms[i].atom[k]];
            struct sum next = sum_new();
            if (atom.min < 0 && (atom.bits != bits || atom.is_unsigned))
                return false;
            if (atom.min < 0) {
                atom.is_unsigned = true;
                atom.min = 0;
                atom.max = (INT64_C(1) << bits) - 1;
            }
            struct affine factor = affine_of_atom(affines, &atom);
            sum_product(&next, &product, &factor);
            if (!sum_keep(affines, &next, &product))
                return false;
        }
        sum_add(&sum, &product, 1);
    }
    return sum_keep(affines, &sum, to);
}

// Reads a register's bits as an unsigned number. A sum without a negative part is assumed not to
// have wrapped around.
static bool widen_unsigned(const struct affine_reader *r, uint32_t operand, unsigned bits,
                           struct affine *a)
{
    struct affines *affines = r->affines;
    uint32_t version = affines->fn->operand_version.v[operand];
    struct affine same;
    int64_t min, max;
    if (!a->count) {
        a->constant = affine_extended(a->constant, bits, false);
        return true;
    }
    if (a->exact_bits >= bits && affine_fits(affines, a, bits, false)) {
        a->exact_bits = 64;
        return true;
    }
    if (!affine_is_wider(affines, a, bits) && unsign_terms(affines, a, bits, &same)) {
        affine_range(affines, &same, &min, &max);
        if (min >= 0) {
            *a = same;
            bool fits = a->exact_bits >= bits && max < INT64_C(1) << bits;
            a->exact_bits = fits ? 64 : a->exact_bits < bits ? a->exact_bits : (uint8_t)bits;
            a->assumes |= fits ? 0 : AFFINE_UNSIGNED;
            return true;
        }
    }
    if (version == IR_NONE)
        return false;
    *a = affine_unsigned(affines, version);
    return true;
}

static bool widen(const struct affine_reader *r, uint32_t operand, unsigned bits, bool is_signed,
                  struct affine *a)
{
    return is_signed ? widen_signed(r, operand, bits, a) : widen_unsigned(r, operand, bits, a);
}

static bool cut(const struct affine_reader *r, unsigned bits, struct affine *a)
{
    struct sum sum = sum_new();
    sum_add(&sum, a, 1);
    return finish(r, &sum, bits, a);
}

// Rules

static bool copy(const struct affine_reader *r, struct affine *to)
{
    uint32_t operand = source(r, 0);
    if (r->inst->vector != 1 || source(r, 1) != IR_NONE || operand == IR_NONE)
        return false;
    const struct ir_operand *o = &r->affines->fn->operands.v[operand];
    if (!read_source(r, 0, to))
        return false;
    if (o->kind == OPERAND_SPECIAL && r->bits < 32) // reads the low half only
        return affine_fits(r->affines, to, r->bits, true);
    return true;
}

static bool add_or_subtract(const struct affine_reader *r, struct affine *to)
{
    struct affine a, b;
    struct sum sum = sum_new();
    if (source(r, 2) != IR_NONE || !read_source(r, 0, &a) || !read_source(r, 1, &b))
        return false;
    sum_add(&sum, &a, 1);
    sum_add(&sum, &b, r->inst->op == OP_sub ? -1 : 1);
    return finish(r, &sum, r->bits, to);
}

static bool negate(const struct affine_reader *r, struct affine *to)
{
    struct affine a;
    struct sum sum = sum_new();
    if (!read_source(r, 0, &a))
        return false;
    sum_add(&sum, &a, -1);
    if (r->inst->op != OP_neg) // ~x = -x - 1
        sum.constant = (int64_t)((uint64_t)sum.constant - 1);
    return finish(r, &sum, r->bits, to);
}

// Reads the factors as the multiplication extends them. *bits: width of the product.
static bool read_factors(const struct affine_reader *r, struct affine *a, struct affine *b,
                         unsigned *bits)
{
    bool short_factors = r->inst->op == OP_mul24 || r->inst->op == OP_mad24;
    if (!read_source(r, 0, a) || !read_source(r, 1, b))
        return false;
    *bits = r->bits;
    if (has(r, W_wide)) {
        *bits *= 2;
        return widen(r, source(r, 0), r->bits, r->is_signed, a) &&
               widen(r, source(r, 1), r->bits, r->is_signed, b);
    }
    if (short_factors && (!affine_fits(r->affines, a, 24, r->is_signed) ||
                          !affine_fits(r->affines, b, 24, r->is_signed)))
        return false;
    return has(r, W_lo);
}

static bool multiply(const struct affine_reader *r, struct affine *to)
{
    struct affine a, b;
    struct sum sum = sum_new();
    unsigned bits;
    if (!read_factors(r, &a, &b, &bits))
        return false;
    sum_product(&sum, &a, &b);
    return finish(r, &sum, bits, to);
}

static bool multiply_and_add(const struct affine_reader *r, struct affine *to)
{
    struct affine a, b, c;
    struct sum sum = sum_new();
    unsigned bits;
    if (!read_factors(r, &a, &b, &bits) || source(r, 2) == IR_NONE ||
        !affine_read(r->affines, r->view, source(r, 2), bits, &c))
        return false;
    sum_product(&sum, &a, &b);
    sum_add(&sum, &c, 1);
    return finish(r, &sum, bits, to);
}

static bool shift_left(const struct affine_reader *r, struct affine *to)
{
    struct affine a;
    struct sum sum = sum_new();
    int64_t n;
    if (!read_source(r, 0, &a) || !read_constant(r, 1, &n) || n < 0)
        return false;
    if (n < r->bits)
        sum_add(&sum, &a, (int64_t)(UINT64_C(1) << n));
    return finish(r, &sum, r->bits, to);
}

// Returns true if the expression is exactly the register's content, read as signed or unsigned.
static bool is_exact(const struct affine_reader *r, const struct affine *a, bool is_signed)
{
    return a->exact_bits >= r->bits && affine_fits(r->affines, a, r->bits, is_signed);
}

// Divides by a number that divides the constant and every coefficient; otherwise returns false.
static bool divide_exactly(const struct affine_reader *r, const struct affine *a, int64_t divisor,
                           struct affine *to)
{
    struct sum sum = sum_new();
    sum_add(&sum, a, 1);
    for (uint32_t i = 0; i < sum.count; i++) {
        if (sum.terms[i].coefficient % divisor)
            return false;
        sum.terms[i].coefficient /= divisor;
    }
    if (sum.constant % divisor)
        return false;
    sum.constant /= divisor;
    sum.exact_bits = 64;
    return finish(r, &sum, r->bits, to);
}

static bool divide(const struct affine_reader *r, struct affine *to)
{
    bool shifts = r->inst->op == OP_shr;
    struct affine a;
    int64_t n;
    if (!read_source(r, 0, &a) || !read_constant(r, 1, &n) || n < !shifts ||
        n >= (shifts ? (r->bits < 63 ? (int64_t)r->bits : 63) : INT32_MAX) ||
        !is_exact(r, &a, r->is_signed))
        return false;
    int64_t divisor = shifts ? INT64_C(1) << n : n, min, max;
    affine_range(r->affines, &a, &min, &max);
    if (min >= 0 && max < divisor) {
        *to = affine_constant(0);
        return true;
    }
    return divide_exactly(r, &a, divisor, to);
}

static bool remainder_of(const struct affine_reader *r, struct affine *to)
{
    int64_t n, min, max;
    struct affine ignored;
    if (!read_source(r, 0, to) || !read_constant(r, 1, &n) || n < 1 ||
        !is_exact(r, to, r->is_signed))
        return false;
    affine_range(r->affines, to, &min, &max);
    if (min >= 0 && max < n)
        return true;
    if (!divide_exactly(r, to, n, &ignored))
        return false;
    *to = affine_constant(0);
    return true;
}

// Returns true if the mask clears no set bit of x.
static bool keeps_all(const struct affine_reader *r, const struct affine *a, int64_t mask)
{
    uint64_t above = (uint64_t)mask + 1, cleared = ~(uint64_t)mask;
    if (mask >= 0 && mask < INT64_MAX && !((uint64_t)mask & above))
        return a->exact_bits >= r->bits &&
               affine_fits(r->affines, a, (unsigned)__builtin_ctzll(above), false);
    bool clears_low_bits = mask < 0 && !(cleared & (cleared + 1));
    unsigned low = clears_low_bits ? (unsigned)__builtin_popcountll(cleared) : 64;
    return low <= affine_low_zeros(a) && low <= a->exact_bits && !((uint64_t)a->constant & cleared);
}

static bool mask_bits(const struct affine_reader *r, struct affine *to)
{
    for (uint32_t n = 0; n < 2; n++) {
        int64_t mask;
        if (read_constant(r, n, &mask))
            return read_source(r, 1 - n, to) && keeps_all(r, to, mask);
    }
    return false;
}

// Extracts a bit field from a number that has no bits above it and whose terms are multiples of its
// lowest bit: a shift.
static bool extract_field(const struct affine_reader *r, struct affine *to)
{
    int64_t from, bits;
    if (!read_source(r, 0, to) || !read_constant(r, 1, &from) || !read_constant(r, 2, &bits) ||
        from < 0 || bits < 1 || from + bits > (int64_t)r->bits || from + bits > 62)
        return false;
    bool all = to->exact_bits >= r->bits &&
               affine_fits(r->affines, to, (unsigned)(from + bits), r->is_signed);
    return all && divide_exactly(r, to, INT64_C(1) << from, to);
}

// Returns true if the two have no bit in common: b lies below the lowest bit of a's terms, and
// shares no bit with a's constant there.
static bool are_disjoint(const struct affine_reader *r, const struct affine *a,
                         const struct affine *b)
{
    unsigned low = affine_low_zeros(a);
    if (low > a->exact_bits)
        low = a->exact_bits;
    if (low > 62)
        low = a->count ? 62 : r->bits < 62 ? r->bits : 62;
    if (b->exact_bits < r->bits || !affine_fits(r->affines, b, low, false))
        return false;
    int64_t below = a->constant & ((INT64_C(1) << low) - 1);
    return b->count ? !below : !(below & b->constant);
}

static bool join_bits(const struct affine_reader *r, struct affine *to)
{
    struct affine a, b;
    struct sum sum = sum_new();
    if (!read_source(r, 0, &a) || !read_source(r, 1, &b))
        return false;
    if (r->inst->op == OP_xor && !b.count && b.constant == -1)
        return negate(r, to);
    if (!are_disjoint(r, &a, &b) && !are_disjoint(r, &b, &a))
        return false;
    sum_add(&sum, &a, 1);
    sum_add(&sum, &b, 1);
    return finish(r, &sum, r->bits, to);
}

static bool convert(const struct affine_reader *r, struct affine *to)
{
    uint32_t operand = source(r, 0);
    unsigned from = ir_type_bits(r->inst->type2), into = r->bits;
    if (operand == IR_NONE || !ir_type_is_integer(r->inst->type2) || has(r, W_sat) ||
        !affine_read(r->affines, r->view, operand, from, to))
        return false;
    const struct ir_operand *o = &r->affines->fn->operands.v[operand];
    unsigned held = o->kind == OPERAND_REGISTER ? r->affines->fn->registers.v[o->index].bits : from;
    bool is_signed = ir_type_is_signed(r->inst->type2);
    unsigned result = r->affines->fn->registers.v[r->affines->fn->versions.v[r->version].reg].bits;
    if (from < held || into < 16 || (into < from && into < result)) // a part of a register
        return (from <= into ||
                affine_fits(r->affines, to, into, ir_type_is_signed(r->inst->type))) &&
               to->exact_bits >= held && affine_fits(r->affines, to, from, is_signed);
    if (into > from)
        return widen(r, operand, from, is_signed, to);
    if (into == from)
        return true;
    return !affine_is_wider(r->affines, to, into) && cut(r, into, to);
}

static bool choose(const struct affine_reader *r, struct affine *to)
{
    struct affine other;
    return read_source(r, 0, to) && read_source(r, 1, &other) && affine_equal(to, &other);
}

static bool limit(const struct affine_reader *r, struct affine *to)
{
    struct affine a, b;
    int64_t min[2], max[2];
    if (!read_source(r, 0, &a) || !read_source(r, 1, &b) || !is_exact(r, &a, r->is_signed) ||
        !is_exact(r, &b, r->is_signed))
        return false;
    affine_range(r->affines, &a, &min[0], &max[0]);
    affine_range(r->affines, &b, &min[1], &max[1]);
    bool first_less = max[0] <= min[1], second_less = max[1] <= min[0];
    *to = (r->inst->op == OP_min) == first_less ? a : b;
    return first_less || second_less;
}

static bool magnitude(const struct affine_reader *r, struct affine *to)
{
    int64_t min, max;
    if (!read_source(r, 0, to) || !is_exact(r, to, true))
        return false;
    affine_range(r->affines, to, &min, &max);
    return min >= 0;
}

// Reads a kernel parameter, or an element of a vector load from one.
static bool parameter(const struct affine_reader *r, struct affine *to)
{
    const struct affines *affines = r->affines;
    const struct ir_function *fn = affines->fn;
    uint32_t address = ir_find_operand(fn, r->id, ROLE_ADDRESS, 0), element = 0;
    bool reads = fn->is_entry && (r->inst->space == W_param || r->inst->space == W_param_entry);
    if (!reads || address == IR_NONE || fn->operands.v[address].kind != OPERAND_SYMBOL)
        return false;
    const struct ir_operand *o = &fn->operands.v[address];
    if (affines->module->symbols.v[o->index].parameter == IR_NONE)
        return false;
    while (fn->operand_version.v[ir_find_operand(fn, r->id, ROLE_DEF, element)] != r->version)
        element++;
    struct affine_atom atom = {.kind = AFFINE_PARAMETER,
                               .bits = (uint8_t)r->bits,
                               .member = W_UNKNOWN,
                               .index = o->index,
                               .offset = o->value + (int64_t)element * r->bits / 8};
    unsigned held = fn->registers.v[fn->versions.v[r->version].reg].bits;
    atom.is_unsigned = r->bits < held && !r->is_signed;
    unsigned magnitude_bits = r->bits - !atom.is_unsigned;
    atom.min = atom.is_unsigned ? 0 : r->bits == 64 ? INT64_MIN : -(INT64_C(1) << magnitude_bits);
    atom.max = magnitude_bits >= 63 ? INT64_MAX : (INT64_C(1) << magnitude_bits) - 1;
    *to = affine_of_atom(r->affines, &atom);
    return true;
}

static rule_function *const rules[OP_COUNT] = {
    [OP_mov] = copy,
    [OP_cvta] = copy,
    [OP_add] = add_or_subtract,
    [OP_sub] = add_or_subtract,
    [OP_neg] = negate,
    [OP_not] = negate,
    [OP_mul] = multiply,
    [OP_mul24] = multiply,
    [OP_mad] = multiply_and_add,
    [OP_mad24] = multiply_and_add,
    [OP_shl] = shift_left,
    [OP_shr] = divide,
    [OP_div] = divide,
    [OP_rem] = remainder_of,
    [OP_and] = mask_bits,
    [OP_or] = join_bits,
    [OP_xor] = join_bits,
    [OP_bfe] = extract_field,
    [OP_cvt] = convert,
    [OP_selp] = choose,
    [OP_min] = limit,
    [OP_max] = limit,
    [OP_abs] = magnitude,
    [OP_ld] = parameter,
};

bool affine_follows(const struct affines *affines, uint32_t inst)
{
    const struct ir_inst *at = &affines->fn->insts.v[inst];
    return at->op < OP_COUNT && rules[at->op] && ir_type_is_integer(at->type) &&
           !(at->flags & (INST_GUARDED | INST_ORDERED));
}

bool affine_of_inst(struct affines *affines, enum affine_view view, uint32_t version,
                    struct affine *to)
{
    uint32_t id = affines->fn->versions.v[version].index;
    const struct ir_inst *inst = &affines->fn->insts.v[id];
    if (!affine_follows(affines, id))
        return false;
    bool one_result = ir_find_operand(affines->fn, id, ROLE_DEF, 1) == IR_NONE;
    if ((!one_result && inst->op != OP_ld) ||
        ir_has_modifier(affines->module, affines->fn, id, W_sat))
        return false;
    struct affine_reader reader = {
        affines, view, inst, id, version, ir_type_bits(inst->type), ir_type_is_signed(inst->type)};
    return rules[inst->op](&reader, to);
}
