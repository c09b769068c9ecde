// Whether the instructions of a window may stand in the order that the output gives them.
#include "passes/analysis/address.h"
#include "passes/verify/verify_window.h"

// What an instruction does to memory

enum touch { TOUCH_NOTHING, TOUCH_READ, TOUCH_WRITE, TOUCH_ALL };

// What may read or write anywhere, wait, or make something seen by others.
static const bool touches_all[] = {
    [CLASS_ATOMIC] = true, [CLASS_SURFACE] = true, [CLASS_ASYNC] = true, [CLASS_MATRIX] = true,
    [CLASS_CALL] = true,   [CLASS_BARRIER] = true, [CLASS_FENCE] = true, [CLASS_STACK] = true,
    [CLASS_MISC] = true,   [CLASS_OPAQUE] = true,
};

static enum touch touch_of(const struct ir_inst *inst)
{
    if (inst->flags & INST_ORDERED)
        return TOUCH_ALL;
    if (inst->class < sizeof touches_all && touches_all[inst->class])
        return TOUCH_ALL;
    if (inst->class == CLASS_STORE)
        return TOUCH_WRITE;
    return inst->class == CLASS_LOAD || inst->class == CLASS_TEXTURE ? TOUCH_READ : TOUCH_NOTHING;
}

static bool conflict(struct checker *c, uint32_t a, uint32_t b)
{
    enum touch x = touch_of(&c->fn->insts.v[a]), y = touch_of(&c->fn->insts.v[b]);
    if (x == TOUCH_NOTHING || y == TOUCH_NOTHING || (x == TOUCH_READ && y == TOUCH_READ))
        return false;
    bool known = x != TOUCH_ALL && y != TOUCH_ALL && c->fn->insts.v[a].class != CLASS_TEXTURE &&
                 c->fn->insts.v[b].class != CLASS_TEXTURE;
    if (!known)
        return true;
    struct facts *facts = facts_of(&c->own, c->module, c->options, c->function);
    struct address one = address_in(facts, a), two = address_in(facts, b);
    return address_may_alias(facts, &one, &two);
}

// Registers: the same definition behind every use

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

// Reads, then writes, of one instruction. `seen` has a place for each of its operands: it is
// filled, or compared with. Returns whether all is the same.
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
                             "another instruction has the last word on a register that this one "
                             "writes");
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

// Memory: pairs that have changed places, one of which writes. What is still to come and stands
// before what comes now has been overtaken by it; the list of what is still to come keeps the order
// of the input, so that only those are looked at.

struct waiting {
    uint32_t *next, *before; // by member + 1; 0 begins the list
};

static struct waiting list_members(struct checker *c)
{
    uint32_t n = c->members.n;
    struct waiting list = {ARENA_ARRAY(&c->scratch, uint32_t, n + 2),
                           ARENA_ARRAY(&c->scratch, uint32_t, n + 2)};
    for (uint32_t i = 0; i <= n; i++) {
        list.next[i] = i + 1;
        list.before[i + 1] = i;
    }
    return list;
}

static bool check_overtaken(struct checker *c, const struct waiting *list, uint32_t member)
{
    const struct member *late = &c->members.v[member];
    bool pure = !late->hard && touch_of(&c->fn->insts.v[late->inst]) == TOUCH_NOTHING;
    for (uint32_t at = list->next[0]; at != member + 1; at = list->next[at]) {
        const struct member *other = &c->members.v[at - 1];
        bool fixed = other->hard || late->hard;
        if (!fixed && (pure || !conflict(c, other->inst, late->inst)))
            continue;
        window_fault(c, late->item.begin, c->events.v[late->out].item.begin,
                     fixed ? "it has crossed an instruction that nothing may cross"
                           : "it has crossed an access to memory that may touch the same bytes");
        return false;
    }
    return true;
}

static void check_memory(struct checker *c)
{
    struct waiting list = list_members(c);
    for (uint32_t e = 0; e < c->events.n; e++) {
        uint32_t member = c->events.v[e].member, at = member + 1;
        if (c->events.v[e].pairs)
            continue;
        if (!check_overtaken(c, &list, member))
            return;
        c->to->moved += list.next[0] != at;
        list.next[list.before[at]] = list.next[at];
        list.before[list.next[at]] = list.before[at];
    }
}

void window_check_order(struct checker *c)
{
    check_registers(c);
    check_memory(c);
}
