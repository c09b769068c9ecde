// Estimates the registers of a block's warp in a stack.
#include "runtime-sim/schemes/tom/block_table.h"

enum { RESERVED = 2 };

struct live_walk {
    const struct ir_function *fn;
    const struct tom_block *block;
    bool *named, *live; // per register
    uint32_t count, max;
};

static void set_live(struct live_walk *walk, uint32_t reg, bool live)
{
    uint32_t bits = walk->fn->registers.v[reg].bits;
    if (!walk->named[reg] || walk->live[reg] == live)
        return;
    walk->live[reg] = live;
    if (bits > 1 && live)
        walk->count += divide_up(bits, 32);
    else if (bits > 1)
        walk->count -= divide_up(bits, 32);
}

static void set_operands(struct live_walk *walk, uint32_t inst, bool definitions, bool live)
{
    const struct ir_operand *operands = ir_operands(walk->fn, inst);
    for (uint32_t i = 0; i < walk->fn->insts.v[inst].operand_count; i++)
        if (operands[i].kind == OPERAND_REGISTER && (operands[i].role == ROLE_DEF) == definitions)
            set_live(walk, operands[i].index, live);
}

static void note(struct live_walk *walk, uint32_t inst)
{
    if (inst >= walk->block->begin && inst <= walk->block->end && walk->count > walk->max)
        walk->max = walk->count;
}

static void walk_code(struct live_walk *walk, uint32_t number)
{
    const struct ir_block *at = &walk->fn->blocks.v[number];
    for (uint32_t reg = 0; reg < walk->fn->registers.n; reg++)
        set_live(walk, reg, ir_live_out(walk->fn, number, reg));
    for (uint32_t inst = at->end; inst-- > at->first;) {
        set_operands(walk, inst, true, true);
        note(walk, inst);
        set_operands(walk, inst, true, false);
        set_operands(walk, inst, false, true);
        note(walk, inst);
    }
}

// As in the estimate of a kernel's registers, a reserve is added to the maximum live at once.
uint32_t block_registers(struct arena *scratch, const struct ir_function *fn,
                         const struct tom_block *block)
{
    struct live_walk walk = {.fn = fn,
                             .block = block,
                             .named = ARENA_ARRAY(scratch, bool, fn->registers.n + 1),
                             .live = ARENA_ARRAY(scratch, bool, fn->registers.n + 1)};
    for (uint32_t inst = block->begin; inst <= block->end; inst++) {
        const struct ir_operand *operands = ir_operands(fn, inst);
        for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++)
            if (operands[i].kind == OPERAND_REGISTER)
                walk.named[operands[i].index] = true;
    }
    for (uint32_t i = 0; i < fn->blocks.n; i++) {
        const struct ir_block *at = &fn->blocks.v[i];
        if (at->first < at->end && at->end > block->begin && at->first <= block->end)
            walk_code(&walk, i);
    }
    return walk.max + RESERVED;
}
