// Decodes shfl, vote and others: the operand that selects the lanes, and the optional second
// result.
#include "runtime-sim/exec/decode/prepare.h"
#include <string.h>

// Returns the bytes per lane of each source. All but the first are numbers or sets of lanes.
static const uint8_t *widths_of(const struct decoder *d)
{
    uint8_t *widths = ARENA_ARRAY(d->program->arena, uint8_t, CODE_SOURCES);
    memset(widths, 4, CODE_SOURCES);
    if (d->inst->op == OP_vote)
        widths[0] = WIDTH_PREDICATE;
    else if (d->inst->op == OP_match)
        widths[0] = (uint8_t)decode_type_bytes(d->inst->type);
    return widths;
}

static const char *take_second(struct decoder *d, struct code *code)
{
    const struct ir_operand *second = decode_operand(d, ROLE_DEF, 1);
    if (!second)
        return NULL;
    code->d2 = decode_result(d, second, WIDTH_PREDICATE, W_pred);
    code->width2 = WIDTH_PREDICATE;
    return code->d2 == SLOT_NONE ? "this destination is not supported" : NULL;
}

const char *prepare_meet(struct decoder *d, struct code *code)
{
    code->value = code->source_count; // the last operand
    code->extra = widths_of(d);
    return take_second(d, code);
}

const char *prepare_meet_here(struct decoder *d, struct code *code)
{
    code->value = 0;
    return take_second(d, code);
}
