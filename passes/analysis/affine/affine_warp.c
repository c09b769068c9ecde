// The low zero bits of a base split the lanes' offsets into a lower part, which never carries into
// the base, and a higher one.
#include "passes/analysis/affine/affine_warp.h"

enum { MAX_ZEROS = 62, POINTER_ZEROS = 8 };

struct extent {
    int64_t min, max;
};

bool warp_is_flat(const struct affine_warp_value *v)
{
    for (uint32_t lane = 1; lane < WARP_LANES; lane++)
        if (v->offset[lane] != v->offset[0])
            return false;
    return true;
}

struct affine_warp_value warp_constant(int64_t value)
{
    struct affine_warp_value v = {.base = affine_constant(0)};
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        v.offset[lane] = value;
    return v;
}

bool warp_set_base(struct affines *affines, const struct affine_term *terms, uint32_t count,
                   struct affine *to)
{
    *to = affine_constant(0);
    if (count > BASE_TERMS - affines->base_count)
        return false;
    to->terms = &affines->bases[affines->base_count];
    to->count = count;
    for (uint32_t i = 0; i < count; i++)
        affines->bases[affines->base_count++] = terms[i];
    return true;
}

bool warp_set_common(const struct warp_operation *at, unsigned zeros, int64_t min, int64_t max,
                     struct affine_warp_value *to)
{
    struct affine_atom atom = {.kind = AFFINE_COMMON,
                               .bits = (uint8_t)at->bits,
                               .member = W_UNKNOWN,
                               .index = at->version,
                               .min = min,
                               .max = max};
    uint32_t id = affine_intern(at->affines, &atom);
    struct affine_term term = {1, {id, IR_NONE, IR_NONE}};
    struct affine_atom *kept = &at->affines->atoms.v[id];
    kept->zeros = kept->aligned = (uint8_t)(zeros < MAX_ZEROS ? zeros : MAX_ZEROS);
    kept->min = min;
    kept->max = max;
    return warp_set_base(at->affines, &term, 1, &to->base);
}

bool warp_set_mixed(const struct warp_operation *at, unsigned zeros, int64_t min, int64_t max,
                    struct affine_warp_value *to)
{
    to->assumes |= WARP_MIXED;
    return warp_set_common(at, zeros, min, max, to);
}

void warp_align(struct affines *affines, const struct affine_warp_value *v, unsigned aligned)
{
    affines->atoms.v[v->base.terms[0].atom[0]].aligned =
        (uint8_t)(aligned < MAX_ZEROS ? aligned : MAX_ZEROS);
}

// %ntid.x of an unknown shape is a multiple of the warp size.
static unsigned atom_zeros(const struct affines *affines, const struct affine_atom *atom,
                           bool pointers)
{
    if (pointers && atom->kind == AFFINE_COMMON)
        return atom->aligned;
    bool whole = atom->kind == AFFINE_SPECIAL && atom->index == SPECIAL_ntid &&
                 atom->member == W_x && !shape_is_known(&affines->shape);
    return whole ? 5 : atom->zeros;
}

static bool is_pointer(const struct affines *affines, const struct affine_term *term)
{
    const struct affine_atom *atom = &affines->atoms.v[term->atom[0]];
    bool parameter = atom->kind == AFFINE_PARAMETER && atom->bits == affines->module->address_bits;
    return term->coefficient == 1 && term->atom[1] == IR_NONE &&
           (atom->kind == AFFINE_SYMBOL || parameter);
}

unsigned warp_zeros(const struct affines *affines, const struct affine *base, bool pointers)
{
    unsigned zeros = MAX_ZEROS;
    bool based = !pointers;
    for (uint32_t i = 0; i < base->count; i++) {
        unsigned own = (unsigned)__builtin_ctzll((uint64_t)base->terms[i].coefficient);
        for (int k = 0; k < AFFINE_FACTORS && base->terms[i].atom[k] != IR_NONE; k++)
            own += atom_zeros(affines, &affines->atoms.v[base->terms[i].atom[k]], pointers);
        if (!based && is_pointer(affines, &base->terms[i])) {
            based = true;
            own = POINTER_ZEROS;
        }
        zeros = own < zeros ? own : zeros;
    }
    return zeros;
}

// Numbers

static struct extent offsets_extent(const struct affine_warp_value *v)
{
    struct extent e = {v->offset[0], v->offset[0]};
    for (uint32_t lane = 1; lane < WARP_LANES; lane++) {
        e.min = v->offset[lane] < e.min ? v->offset[lane] : e.min;
        e.max = v->offset[lane] > e.max ? v->offset[lane] : e.max;
    }
    return e;
}

// INT64_MIN and INT64_MAX mean unbounded.
static struct extent extent_of(const struct affines *affines, const struct affine_warp_value *v)
{
    struct extent own = offsets_extent(v), e;
    affine_range(affines, &v->base, &e.min, &e.max);
    if (e.min == INT64_MIN || __builtin_add_overflow(e.min, own.min, &e.min))
        e.min = INT64_MIN;
    if (e.max == INT64_MAX || __builtin_add_overflow(e.max, own.max, &e.max))
        e.max = INT64_MAX;
    return e;
}

// Returns an empty range for types without bits: predicates, and registers that hold no number.
static struct extent type_extent(unsigned bits, bool is_signed)
{
    if (!bits)
        return (struct extent){0, -1};
    if (bits >= 64)
        return (struct extent){is_signed ? INT64_MIN : 0, INT64_MAX};
    int64_t top = INT64_C(1) << (bits - is_signed);
    return (struct extent){is_signed ? -top : 0, top - 1};
}

bool warp_number(const struct affines *affines, struct affine_warp_value *v, unsigned bits,
                 bool is_signed)
{
    struct extent e = extent_of(affines, v), type = type_extent(bits, is_signed);
    if (!bits)
        return false;
    if (warp_is_exact(v)) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            v->offset[lane] = affine_extended(v->offset[lane], bits, is_signed);
        return true;
    }
    if (e.min >= type.min && e.max <= type.max)
        return true;
    if ((!is_signed && e.min < 0) || affine_is_wider(affines, &v->base, bits))
        return false;
    v->assumes |= is_signed ? AFFINE_SIGNED : AFFINE_UNSIGNED;
    return true;
}

// Returns the range of a value read as a number of this width.
static struct extent number_extent(const struct warp_operation *at,
                                   const struct affine_warp_value *v)
{
    struct extent e = extent_of(at->affines, v);
    struct extent type = type_extent(at->bits, at->is_signed);
    if (!warp_is_exact(v)) {
        e.min = e.min < type.min ? type.min : e.min;
        e.max = e.max > type.max ? type.max : e.max;
    }
    return e;
}

// Sums and products

static bool keep_base(struct affines *affines, struct sum *sum, struct affine_warp_value *to)
{
    if (sum->too_long || !warp_set_base(affines, sum->terms, sum->count, &to->base))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        to->offset[lane] = (int64_t)((uint64_t)to->offset[lane] + (uint64_t)sum->constant);
    return true;
}

bool warp_sum(struct affines *affines, const struct affine_warp_value *x,
              const struct affine_warp_value *y, int64_t factor, struct affine_warp_value *to)
{
    struct affine_warp_value result = {.assumes = x->assumes | y->assumes};
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        result.offset[lane] =
            (int64_t)((uint64_t)x->offset[lane] + (uint64_t)y->offset[lane] * (uint64_t)factor);
    if (x->base.count || y->base.count) {
        struct sum sum = sum_new();
        sum_add(&sum, &x->base, 1);
        sum_add(&sum, &y->base, factor);
        if (!keep_base(affines, &sum, &result))
            return false;
    } else {
        result.base = affine_constant(0);
    }
    *to = result;
    return true;
}

static bool flat_product(struct affines *affines, const struct affine_warp_value *x,
                         const struct affine_warp_value *y, struct affine_warp_value *to)
{
    struct affine a = x->base, b = y->base;
    struct sum sum = sum_new();
    a.constant = x->offset[0];
    b.constant = y->offset[0];
    sum_product(&sum, &a, &b);
    uint8_t assumes = x->assumes | y->assumes;
    *to = warp_constant(0);
    to->assumes = assumes;
    return keep_base(affines, &sum, to);
}

bool warp_product(struct affines *affines, const struct affine_warp_value *x,
                  const struct affine_warp_value *y, struct affine_warp_value *to)
{
    struct affine_warp_value zero = warp_constant(0), result = zero;
    if (warp_is_exact(x) && warp_is_flat(x))
        return warp_sum(affines, &zero, y, x->offset[0], to);
    if (warp_is_exact(y) && warp_is_flat(y))
        return warp_sum(affines, &zero, x, y->offset[0], to);
    if (warp_is_flat(x) && warp_is_flat(y))
        return flat_product(affines, x, y, to);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        result.offset[lane] = (int64_t)((uint64_t)x->offset[lane] * (uint64_t)y->offset[lane]);
    result.assumes = x->assumes | y->assumes;
    bool exact = warp_is_exact(x) && warp_is_exact(y);
    *to = result;
    return exact;
}

// Bits

// Splits each offset into its bits above and below `zeros`.
static void divide_offsets(const struct affine_warp_value *v, unsigned zeros,
                           struct affine_warp_value *high, int64_t low[WARP_LANES])
{
    int64_t mask = (INT64_C(1) << zeros) - 1;
    *high = *v;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        low[lane] = v->offset[lane] & mask;
        high->offset[lane] = v->offset[lane] & ~mask;
    }
}

static int64_t logic(uint16_t op, int64_t x, int64_t y)
{
    return op == OP_and ? x & y : op == OP_or ? x | y : x ^ y;
}

// Combines the higher parts. y's must be equal in all lanes; otherwise the result is unknown.
static bool high_logic(const struct warp_operation *at, uint16_t op,
                       const struct affine_warp_value *x, const struct affine_warp_value *y,
                       unsigned zeros, struct affine_warp_value *to)
{
    int64_t ones = -(INT64_C(1) << zeros), mask = y->offset[0];
    bool exact = warp_is_exact(y), flat = warp_is_flat(y);
    if (exact && flat && mask == (op == OP_and ? ones : 0)) { // x is unchanged
        *to = *x;
        return true;
    }
    if (exact && flat && op != OP_xor && mask == (op == OP_and ? 0 : ones)) {
        *to = warp_constant(mask);
        return true;
    }
    if (!flat || !warp_is_flat(x))
        return false;
    struct extent type = type_extent(at->bits, true);
    bool bounds = exact && op == OP_and && mask >= 0;
    *to = warp_constant(0);
    return warp_set_mixed(at, zeros, bounds ? 0 : type.min, bounds ? mask : type.max, to);
}

bool warp_logic(const struct warp_operation *at, uint16_t op, const struct affine_warp_value *x,
                const struct affine_warp_value *y, struct affine_warp_value *to)
{
    struct affine_warp_value high[2], found;
    int64_t low[2][WARP_LANES];
    if (warp_is_exact(x) && !warp_is_exact(y))
        return warp_logic(at, op, y, x, to);
    unsigned zeros = warp_zeros(at->affines, &x->base, false);
    unsigned other = warp_zeros(at->affines, &y->base, false);
    zeros = other < zeros ? other : zeros;
    divide_offsets(x, zeros, &high[0], low[0]);
    divide_offsets(y, zeros, &high[1], low[1]);
    if (!high_logic(at, op, &high[0], &high[1], zeros, &found))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        found.offset[lane] += logic(op, low[0][lane], low[1][lane]);
    found.assumes |= x->assumes | y->assumes;
    *to = found;
    return true;
}

// Division

static int64_t floor_quotient(int64_t value, int64_t divisor)
{
    return value / divisor - (value % divisor < 0);
}

static bool divide_base(const struct affine *base, int64_t divisor, struct sum *sum)
{
    sum_add(sum, base, 1);
    for (uint32_t i = 0; i < sum->count; i++) {
        if (sum->terms[i].coefficient % divisor)
            return false;
        sum->terms[i].coefficient /= divisor;
    }
    return true;
}

// Returns true if all lanes have the same quotient: x lies between neighbouring multiples.
static bool one_quotient(const struct warp_operation *at, const struct affine_warp_value *x,
                         int64_t divisor, int64_t *quotient)
{
    struct extent e = number_extent(at, x);
    *quotient = floor_quotient(e.min, divisor);
    return e.min != INT64_MIN && e.max != INT64_MAX && *quotient == floor_quotient(e.max, divisor);
}

static bool is_power(int64_t value)
{
    return !(value & (value - 1));
}

// Divides the offsets alone. Returns false if the base is not a multiple of the divisor.
static bool divide_offset(const struct warp_operation *at, const struct affine_warp_value *x,
                          int64_t divisor, struct affine_warp_value *to)
{
    struct sum sum = sum_new();
    unsigned zeros = warp_zeros(at->affines, &x->base, false);
    bool whole = divide_base(&x->base, divisor, &sum);
    unsigned by = (unsigned)__builtin_ctzll((uint64_t)divisor);
    if (!whole && (!is_power(divisor) || by > zeros))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        to->offset[lane] = floor_quotient(x->offset[lane], divisor);
    if (whole)
        return warp_set_base(at->affines, sum.terms, sum.count, &to->base);
    struct extent e;
    affine_range(at->affines, &x->base, &e.min, &e.max);
    e.min = e.min == INT64_MIN ? INT64_MIN : floor_quotient(e.min, divisor);
    e.max = e.max == INT64_MAX ? INT64_MAX : floor_quotient(e.max, divisor);
    return warp_set_common(at, zeros - by, e.min, e.max, to);
}

// Returns true if the bits above the base's low zeros are equal in all lanes; `low` receives each
// lane's bits below.
static bool high_is_flat(const struct warp_operation *at, const struct affine_warp_value *x,
                         unsigned *zeros, int64_t low[WARP_LANES])
{
    struct affine_warp_value high;
    *zeros = warp_zeros(at->affines, &x->base, false);
    divide_offsets(x, *zeros, &high, low);
    return warp_is_flat(&high);
}

static bool divide(const struct warp_operation *at, const struct affine_warp_value *x,
                   int64_t divisor, struct affine_warp_value *to)
{
    int64_t low[WARP_LANES], quotient;
    unsigned zeros;
    if (one_quotient(at, x, divisor, &quotient)) {
        *to = warp_constant(quotient);
        return true;
    }
    *to = warp_constant(0);
    if (divide_offset(at, x, divisor, to))
        return true;
    if (!is_power(divisor) || !high_is_flat(at, x, &zeros, low))
        return false;
    struct extent e = number_extent(at, x);
    return warp_set_mixed(at, 0, floor_quotient(e.min, divisor), floor_quotient(e.max, divisor),
                          to);
}

bool warp_quotient(const struct warp_operation *at, const struct affine_warp_value *x,
                   int64_t divisor, struct affine_warp_value *to)
{
    struct affine_warp_value found;
    if (!divide(at, x, divisor, &found))
        return false;
    found.assumes |= x->assumes;
    *to = found;
    return true;
}

bool warp_remainder(const struct warp_operation *at, const struct affine_warp_value *x,
                    int64_t divisor, struct affine_warp_value *to)
{
    struct affine_warp_value found = warp_constant(0), quotient = found;
    int64_t one;
    unsigned zeros;
    if (one_quotient(at, x, divisor, &one)) {
        quotient = warp_constant(one);
        return warp_sum(at->affines, x, &quotient, -divisor, to);
    }
    if (divide_offset(at, x, divisor, &quotient)) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            found.offset[lane] = (int64_t)((uint64_t)x->offset[lane] -
                                           (uint64_t)divisor * (uint64_t)quotient.offset[lane]);
    } else {
        if (!is_power(divisor) || !high_is_flat(at, x, &zeros, found.offset) ||
            !warp_set_mixed(at, zeros, 0, divisor - 1, &found))
            return false;
    }
    found.assumes |= x->assumes;
    *to = found;
    return true;
}

// Choices

static bool holds(enum warp_relation relation, int64_t x, int64_t y)
{
    switch (relation) {
    case WARP_EQ: return x == y;
    case WARP_NE: return x != y;
    case WARP_LT: return x < y;
    case WARP_LE: return x <= y;
    case WARP_GT: return x > y;
    default: return x >= y;
    }
}

// Returns true if the relation has one result for all x and y in their ranges.
static bool compare_extents(enum warp_relation relation, struct extent x, struct extent y,
                            int64_t *result)
{
    bool less = x.max<y.min, more = x.min> y.max;
    bool not_more = x.max <= y.min, not_less = x.min >= y.max;
    *result = less ? holds(relation, 0, 1) : holds(relation, 1, 0);
    if (less || more)
        return true;
    if (relation == WARP_LE || relation == WARP_GT) {
        *result = relation == WARP_LE;
        return not_more;
    }
    *result = relation == WARP_GE;
    return not_less && (relation == WARP_GE || relation == WARP_LT);
}

bool warp_compare(const struct warp_operation *at, enum warp_relation relation,
                  const struct affine_warp_value *x, const struct affine_warp_value *y,
                  struct affine_warp_value *to)
{
    struct affine_warp_value difference;
    int64_t result;
    uint8_t assumes = x->assumes | y->assumes;
    bool apart = warp_sum(at->affines, x, y, -1, &difference);
    *to = warp_constant(0);
    if (apart && warp_is_exact(&difference)) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            to->offset[lane] = holds(relation, difference.offset[lane], 0);
    } else if (compare_extents(relation, number_extent(at, x), number_extent(at, y), &result)) {
        *to = warp_constant(result);
    } else if (!apart || !warp_is_flat(&difference) || !warp_set_mixed(at, 0, 0, 1, to)) {
        return false;
    }
    to->assumes |= assumes;
    return true;
}

static unsigned common_zeros(const struct warp_operation *at, const struct affine_warp_value *x,
                             const struct affine_warp_value *y, uint64_t apart, bool pointers)
{
    unsigned zeros = warp_zeros(at->affines, &x->base, pointers);
    unsigned other = warp_zeros(at->affines, &y->base, pointers);
    zeros = other < zeros ? other : zeros;
    other = apart ? (unsigned)__builtin_ctzll(apart) : MAX_ZEROS;
    return other < zeros ? other : zeros;
}

// Returns x or y for all lanes by an unknown condition. Requires equal distances between the lanes
// in both.
static bool choose_any(const struct warp_operation *at, const struct affine_warp_value *x,
                       const struct affine_warp_value *y, struct affine_warp_value *to)
{
    for (uint32_t lane = 1; lane < WARP_LANES; lane++)
        if ((uint64_t)x->offset[lane] - (uint64_t)x->offset[0] !=
            (uint64_t)y->offset[lane] - (uint64_t)y->offset[0])
            return false;
    uint64_t apart = (uint64_t)x->offset[0] - (uint64_t)y->offset[0];
    unsigned zeros = common_zeros(at, x, y, apart, false);
    unsigned aligned = common_zeros(at, x, y, apart, true);
    struct extent a = extent_of(at->affines, x), b = extent_of(at->affines, y);
    struct extent all = {a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
    struct extent own = offsets_extent(x);
    bool no_min = all.min == INT64_MIN || __builtin_sub_overflow(all.min, own.max, &all.min);
    bool no_max = all.max == INT64_MAX || __builtin_sub_overflow(all.max, own.min, &all.max);
    *to = *x;
    if (apart)
        to->assumes |= WARP_MIXED;
    if (!warp_set_common(at, zeros, no_min ? INT64_MIN : all.min, no_max ? INT64_MAX : all.max, to))
        return false;
    warp_align(at->affines, to, aligned);
    return true;
}

bool warp_choose(const struct warp_operation *at, const struct affine_warp_value *condition,
                 const struct affine_warp_value *x, const struct affine_warp_value *y,
                 struct affine_warp_value *to)
{
    uint32_t chosen = 0;
    uint8_t assumes = condition->assumes | x->assumes | y->assumes;
    if (!warp_is_exact(condition)) {
        if (!warp_is_flat(condition) || !choose_any(at, x, y, to))
            return false;
        to->assumes |= assumes;
        return true;
    }
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        chosen += condition->offset[lane] & 1;
    struct affine_warp_value result = chosen ? *x : *y;
    if (chosen && chosen < WARP_LANES && !affine_equal(&x->base, &y->base))
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        result.offset[lane] = condition->offset[lane] & 1 ? x->offset[lane] : y->offset[lane];
    result.assumes = assumes;
    *to = result;
    return true;
}
