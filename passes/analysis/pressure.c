#include "passes/analysis/pressure.h"
#include "support/bits.h"
#include <assert.h>

// Live registers, walking backwards

struct live {
    const struct ir_function *fn;
    uint64_t *set; // over registers
    uint32_t registers, predicates;
};

static void add_live(struct live *live, uint32_t reg, int sign)
{
    uint32_t bits = live->fn->registers.v[reg].bits;
    if (bits == 1)
        live->predicates += (uint32_t)sign;
    else
        live->registers += (uint32_t)sign * ((bits + 31) / 32);
}

static void add(struct live *live, uint32_t reg)
{
    if (bits_test(live->set, reg))
        return;
    bits_set(live->set, reg);
    add_live(live, reg, 1);
}

static void drop(struct live *live, uint32_t reg)
{
    if (!bits_test(live->set, reg))
        return;
    bits_clear(live->set, reg);
    add_live(live, reg, -1);
}

static void add_live_in(struct live *live, uint32_t block)
{
    const struct ir_block *at = &live->fn->blocks.v[block];
    for (uint32_t i = 0; i < at->live_count; i++)
        add(live, live->fn->live.v[at->live + i]);
}

static void note(const struct live *live, uint32_t inst, struct pressure *pressure)
{
    if (live->registers > pressure->registers || pressure->at == IR_NONE) {
        pressure->registers = live->registers;
        pressure->at = inst;
    }
    if (live->predicates > pressure->predicates)
        pressure->predicates = live->predicates;
}

static void each_operand(struct live *live, uint32_t inst, bool definitions,
                         void (*change)(struct live *live, uint32_t reg))
{
    const struct ir_operand *operands = ir_operands(live->fn, inst);
    for (uint32_t i = 0; i < live->fn->insts.v[inst].operand_count; i++)
        if (operands[i].kind == OPERAND_REGISTER && (operands[i].role == ROLE_DEF) == definitions)
            change(live, operands[i].index);
}

// Results take the place of operands that are read for the last time.
static void walk_block(struct live *live, uint32_t block, struct pressure *pressure)
{
    const struct ir_block *at = &live->fn->blocks.v[block];
    for (uint32_t i = 0; i < at->succ_count; i++)
        add_live_in(live, ir_succs(live->fn, block)[i]);
    for (uint32_t inst = at->end; inst-- > at->first;) {
        each_operand(live, inst, true, add);
        note(live, inst, pressure);
        each_operand(live, inst, true, drop);
        each_operand(live, inst, false, add);
        note(live, inst, pressure);
    }
}

// The registers that are live at a block's start are those that its walk leaves in the set.
static void empty(struct live *live, uint32_t block)
{
    const struct ir_block *at = &live->fn->blocks.v[block];
    for (uint32_t i = 0; i < at->live_count; i++)
        drop(live, live->fn->live.v[at->live + i]);
}

struct pressure pressure_of(struct arena *scratch, const struct ir_function *fn)
{
    struct pressure pressure = {.at = IR_NONE};
    struct live live = {.fn = fn, .set = bits_new(scratch, fn->registers.n)};
    for (uint32_t i = 0; i < fn->blocks.n; i++) {
        walk_block(&live, i, &pressure);
        empty(&live, i);
        assert(!live.registers && !live.predicates);
    }
    return pressure;
}
