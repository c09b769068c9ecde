// Floating point: rejects modifiers that a row accepts as attributes but does not implement.
#include "runtime-sim/exec/decode/prepare.h"

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
        if (code->s[i] == SLOT_NONE)
            return "this operand is not supported";
    }
    return code->d == SLOT_NONE ? "this destination is not supported" : NULL;
}
