// Sums of products of atoms, and their ranges.
#include "passes/analysis/affine/affine_internal.h"
#include <string.h>

__extension__ typedef __int128 wide;

struct affine affine_constant(int64_t value)
{
    return (struct affine){.constant = value, .exact_bits = 64};
}

int64_t affine_extended(int64_t value, unsigned bits, bool is_signed)
{
    if (!bits || bits >= 64) // a register without a width may hold anything
        return value;
    uint64_t high = (uint64_t)value << (64 - bits);
    return is_signed ? (int64_t)high >> (64 - bits) : (int64_t)(high >> (64 - bits));
}

static int64_t wrapping_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrapping_product(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

struct sum sum_new(void)
{
    struct sum sum;
    sum.constant = 0;
    sum.count = 0;
    sum.exact_bits = 64;
    sum.assumes = 0;
    sum.too_long = false;
    return sum;
}

static int compare_terms(const struct affine_term *a, const struct affine_term *b)
{
    for (int i = 0; i < AFFINE_FACTORS; i++)
        if (a->atom[i] != b->atom[i])
            return a->atom[i] < b->atom[i] ? -1 : 1;
    return 0;
}

static void remove_term(struct sum *to, uint32_t at)
{
    to->count--;
    for (uint32_t i = at; i < to->count; i++)
        to->terms[i] = to->terms[i + 1];
}

static void add_term(struct sum *to, const struct affine_term *term)
{
    uint32_t at = 0;
    int order = 1;
    while (at < to->count && (order = compare_terms(&to->terms[at], term)) < 0)
        at++;
    if (at < to->count && !order) {
        to->terms[at].coefficient = wrapping_sum(to->terms[at].coefficient, term->coefficient);
        if (!to->terms[at].coefficient)
            remove_term(to, at);
        return;
    }
    if (!term->coefficient)
        return;
    if (to->count == AFFINE_MAX_TERMS) {
        to->too_long = true;
        return;
    }
    for (uint32_t i = to->count++; i > at; i--)
        to->terms[i] = to->terms[i - 1];
    to->terms[at] = *term;
}

// Returns the number of exact low bits of factor × a.
static unsigned exact_bits_times(const struct affine *a, int64_t factor)
{
    unsigned bits = a->exact_bits + (factor ? (unsigned)__builtin_ctzll((uint64_t)factor) : 64);
    return bits < 64 ? bits : 64;
}

void sum_add(struct sum *to, const struct affine *a, int64_t factor)
{
    to->constant = wrapping_sum(to->constant, wrapping_product(a->constant, factor));
    for (uint32_t i = 0; i < a->count; i++) {
        struct affine_term term = a->terms[i];
        term.coefficient = wrapping_product(term.coefficient, factor);
        add_term(to, &term);
    }
    to->exact_bits = smaller(to->exact_bits, exact_bits_times(a, factor));
    to->assumes |= a->assumes;
}

static uint32_t factors_of(const struct affine_term *term)
{
    uint32_t n = 0;
    while (n < AFFINE_FACTORS && term->atom[n] != IR_NONE)
        n++;
    return n;
}

static void add_product(struct sum *to, const struct affine_term *a, const struct affine_term *b)
{
    uint32_t n = factors_of(a), m = factors_of(b), i = 0, k = 0;
    struct affine_term term = {wrapping_product(a->coefficient, b->coefficient),
                               {IR_NONE, IR_NONE, IR_NONE}};
    if (n + m > AFFINE_FACTORS) {
        to->too_long = true;
        return;
    }
    while (i + k < n + m) {
        bool first = k == m || (i < n && a->atom[i] <= b->atom[k]);
        uint32_t atom = first ? a->atom[i] : b->atom[k];
        term.atom[i + k] = atom;
        i += first;
        k += !first;
    }
    add_term(to, &term);
}

void sum_product(struct sum *to, const struct affine *a, const struct affine *b)
{
    if (!a->count || !b->count) {
        const struct affine *factor = a->count ? b : a;
        to->exact_bits = smaller(to->exact_bits, factor->exact_bits);
        to->assumes |= factor->assumes;
        sum_add(to, a->count ? a : b, factor->constant);
        return;
    }
    to->constant = wrapping_sum(to->constant, wrapping_product(a->constant, b->constant));
    for (uint32_t i = 0; i < a->count; i++) {
        struct affine_term term = a->terms[i];
        term.coefficient = wrapping_product(term.coefficient, b->constant);
        add_term(to, &term);
        for (uint32_t k = 0; k < b->count; k++)
            add_product(to, &a->terms[i], &b->terms[k]);
    }
    for (uint32_t k = 0; k < b->count; k++) {
        struct affine_term term = b->terms[k];
        term.coefficient = wrapping_product(term.coefficient, a->constant);
        add_term(to, &term);
    }
    to->exact_bits = smaller(to->exact_bits, smaller(a->exact_bits, b->exact_bits));
    to->assumes |= a->assumes | b->assumes;
}

void sum_cut(struct sum *sum, unsigned bits)
{
    sum->constant = affine_extended(sum->constant, bits, true);
    for (uint32_t i = sum->count; i-- > 0;) {
        sum->terms[i].coefficient = affine_extended(sum->terms[i].coefficient, bits, true);
        if (!sum->terms[i].coefficient)
            remove_term(sum, i);
    }
}

bool sum_keep(struct affines *affines, const struct sum *sum, struct affine *to)
{
    if (sum->too_long)
        return false;
    *to = (struct affine){.constant = sum->constant,
                          .count = sum->count,
                          .exact_bits = sum->exact_bits,
                          .assumes = sum->assumes};
    if (sum->count) {
        size_t size = sum->count * sizeof *sum->terms;
        to->terms = memcpy(arena_alloc(affines->arena, size), sum->terms, size);
    }
    return true;
}

bool affine_equal(const struct affine *a, const struct affine *b)
{
    if (a->constant != b->constant || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].coefficient != b->terms[i].coefficient ||
            compare_terms(&a->terms[i], &b->terms[i]))
            return false;
    return true;
}

unsigned affine_low_zeros(const struct affine *a)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < a->count; i++)
        any |= (uint64_t)a->terms[i].coefficient;
    return any ? (unsigned)__builtin_ctzll(any) : 64;
}

// Ranges: INT64_MIN as minimum and INT64_MAX as maximum mean unbounded.

static int64_t clamp(wide value)
{
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static bool is_endless(int64_t value)
{
    return value == INT64_MIN || value == INT64_MAX;
}

static int64_t bounded_product(int64_t a, int64_t b)
{
    if (!a || !b)
        return 0;
    if (is_endless(a) || is_endless(b))
        return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return clamp((wide)a * b);
}

struct value_range {
    int64_t min, max;
};

static struct value_range product_range(struct value_range a, struct value_range b)
{
    int64_t corners[] = {bounded_product(a.min, b.min), bounded_product(a.min, b.max),
                         bounded_product(a.max, b.min), bounded_product(a.max, b.max)};
    struct value_range range = {corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        range.min = corners[i] < range.min ? corners[i] : range.min;
        range.max = corners[i] > range.max ? corners[i] : range.max;
    }
    return range;
}

static struct value_range term_range(const struct affines *affines, const struct affine_term *term)
{
    struct value_range range = {term->coefficient, term->coefficient};
    for (uint32_t i = 0; i < factors_of(term); i++) {
        const struct affine_atom *atom = &affines->atoms.v[term->atom[i]];
        range = product_range(range, (struct value_range){atom->min, atom->max});
    }
    return range;
}

void affine_range(const struct affines *affines, const struct affine *a, int64_t *min, int64_t *max)
{
    *min = *max = a->constant;
    for (uint32_t i = 0; i < a->count; i++) {
        struct value_range range = term_range(affines, &a->terms[i]);
        bool no_min = *min == INT64_MIN || range.min == INT64_MIN;
        bool no_max = *max == INT64_MAX || range.max == INT64_MAX;
        *min = no_min ? INT64_MIN : clamp((wide)*min + range.min);
        *max = no_max ? INT64_MAX : clamp((wide)*max + range.max);
    }
}

bool affine_fits(const struct affines *affines, const struct affine *a, unsigned bits,
                 bool is_signed)
{
    int64_t min, max;
    affine_range(affines, a, &min, &max);
    if (!bits) // only 0 fits into no bits
        return !min && !max;
    if (bits >= 64)
        return is_signed ? min != INT64_MIN && max != INT64_MAX : min >= 0 && max != INT64_MAX;
    int64_t top = INT64_C(1) << (bits - is_signed);
    return min >= (is_signed ? -top : 0) && max < top;
}

// Queries

bool affine_difference(struct affines *affines, const struct affine *a, const struct affine *b,
                       struct affine *to)
{
    struct sum sum = sum_new();
    sum_add(&sum, a, 1);
    sum_add(&sum, b, -1);
    return sum_keep(affines, &sum, to);
}

// Removes the factor `atom` from the term. Returns its power.
static uint32_t remove_factor(const struct affine_term *term, uint32_t atom,
                              struct affine_term *rest)
{
    uint32_t taken = 0, n = 0;
    *rest = (struct affine_term){term->coefficient, {IR_NONE, IR_NONE, IR_NONE}};
    for (uint32_t i = 0; i < factors_of(term); i++) {
        if (term->atom[i] == atom)
            taken++;
        else
            rest->atom[n++] = term->atom[i];
    }
    return taken;
}

bool affine_step(struct affines *affines, const struct affine *a, uint32_t atom,
                 struct affine *step)
{
    struct sum sum = sum_new();
    sum.exact_bits = a->exact_bits;
    sum.assumes = a->assumes;
    for (uint32_t i = 0; i < a->count; i++) {
        struct affine_term rest;
        uint32_t taken = remove_factor(&a->terms[i], atom, &rest);
        if (taken > 1)
            return false;
        if (taken && rest.atom[0] == IR_NONE)
            sum.constant = rest.coefficient;
        else if (taken)
            add_term(&sum, &rest);
    }
    return sum_keep(affines, &sum, step);
}

static bool ranges_apart(const struct affines *affines, const struct affine *difference,
                         uint32_t a_bytes, uint32_t b_bytes)
{
    int64_t min, max;
    affine_range(affines, difference, &min, &max);
    unsigned bits = difference->exact_bits;
    int64_t period = bits < 63 ? INT64_C(1) << bits : INT64_MAX;
    bool above = min >= (int64_t)b_bytes && max <= period - (int64_t)a_bytes;
    bool below = max <= -(int64_t)a_bytes && min >= -period + (int64_t)b_bytes;
    return above || below;
}

// All terms are multiples of a power of two: the constant modulo that power decides whether the
// accesses can overlap.
static bool are_apart(const struct affine *difference, uint32_t a_bytes, uint32_t b_bytes)
{
    unsigned bits = affine_low_zeros(difference);
    bits = bits < difference->exact_bits ? bits : difference->exact_bits;
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    uint64_t place = (uint64_t)difference->constant & mask;
    return place >= b_bytes && mask - place + 1 >= a_bytes;
}

bool affine_apart(const struct affines *affines, const struct affine *a, uint32_t a_bytes,
                  const struct affine *b, uint32_t b_bytes)
{
    struct sum sum = sum_new();
    sum_add(&sum, a, 1);
    sum_add(&sum, b, -1);
    if (sum.too_long || !a_bytes || !b_bytes)
        return false;
    struct affine difference = {.constant = sum.constant,
                                .terms = sum.terms,
                                .count = sum.count,
                                .exact_bits = sum.exact_bits};
    return are_apart(&difference, a_bytes, b_bytes) ||
           ranges_apart(affines, &difference, a_bytes, b_bytes);
}

uint32_t affine_base(const struct affines *affines, const struct affine *address)
{
    uint32_t found = IR_NONE;
    for (uint32_t i = 0; i < address->count; i++) {
        const struct affine_term *term = &address->terms[i];
        const struct affine_atom *atom = &affines->atoms.v[term->atom[0]];
        bool pointer = atom->kind != AFFINE_SPECIAL && atom->kind != AFFINE_ITERATION &&
                       atom->bits >= affines->module->address_bits && term->coefficient == 1 &&
                       term->atom[1] == IR_NONE;
        if (pointer && found != IR_NONE)
            return IR_NONE;
        if (pointer)
            found = term->atom[0];
    }
    return found;
}
