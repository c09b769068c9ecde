// mov: registers, immediates, addresses; packing and unpacking vectors.
#include "runtime-sim/exec/steps.h"
#include "runtime-sim/program/prepare.h"
#include <string.h>

static void copy_lanes(const struct code *code, void *d, const void *const *s)
{
    memmove(d, s[0], lanes_bytes(code->width));
}

// `value`: which part; d is narrower than s.
static void take_part(const struct code *code, void *d, const void *const *s)
{
    uint8_t *to = d;
    const uint8_t *from = s[0];
    uint32_t whole = code->round, part = code->width;
    for (uint32_t i = 0; i < LANES; i++)
        memcpy(to + i * part, from + i * whole + code->value * part, part);
}

static void put_part(const struct code *code, void *d, const void *const *s)
{
    uint8_t *to = d;
    const uint8_t *from = s[0];
    uint32_t whole = code->width, part = code->round;
    for (uint32_t i = 0; i < LANES; i++)
        memcpy(to + i * whole + code->value * part, from + i * part, part);
}

static struct code lane_code(exec_fn *fn, uint32_t to, uint32_t width, uint32_t from)
{
    return (struct code){.lanes = fn,
                         .guard = SLOT_NONE,
                         .d = to,
                         .d2 = SLOT_NONE,
                         .s = {from},
                         .source_count = 1,
                         .width = (uint8_t)width};
}

static uint32_t count_role(const struct decoder *d, enum ir_role role)
{
    uint32_t count = 0;
    while (decode_operand(d, role, count))
        count++;
    return count;
}

// mov.b64 d, {a, b}: the parts are written one after the other to a place beside, as a part may be
// read from where the whole goes.
static const char *pack(struct decoder *d, struct code *code, uint32_t width, uint32_t count)
{
    uint32_t part = width / count, whole = decode_temp(d, width);
    uint32_t result = decode_result(d, decode_operand(d, ROLE_DEF, 0), width, W_b64);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = decode_source(d, decode_operand(d, ROLE_USE, i), part, W_b64);
        if (from == SLOT_NONE)
            return "this operand cannot be executed";
        struct code put = lane_code(put_part, whole, width, from);
        put.value = i;
        put.round = (uint8_t)part;
        decode_before(d, put);
    }
    struct code copy = lane_code(copy_lanes, result, width, whole);
    code->lanes = copy.lanes;
    code->d = result;
    code->s[0] = whole;
    code->source_count = 1;
    code->width = (uint8_t)width;
    return result == SLOT_NONE ? "this destination cannot be executed" : NULL;
}

// mov.b64 {a, b}, d
static const char *unpack(struct decoder *d, struct code *code, uint32_t width, uint32_t count)
{
    uint32_t part = width / count;
    uint32_t whole = decode_source(d, decode_operand(d, ROLE_USE, 0), width, W_b64);
    uint32_t copy = decode_temp(d, width);
    if (whole == SLOT_NONE)
        return "this operand cannot be executed";
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = decode_result(d, decode_operand(d, ROLE_DEF, i), part, W_b64);
        if (to == SLOT_NONE)
            return "this destination cannot be executed";
        struct code take = lane_code(take_part, to, part, copy);
        take.value = i;
        take.round = (uint8_t)width;
        vec_push(&d->scratch, &d->behind, take);
    }
    // Results that must be made wider come first in the list: move the parts in front of them.
    uint32_t resized = d->behind.n - count;
    for (uint32_t i = 0; i < resized; i++) {
        struct code first = d->behind.v[0];
        memmove(d->behind.v, d->behind.v + 1, (d->behind.n - 1) * sizeof first);
        d->behind.v[d->behind.n - 1] = first;
    }
    code->lanes = copy_lanes;
    code->d = copy;
    code->s[0] = whole;
    code->source_count = 1;
    code->width = (uint8_t)width;
    return NULL;
}

static const char *move_one(struct decoder *d, struct code *code, uint32_t width)
{
    const struct ir_operand *from = decode_operand(d, ROLE_USE, 0);
    bool clock =
        from && from->kind == OPERAND_SPECIAL && isa_specials[from->index].varies == VARIES_TIME;
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), width, d->inst->type);
    code->width = (uint8_t)width;
    if (code->d == SLOT_NONE)
        return "this destination cannot be executed";
    if (clock) {
        code->lanes = NULL;
        code->step = step_clock;
        code->value = from->index;
        return NULL;
    }
    code->s[0] = decode_source(d, from, width, d->inst->type);
    code->source_count = 1;
    return code->s[0] == SLOT_NONE ? "this operand cannot be executed" : NULL;
}

const char *prepare_move(struct decoder *d, struct code *code)
{
    uint32_t results = count_role(d, ROLE_DEF), sources = count_role(d, ROLE_USE);
    uint32_t width = d->inst->type == W_pred ? WIDTH_PREDICATE : decode_type_bytes(d->inst->type);
    code->lanes = copy_lanes;
    if (results == 1 && sources == 1)
        return move_one(d, code, width);
    if (results == 1)
        return pack(d, code, width, sources);
    if (sources == 1)
        return unpack(d, code, width, results);
    return "moves of whole vectors cannot be executed";
}
