// Decodes lop3: converts the table of values to a polynomial.
#include "runtime-sim/exec/decode/prepare.h"

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
    if (code->d == SLOT_NONE || (boolean && code->d2 == SLOT_NONE))
        return "this destination is not supported";
    for (uint32_t i = 0; i < 3; i++)
        code->s[i] = decode_source(d, decode_operand(d, ROLE_USE, i), 4, W_b32);
    if (boolean)
        code->s[3] = decode_source(d, decode_operand(d, ROLE_USE, 4), WIDTH_PREDICATE, W_pred);
    code->source_count = boolean ? 4 : 3;
    for (uint32_t i = 0; i < code->source_count; i++)
        if (code->s[i] == SLOT_NONE)
            return "this operand is not supported";
    return NULL;
}
