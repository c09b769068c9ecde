// Decodes branches, barriers, and instructions that several lanes execute together.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/warp/steps.h"
#include <string.h>

// Branches, and the reconvergence points of the lanes that diverge at them

static struct branch *new_branch(struct decoder *d, uint32_t count)
{
    struct branch *branch = ARENA_NEW(d->program->arena, struct branch);
    branch->reconvergence = d->fn->blocks.v[d->inst->block].ipdom;
    branch->count = count;
    branch->targets = ARENA_ARRAY(d->program->arena, uint32_t, count);
    vec_push(&d->scratch, &d->branches, d->program->codes.n);
    return branch;
}

const char *prepare_branch(struct decoder *d, struct code *code)
{
    const struct ir_operand *label = decode_operand(d, ROLE_LABEL, 0);
    if (!label || label->kind != OPERAND_LABEL)
        return "this branch has no target";
    struct branch *branch = new_branch(d, 1);
    branch->targets[0] = label->index;
    code->extra = branch;
    return NULL;
}

const char *prepare_branch_indexed(struct decoder *d, struct code *code)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->fn->targets.n; i++)
        count += d->fn->targets.v[i].inst == d->id;
    if (!count)
        return "this branch has no list of targets";
    code->s[0] = decode_source(d, decode_operand(d, ROLE_USE, 0), 4, W_u32);
    code->source_count = 1;
    struct branch *branch = new_branch(d, count);
    count = 0;
    for (uint32_t i = 0; i < d->fn->targets.n; i++)
        if (d->fn->targets.v[i].inst == d->id)
            branch->targets[count++] = d->fn->targets.v[i].block;
    code->extra = branch;
    return code->s[0] == REG_SLOT_NONE ? "this index is not supported" : NULL;
}

// bar and barrier: barrier number, thread count, and the reduction

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
        if (code->d == REG_SLOT_NONE)
            return "this destination is not supported";
    }
    for (uint32_t i = 0; i < 3; i++)
        if (code->s[i] == REG_SLOT_NONE)
            return "this operand is not supported";
    code->extra = barrier;
    return NULL;
}

// shfl, vote and others: the operand that selects the lanes, and the optional second result

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

static const char *decode_second(struct decoder *d, struct code *code)
{
    const struct ir_operand *second = decode_operand(d, ROLE_DEF, 1);
    if (!second)
        return NULL;
    code->d2 = decode_result(d, second, WIDTH_PREDICATE, W_pred);
    code->width2 = WIDTH_PREDICATE;
    return code->d2 == REG_SLOT_NONE ? "this destination is not supported" : NULL;
}

const char *prepare_warp_sync(struct decoder *d, struct code *code)
{
    code->value = code->source_count; // the last operand
    code->extra = widths_of(d);
    return decode_second(d, code);
}

const char *prepare_warp_sync_here(struct decoder *d, struct code *code)
{
    code->value = 0;
    return decode_second(d, code);
}
