// setp and set: the comparison gives a predicate; what is made of it are codes behind.
#include "runtime-sim/program/prepare.h"
#include "runtime-sim/program/select.h"
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

// By Boolean operator: what becomes of the comparison, and of its opposite.
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
    vec_push(&d->scratch, &d->behind,
             (struct code){.lanes = fn,
                           .guard = SLOT_NONE,
                           .d = to,
                           .d2 = SLOT_NONE,
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
    uint32_t second_result = second ? decode_result(d, second, WIDTH_PREDICATE, W_pred) : SLOT_NONE;
    if (other == SLOT_NONE || (second && second_result == SLOT_NONE))
        return "this operand cannot be executed";
    code->d = test;
    // Both read `other`, which may be where the first result goes.
    uint32_t kept = second ? decode_temp(d, WIDTH_PREDICATE) : first_result;
    put_predicate(d, boolean->of_it, kept, test, other);
    if (second) {
        put_predicate(d, boolean->of_not, second_result, test, other);
        put_predicate(d, first, first_result, kept, kept);
    }
    return NULL;
}

// set.lt.u32.f32: all bits, or 1.0 for a result in floating point.
static void select_ones(const struct code *code, void *d, const void *const *s)
{
    uint32_t mask = *(const uint32_t *)s[0], *to = d, ones = (uint32_t)code->value;
    for (int i = 0; i < LANES; i++)
        to[i] = mask >> i & 1 ? ones : 0;
}

const char *prepare_set(struct decoder *d, struct code *code)
{
    uint16_t words[4];
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->mod_count; i++)
        if (isa_words[d->mods[i]].kind == KIND_COMPARE)
            words[count++] = d->mods[i];
    words[count++] = d->inst->type2;
    const struct exec_row *row =
        select_words(d->selection, OP_setp, words, count, code->attributes);
    const struct boolean *boolean = boolean_of(d);
    if (!row || ir_type_bits(d->inst->type) != 32)
        return "this comparison cannot be executed";
    uint32_t width = (uint32_t)row->widths[2] - '0', test = decode_temp(d, WIDTH_PREDICATE);
    uint32_t other = test, result = decode_result(d, decode_operand(d, ROLE_DEF, 0), 4, W_u32);
    code->lanes = row->lanes;
    code->step = NULL;
    for (uint32_t i = 0; i < 2; i++)
        code->s[i] = decode_source(d, decode_operand(d, ROLE_USE, i), width, d->inst->type2);
    code->source_count = 2;
    if (boolean->word != W_UNKNOWN)
        other = decode_source(d, decode_operand(d, ROLE_USE, 2), WIDTH_PREDICATE, W_pred);
    if (code->s[0] == SLOT_NONE || code->s[1] == SLOT_NONE || other == SLOT_NONE ||
        result == SLOT_NONE)
        return "this operand cannot be executed";
    code->d = test;
    put_predicate(d, boolean->of_it, test, test, other);
    vec_push(&d->scratch, &d->behind,
             (struct code){.lanes = select_ones,
                           .guard = SLOT_NONE,
                           .d = result,
                           .d2 = SLOT_NONE,
                           .s = {test},
                           .source_count = 1,
                           .width = 4,
                           .value = d->inst->type == W_f32 ? 0x3f800000 : 0xffffffff});
    return NULL;
}
