// Decodes branches, and the reconvergence points of the lanes that diverge at them.
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/decode/prepare.h"

static struct branch *new_branch(struct decoder *d, uint32_t count)
{
    struct branch *branch = ARENA_NEW(d->program->arena, struct branch);
    branch->join = d->fn->blocks.v[d->inst->block].ipdom;
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
    return code->s[0] == SLOT_NONE ? "this index is not supported" : NULL;
}
