#include "passes/analysis/cost/pressure.h"
#include <assert.h>

// Live registers, walking backwards

struct live {
    const struct ir_function *fn;
    uint32_t *seen; // per register: last block + 1 in which it was visited
    bool *is_live;  // per visited register
    uint32_t block;
    int64_t registers, predicates;
};

static void add_live(struct live *live, uint32_t reg, int sign)
{
    uint32_t bits = live->fn->registers.v[reg].bits;
    if (bits == 1)
        live->predicates += sign;
    else
        live->registers += sign * (int64_t)divide_up(bits, 32);
}

static void add(struct live *live, uint32_t reg)
{
    if (!live->is_live[reg])
        add_live(live, reg, 1);
    live->is_live[reg] = true;
}

static void drop(struct live *live, uint32_t reg)
{
    if (live->is_live[reg])
        add_live(live, reg, -1);
    live->is_live[reg] = false;
}

// A register that the block does not name is live at its end if it is live at its start. Given the
// count at the start, only the named registers need a look.
static void look_at_end(struct live *live, uint32_t reg)
{
    if (live->seen[reg] == live->block + 1)
        return;
    live->seen[reg] = live->block + 1;
    live->is_live[reg] = ir_live_out(live->fn, live->block, reg);
    add_live(live, reg, live->is_live[reg] - ir_live_in(live->fn, live->block, reg));
}

static void note(const struct live *live, uint32_t inst, struct pressure *pressure)
{
    if (live->registers > pressure->registers || pressure->at == IR_NONE) {
        pressure->registers = (uint32_t)live->registers;
        pressure->at = inst;
    }
    if (live->predicates > pressure->predicates)
        pressure->predicates = (uint32_t)live->predicates;
}

static void each_operand(struct live *live, uint32_t inst, bool definitions,
                         void (*change)(struct live *live, uint32_t reg))
{
    const struct ir_operand *operands = ir_operands(live->fn, inst);
    for (uint32_t i = 0; i < live->fn->insts.v[inst].operand_count; i++)
        if (operands[i].kind == OPERAND_REGISTER && (operands[i].role == ROLE_DEF) == definitions)
            change(live, operands[i].index);
}

// A result may occupy the register of an operand that is read for the last time.
static void walk_block(struct live *live, struct pressure *pressure)
{
    const struct ir_block *at = &live->fn->blocks.v[live->block];
    for (uint32_t inst = at->first; inst < at->end; inst++) {
        each_operand(live, inst, true, look_at_end);
        each_operand(live, inst, false, look_at_end);
    }
    for (uint32_t inst = at->end; inst-- > at->first;) {
        each_operand(live, inst, true, add);
        note(live, inst, pressure);
        each_operand(live, inst, true, drop);
        each_operand(live, inst, false, add);
        note(live, inst, pressure);
    }
}

// Per block: registers whose live ranges start there, minus those whose ranges end before it.
struct live_change {
    int64_t registers, predicates;
};

static struct live_change *list_changes(struct arena *scratch, const struct ir_function *fn)
{
    struct live_change *changes = ARENA_ARRAY(scratch, struct live_change, fn->blocks.n + 1);
    for (uint32_t reg = 0; reg < fn->registers.n; reg++) {
        struct live one = {.fn = fn};
        add_live(&one, reg, 1);
        for (uint32_t i = fn->live_at.v[reg]; i < fn->live_at.v[reg + 1]; i++) {
            changes[fn->live.v[i].first].registers += one.registers;
            changes[fn->live.v[i].first].predicates += one.predicates;
            changes[fn->live.v[i].last + 1].registers -= one.registers;
            changes[fn->live.v[i].last + 1].predicates -= one.predicates;
        }
    }
    return changes;
}

struct pressure pressure_of(struct arena *scratch, const struct ir_function *fn)
{
    struct pressure pressure = {.at = IR_NONE};
    struct live live = {.fn = fn,
                        .seen = ARENA_ARRAY(scratch, uint32_t, fn->registers.n),
                        .is_live = ARENA_ARRAY(scratch, bool, fn->registers.n)};
    const struct live_change *changes = list_changes(scratch, fn);
    struct live_change start = {0};
    for (; live.block < fn->blocks.n; live.block++) {
        start.registers += changes[live.block].registers;
        start.predicates += changes[live.block].predicates;
        live.registers = start.registers;
        live.predicates = start.predicates;
        walk_block(&live, &pressure);
        assert(live.registers == start.registers && live.predicates == start.predicates);
    }
    return pressure;
}
