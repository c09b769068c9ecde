// Decodes bar and barrier: barrier number, thread count, and the reduction.
#include "runtime-sim/exec/warp/barrier.h"
#include "runtime-sim/exec/decode/prepare.h"

static enum barrier_reduce reduction(const struct decoder *d)
{
    if (!decode_has(d, W_red))
        return BARRIER_PLAIN;
    return decode_has(d, W_and) ? BARRIER_AND : decode_has(d, W_or) ? BARRIER_OR : BARRIER_COUNT;
}

static uint32_t count_uses(const struct decoder *d)
{
    uint32_t count = 0;
    while (decode_operand(d, ROLE_USE, count))
        count++;
    return count;
}

const char *prepare_barrier(struct decoder *d, struct code *code)
{
    struct barrier_code *barrier = ARENA_NEW(d->program->arena, struct barrier_code);
    barrier->reduce = (uint8_t)reduction(d);
    barrier->arrive = decode_has(d, W_arrive);
    uint32_t uses = count_uses(d), predicates = barrier->reduce != BARRIER_PLAIN;
    if (decode_has(d, W_warp) || decode_has(d, W_cluster))
        return "this barrier is not supported";
    barrier->counted = uses > 1 + predicates;
    code->source_count = 3;
    code->s[0] = decode_source(d, decode_operand(d, ROLE_USE, 0), 4, W_u32);
    code->s[1] =
        barrier->counted ? decode_source(d, decode_operand(d, ROLE_USE, 1), 4, W_u32) : code->s[0];
    code->s[2] = predicates ? decode_source(d, decode_operand(d, ROLE_USE, uses - 1),
                                            WIDTH_PREDICATE, W_pred)
                            : code->s[0];
    if (predicates) {
        uint32_t width = barrier->reduce == BARRIER_COUNT ? 4 : WIDTH_PREDICATE;
        code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), width, W_u32);
        code->width = (uint8_t)width;
        if (code->d == SLOT_NONE)
            return "this destination is not supported";
    }
    for (uint32_t i = 0; i < 3; i++)
        if (code->s[i] == SLOT_NONE)
            return "this operand is not supported";
    code->extra = barrier;
    return NULL;
}
