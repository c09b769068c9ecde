// shfl, vote, …: which operand names the lanes, and the second result, which may be missing.
#include "runtime-sim/program/prepare.h"

static const char *take_second(struct decoder *d, struct code *code)
{
    const struct ir_operand *second = decode_operand(d, ROLE_DEF, 1);
    if (!second)
        return NULL;
    code->d2 = decode_result(d, second, WIDTH_PREDICATE, W_pred);
    code->width2 = WIDTH_PREDICATE;
    return code->d2 == SLOT_NONE ? "this destination cannot be executed" : NULL;
}

const char *prepare_meet(struct decoder *d, struct code *code)
{
    code->value = code->source_count; // the last one
    return take_second(d, code);
}

const char *prepare_meet_here(struct decoder *d, struct code *code)
{
    code->value = 0;
    return take_second(d, code);
}
