// Decodes setp and set: the comparison gives a predicate, and the codes after it compute the
// results. Decodes arithmetic whose operands depend on its modifiers, and lop3.
#include "runtime-sim/exec/decode/decode.h"
#include "runtime-sim/exec/decode/prepare.h"
#include <string.h>

#define PREDICATES(name, ...)                                                                      \
    static void name(const struct code *code, void *d, const void *const *s)                       \
    {                                                                                              \
        (void)code;                                                                                \
        uint32_t a = *(const uint32_t *)s[0], b = *(const uint32_t *)s[1];                         \
        *(uint32_t *)d = (__VA_ARGS__);                                                            \
    }
PREDICATES(both, a &b)
PREDICATES(either, a | b)
PREDICATES(one_of, a ^ b)
PREDICATES(not_but, ~a &b)
PREDICATES(not_either, ~a | b)
PREDICATES(not_one_of, ~a ^ b)
PREDICATES(not_first, ~a | (b & 0))
PREDICATES(first, a | (b & 0))
#undef PREDICATES

// The functions by which a Boolean operator combines the comparison, and its negation, with the
// operand.
static const struct boolean {
    uint16_t word;
    exec_fn *of_it, *of_not;
} booleans[] = {
    {W_and, both, not_but},
    {W_or, either, not_either},
    {W_xor, one_of, not_one_of},
    {W_UNKNOWN, first, not_first},
};

static const struct boolean *boolean_of(const struct decoder *d)
{
    const struct boolean *boolean = booleans;
    while (boolean->word != W_UNKNOWN && !decode_has(d, boolean->word))
        boolean++;
    return boolean;
}

static void put_predicate(struct decoder *d, exec_fn *fn, uint32_t to, uint32_t test,
                          uint32_t other)
{
    vec_push(&d->scratch, &d->trailing,
             (struct code){.lanes = fn,
                           .guard = REG_SLOT_NONE,
                           .d = to,
                           .d2 = REG_SLOT_NONE,
                           .s = {test, other},
                           .source_count = 2});
}

const char *prepare_compare(struct decoder *d, struct code *code)
{
    const struct boolean *boolean = boolean_of(d);
    const struct ir_operand *second = decode_operand(d, ROLE_DEF, 1);
    if (boolean->word == W_UNKNOWN && !second)
        return NULL;
    uint32_t test = decode_temp(d, WIDTH_PREDICATE), other = test, first_result = code->d;
    if (boolean->word != W_UNKNOWN)
        other = decode_source(d, decode_operand(d, ROLE_USE, 2), WIDTH_PREDICATE, W_pred);
    uint32_t second_result =
        second ? decode_result(d, second, WIDTH_PREDICATE, W_pred) : REG_SLOT_NONE;
    if (other == REG_SLOT_NONE || (second && second_result == REG_SLOT_NONE))
        return "this operand is not supported";
    code->d = test;
    // Both read `other`, which may have the slot of the first result.
    uint32_t kept = second ? decode_temp(d, WIDTH_PREDICATE) : first_result;
    put_predicate(d, boolean->of_it, kept, test, other);
    if (second) {
        put_predicate(d, boolean->of_not, second_result, test, other);
        put_predicate(d, first, first_result, kept, kept);
    }
    return NULL;
}

// Decodes setp.lt.f16x2 p|q: a predicate for each half, with the same Boolean operation.
const char *prepare_compare_pair(struct decoder *d, struct code *code)
{
    const struct boolean *boolean = boolean_of(d);
    const struct ir_operand *second = decode_operand(d, ROLE_DEF, 1);
    uint32_t first_result = code->d, other = REG_SLOT_NONE;
    uint32_t second_result =
        second ? decode_result(d, second, WIDTH_PREDICATE, W_pred) : REG_SLOT_NONE;
    if (second && second_result == REG_SLOT_NONE)
        return "this destination is not supported";
    code->width2 = WIDTH_PREDICATE;
    code->d2 = second_result;
    if (boolean->word == W_UNKNOWN)
        return NULL;
    other = decode_source(d, decode_operand(d, ROLE_USE, 2), WIDTH_PREDICATE, W_pred);
    if (other == REG_SLOT_NONE)
        return "this operand is not supported";
    code->d = decode_temp(d, WIDTH_PREDICATE);
    if (second) {
        // The first result may have the slot of `other`.
        code->d2 = decode_temp(d, WIDTH_PREDICATE);
        put_predicate(d, boolean->of_it, code->d2, code->d2, other);
    }
    put_predicate(d, boolean->of_it, first_result, code->d, other);
    if (second)
        put_predicate(d, first, second_result, code->d2, code->d2);
    return NULL;
}

// set.lt.u32.f32: all ones, or 1.0 for a floating-point result.
#define ONES(name, T)                                                                              \
    static void name(const struct code *code, void *d, const void *const *s)                       \
    {                                                                                              \
        uint32_t mask = *(const uint32_t *)s[0];                                                   \
        T *to = d, ones = (T)code->value;                                                          \
        for (int i = 0; i < LANES; i++)                                                            \
            to[i] = mask >> i & 1 ? ones : 0;                                                      \
    }
ONES(ones_16, uint16_t)
ONES(ones_32, uint32_t)
#undef ONES

static void ones_pair(const struct code *code, void *d, const void *const *s)
{
    uint32_t lower = *(const uint32_t *)s[0], upper = *(const uint32_t *)s[1], *to = d;
    uint32_t ones = (uint32_t)code->value;
    for (int i = 0; i < LANES; i++)
        to[i] = (lower >> i & 1 ? ones : 0) | (upper >> i & 1 ? ones << 16 : 0);
}

static bool is_pair(uint16_t type)
{
    return type == W_f16x2 || type == W_bf16x2;
}

static uint64_t ones_of(uint16_t type, bool pair)
{
    switch (type) {
    case W_f32: return 0x3f800000;
    case W_f16:
    case W_f16x2: return 0x3c00;
    case W_bf16:
    case W_bf16x2: return 0x3f80;
    default: return pair ? 0xffff : 0xffffffff;
    }
}

// Adds codes after the comparison that compute `result` from its one or two predicates.
static void put_ones(struct decoder *d, const struct code *code, uint32_t result, uint32_t width)
{
    bool pair = is_pair(d->inst->type2);
    vec_push(&d->scratch, &d->trailing,
             (struct code){.lanes = pair         ? ones_pair
                                    : width == 2 ? ones_16
                                                 : ones_32,
                           .guard = REG_SLOT_NONE,
                           .d = result,
                           .d2 = REG_SLOT_NONE,
                           .s = {code->d, code->d2},
                           .source_count = pair ? 2 : 1,
                           .width = (uint8_t)width,
                           .value = ones_of(d->inst->type, pair)});
}

static const struct exec_row *comparison(struct decoder *d, const struct code *code)
{
    uint16_t words[4];
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->mod_count && count < 3; i++)
        if (isa_words[d->mods[i]].kind == KIND_COMPARE)
            words[count++] = d->mods[i];
    words[count++] = d->inst->type2;
    return select_words(d->selection, OP_setp, words, count, code->attributes);
}

const char *prepare_set(struct decoder *d, struct code *code)
{
    const struct exec_row *row = comparison(d, code);
    const struct boolean *boolean = boolean_of(d);
    uint32_t result_width = decode_type_bytes(d->inst->type), other = 0;
    if (!row || (result_width != 2 && result_width != 4))
        return "this comparison is not supported";
    uint32_t width = (uint32_t)row->widths[2] - '0';
    code->lanes = row->lanes;
    code->step = NULL;
    for (uint32_t i = 0; i < 2; i++)
        code->s[i] = decode_source(d, decode_operand(d, ROLE_USE, i), width, d->inst->type2);
    code->source_count = 2;
    code->d = decode_temp(d, WIDTH_PREDICATE);
    if (is_pair(d->inst->type2))
        code->d2 = decode_temp(d, WIDTH_PREDICATE);
    if (boolean->word != W_UNKNOWN) {
        other = decode_source(d, decode_operand(d, ROLE_USE, 2), WIDTH_PREDICATE, W_pred);
        put_predicate(d, boolean->of_it, code->d, code->d, other);
        if (code->d2 != REG_SLOT_NONE)
            put_predicate(d, boolean->of_it, code->d2, code->d2, other);
    }
    // A result is widened after it is computed.
    uint32_t kept = d->trailing.n;
    uint32_t result = decode_result(d, decode_operand(d, ROLE_DEF, 0), result_width, d->inst->type);
    if (code->s[0] == REG_SLOT_NONE || code->s[1] == REG_SLOT_NONE || other == REG_SLOT_NONE ||
        result == REG_SLOT_NONE)
        return "this operand is not supported";
    put_ones(d, code, result, result_width);
    if (d->trailing.n - kept == 2) {
        struct code wider = d->trailing.v[kept];
        d->trailing.v[kept] = d->trailing.v[kept + 1];
        d->trailing.v[kept + 1] = wider;
    }
    return NULL;
}

// Floating point: modifiers that a row accepts as attributes but does not implement are rejected

// Accepts the rounding modes of IEEE 754.
const char *prepare_rounding(struct decoder *d, struct code *code)
{
    (void)d;
    return code->round <= ROUND_UP ? NULL : "this rounding is not supported";
}

const char *prepare_two_or_three(struct decoder *d, struct code *code)
{
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), 4, d->inst->type);
    code->width = 4;
    code->source_count = decode_operand(d, ROLE_USE, 2) ? 3 : 2;
    for (uint32_t i = 0; i < code->source_count; i++) {
        code->s[i] = decode_source(d, decode_operand(d, ROLE_USE, i), 4, d->inst->type);
        if (code->s[i] == REG_SLOT_NONE)
            return "this operand is not supported";
    }
    return code->d == REG_SLOT_NONE ? "this destination is not supported" : NULL;
}

// lop3: the table of values becomes a polynomial

// Converts the values of a function of three bits, where bit 4a + 2b + c is the value for a, b, c,
// to the coefficients of its polynomial modulo 2: 1, c, b, bc, a, ac, ab, abc.
static uint32_t coefficients(uint32_t values)
{
    values ^= (values & 0x55) << 1;
    values ^= (values & 0x33) << 2;
    return values ^ (values & 0x0f) << 4;
}

const char *prepare_lop3(struct decoder *d, struct code *code)
{
    bool boolean = decode_has(d, W_and) || decode_has(d, W_or);
    const struct ir_operand *table = decode_operand(d, ROLE_USE, 3);
    if (!table || table->kind != OPERAND_IMMEDIATE)
        return "a truth table that is not a number is not supported";
    code->value = coefficients((uint32_t)table->value & 0xff);
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), 4, W_b32);
    code->width = 4;
    if (boolean)
        code->d2 = decode_result(d, decode_operand(d, ROLE_DEF, 1), WIDTH_PREDICATE, W_pred);
    if (code->d == REG_SLOT_NONE || (boolean && code->d2 == REG_SLOT_NONE))
        return "this destination is not supported";
    for (uint32_t i = 0; i < 3; i++)
        code->s[i] = decode_source(d, decode_operand(d, ROLE_USE, i), 4, W_b32);
    if (boolean)
        code->s[3] = decode_source(d, decode_operand(d, ROLE_USE, 4), WIDTH_PREDICATE, W_pred);
    code->source_count = boolean ? 4 : 3;
    for (uint32_t i = 0; i < code->source_count; i++)
        if (code->s[i] == REG_SLOT_NONE)
            return "this operand is not supported";
    return NULL;
}
