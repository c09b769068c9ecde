// Checks that the instructions of a window may be in the order of the output.
#include "passes/verify/verify_window.h"

// Registers: every use has the same definition, and so has the end of the window

static void begin_definitions(struct checker *c)
{
    if (c->defs_of != c->fn) {
        arena_reset(&c->registers);
        c->def = ARENA_ARRAY(&c->registers, uint32_t, c->fn->registers.n + 1);
        c->def_round = ARENA_ARRAY(&c->registers, uint32_t, c->fn->registers.n + 1);
        c->defs_of = c->fn;
        c->round = 0;
    }
    c->round++;
}

static uint32_t definition(const struct checker *c, uint32_t reg)
{
    return c->def_round[reg] == c->round ? c->def[reg] : IR_NONE;
}

// Executes the reads, then the writes, of one instruction. `seen` has an entry for each operand,
// which is filled, or compared. Returns true if all are equal.
static bool step(struct checker *c, uint32_t member, uint32_t *seen, bool compare)
{
    const struct ir_inst *at = &c->fn->insts.v[c->members.v[member].inst];
    bool same = true;
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[at->operands + i];
        if (operand->kind != OPERAND_REGISTER || operand->role == ROLE_DEF)
            continue;
        uint32_t found = definition(c, operand->index);
        same &= !compare || seen[i] == found;
        seen[i] = compare ? seen[i] : found;
    }
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[at->operands + i];
        if (operand->kind != OPERAND_REGISTER || operand->role != ROLE_DEF)
            continue;
        c->def[operand->index] = member;
        c->def_round[operand->index] = c->round;
    }
    return same;
}

static void check_last(struct checker *c, uint32_t *last)
{
    for (uint32_t m = 0; m < c->members.n; m++) {
        const struct ir_inst *at = &c->fn->insts.v[c->members.v[m].inst];
        for (uint32_t i = 0; i < at->operand_count; i++, last++) {
            const struct ir_operand *operand = &c->fn->operands.v[at->operands + i];
            if (operand->kind == OPERAND_REGISTER && operand->role == ROLE_DEF &&
                *last != definition(c, operand->index)) {
                window_fault(c, c->members.v[m].item.begin,
                             c->events.v[c->members.v[m].out].item.begin,
                             "another instruction is now the last to write a register of this one");
                return;
            }
        }
    }
}

static void check_registers(struct checker *c)
{
    uint32_t total = 0;
    uint32_t *at = ARENA_ARRAY(&c->scratch, uint32_t, c->members.n + 1);
    for (uint32_t m = 0; m < c->members.n; m++) {
        at[m] = total;
        total += c->fn->insts.v[c->members.v[m].inst].operand_count;
    }
    uint32_t *seen = ARENA_ARRAY(&c->scratch, uint32_t, total + 1);
    uint32_t *last = ARENA_ARRAY(&c->scratch, uint32_t, total + 1);
    begin_definitions(c);
    for (uint32_t m = 0; m < c->members.n; m++)
        step(c, m, seen + at[m], false);
    for (uint32_t m = 0; m < c->members.n; m++) {
        const struct ir_inst *inst = &c->fn->insts.v[c->members.v[m].inst];
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            const struct ir_operand *operand = &c->fn->operands.v[inst->operands + i];
            if (operand->kind == OPERAND_REGISTER && operand->role == ROLE_DEF)
                last[at[m] + i] = definition(c, operand->index);
        }
    }
    begin_definitions(c);
    for (uint32_t e = 0; e < c->events.n; e++) {
        uint32_t m = c->events.v[e].member;
        if (c->events.v[e].pairs || step(c, m, seen + at[m], true))
            continue;
        window_fault(c, c->members.v[m].item.begin, c->events.v[e].item.begin,
                     "a register that it reads has another value there");
        return;
    }
    check_last(c, last);
}

void window_check_order(struct checker *c)
{
    check_registers(c);
    window_check_memory(c);
}
