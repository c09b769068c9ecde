#include "passes/chains/order.h"
#include "support/bits.h"
#include "support/search.h"

enum {
    MAX_APART = 1 << 14, // instructions between a chain's first and last member
    MAX_COMPARED = 256,  // addresses that are compared; beyond this, any two accesses depend
};

// Role of an instruction in the order.
enum order_effect {
    EFFECT_NONE,  // registers only
    EFFECT_READ,  // reads memory at a known address
    EFFECT_WRITE, // writes memory at a known address
    EFFECT_FETCH, // reads memory at an unknown address: textures
    EFFECT_FIXED, // no instruction crosses it
};

static const uint8_t effects[] = {
    [CLASS_OPAQUE] = EFFECT_FIXED, [CLASS_LOAD] = EFFECT_READ,     [CLASS_STORE] = EFFECT_WRITE,
    [CLASS_ATOMIC] = EFFECT_FIXED, [CLASS_TEXTURE] = EFFECT_FETCH, [CLASS_SURFACE] = EFFECT_FIXED,
    [CLASS_ASYNC] = EFFECT_FIXED,  [CLASS_MATRIX] = EFFECT_FIXED,  [CLASS_BRANCH] = EFFECT_FIXED,
    [CLASS_CALL] = EFFECT_FIXED,   [CLASS_RETURN] = EFFECT_FIXED,  [CLASS_BARRIER] = EFFECT_FIXED,
    [CLASS_FENCE] = EFFECT_FIXED,  [CLASS_STACK] = EFFECT_FIXED,   [CLASS_MISC] = EFFECT_FIXED,
};

// Returns true if it reads a clock or a counter, whose value depends on where it is read.
static bool reads_time(const struct ir_function *fn, const struct ir_inst *inst)
{
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->kind == OPERAND_SPECIAL && isa_specials[operand->index].varies == VARIES_TIME)
            return true;
    }
    return false;
}

static enum order_effect effect_of(const struct ir_module *module, const struct ir_function *fn,
                                   uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    enum order_effect effect = at->class < sizeof effects ? effects[at->class] : EFFECT_NONE;
    bool access = effect == EFFECT_READ || effect == EFFECT_WRITE;
    bool plain = (at->op == OP_ld || at->op == OP_ldu || at->op == OP_st) &&
                 !ir_has_modifier(module, fn, inst, W_async) &&
                 !ir_has_modifier(module, fn, inst, W_bulk);
    if ((access && !plain) || at->flags & (INST_ORDERED | INST_OPAQUE | INST_TERMINATOR))
        return EFFECT_FIXED;
    return reads_time(fn, at) ? EFFECT_FIXED : effect;
}

static void add_access(struct order *order, uint32_t inst, struct address address)
{
    struct order_access access = {address, order->access[inst]};
    vec_push(order->arena, &order->accesses, access);
    order->access[inst] = order->accesses.n;
}

static void read_access(struct order *order, uint32_t inst, enum order_effect effect)
{
    struct address address = {
        .parameter = IR_NONE, .version = IR_NONE, .space = W_UNKNOWN, .pointer = IR_NONE};
    if (effect != EFFECT_FETCH)
        address = address_in(order->facts, inst);
    add_access(order, inst, address);
}

// Declarations in the middle of the body

// Returns the first instruction after the node.
static uint32_t first_after(const struct ir_function *fn, uint32_t node)
{
    return SEARCH(i, 0, fn->insts.n, fn->insts.v[i].node <= node);
}

static void find_after(struct order *order, uint32_t inst)
{
    const struct ir_function *fn = order->fn;
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->kind != OPERAND_REGISTER)
            continue;
        uint32_t declaration = fn->registers.v[operand->index].decl;
        if (declaration == IR_NONE || declaration < fn->insts.v[0].node)
            continue;
        uint32_t after = first_after(fn, declaration);
        order->after[inst] = after > order->after[inst] ? after : order->after[inst];
    }
}

// Returns true if a name is declared twice: an instruction that crosses the declaration would refer
// to another register.
static bool names_repeat(const struct order *order)
{
    const struct ir_module *module = order->module;
    uint64_t *names = bits_new(order->arena, module->tree->names.names.n + 1);
    for (uint32_t i = 0; i < module->symbols.n; i++)
        bits_set(names, module->symbols.v[i].name);
    for (uint32_t i = 1; i < order->fn->registers.n; i++) {
        uint32_t name = order->fn->registers.v[i].name;
        if (bits_test(names, name))
            return true;
        bits_set(names, name);
    }
    return false;
}

// Returns true if `.reg` declarations in the body may be crossed.
static bool read_declarations(struct order *order)
{
    uint32_t count = order->fn->insts.n;
    order->after = ARENA_ARRAY(order->arena, uint32_t, count + 1);
    if (!count || order->statements[0].declared == order->statements[count - 1].declared)
        return true;
    if (names_repeat(order))
        return false;
    for (uint32_t inst = 0; inst < count; inst++)
        find_after(order, inst);
    return true;
}

void order_init(struct order *order, struct arena *arena, struct facts *facts)
{
    const struct ir_module *module = facts->module;
    const struct ir_function *fn = facts->fn;
    uint32_t count = fn->insts.n, registers = fn->registers.n;
    *order = (struct order){.facts = facts, .module = module, .fn = fn, .arena = arena};
    order->statements = statements_read(module, fn, arena);
    order->segment = ARENA_ARRAY(arena, uint32_t, count + 1);
    order->at = ARENA_ARRAY(arena, uint32_t, count + 1);
    order->place = ARENA_ARRAY(arena, uint32_t, count + 1);
    order->unit = ARENA_ARRAY(arena, uint32_t, count + 1);
    order->access = ARENA_ARRAY(arena, uint32_t, count + 1);
    order->mark = ARENA_ARRAY(arena, uint32_t, count + 1);
    order->read = ARENA_ARRAY(arena, uint32_t, registers + 1);
    order->written = ARENA_ARRAY(arena, uint32_t, registers + 1);
    bool crossed = read_declarations(order);
    uint32_t fixed = 0;
    for (uint32_t inst = 0; inst < count; inst++) {
        enum order_effect effect = effect_of(module, fn, inst);
        fixed += effect == EFFECT_FIXED;
        order->segment[inst] = fixed + order->statements[inst].reach +
                               (crossed ? 0 : order->statements[inst].declared);
        fixed += effect == EFFECT_FIXED;
        order->at[inst] = order->place[inst] = inst;
        if (effect != EFFECT_NONE && effect != EFFECT_FIXED)
            read_access(order, inst, effect);
    }
}

void order_hold(struct order *order, const uint32_t *members, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        if (order->fn->insts.v[members[i]].class == CLASS_LOAD)
            add_access(order, members[count - 1], address_in(order->facts, members[i]));
}

static bool writes_memory(const struct order *order, uint32_t inst)
{
    return order->fn->insts.v[inst].class == CLASS_STORE;
}

static bool memory_depends(const struct order *order, uint32_t a, uint32_t b)
{
    if (!order->access[a] || !order->access[b])
        return false;
    if (!writes_memory(order, a) && !writes_memory(order, b))
        return false;
    const struct order_access *all = order->accesses.v;
    for (uint32_t i = order->access[a]; i; i = all[i - 1].next)
        for (uint32_t k = order->access[b]; k; k = all[k - 1].next)
            if (address_may_alias(order->facts, &all[i - 1].address, &all[k - 1].address))
                return true;
    return false;
}

static bool registers_depend(const struct ir_function *fn, uint32_t earlier, uint32_t later)
{
    const struct ir_inst *a = &fn->insts.v[earlier], *b = &fn->insts.v[later];
    for (uint32_t i = a->operands; i < a->operands + a->operand_count; i++) {
        const struct ir_operand *first = &fn->operands.v[i];
        if (first->kind != OPERAND_REGISTER)
            continue;
        for (uint32_t k = b->operands; k < b->operands + b->operand_count; k++) {
            const struct ir_operand *second = &fn->operands.v[k];
            if (second->kind == OPERAND_REGISTER && second->index == first->index &&
                (first->role == ROLE_DEF || second->role == ROLE_DEF))
                return true;
        }
    }
    return false;
}

bool order_depends(const struct order *order, uint32_t earlier, uint32_t later)
{
    return registers_depend(order->fn, earlier, later) || memory_depends(order, earlier, later);
}

// Adds an instruction to the late ones, and records the registers that it reads and writes.
static void add_late(struct order *order, uint32_t inst)
{
    const struct ir_inst *at = &order->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &order->fn->operands.v[i];
        if (operand->kind != OPERAND_REGISTER)
            continue;
        uint32_t *rounds = operand->role == ROLE_DEF ? order->written : order->read;
        rounds[operand->index] = order->round;
    }
    if (order->access[inst])
        vec_push(order->arena, &order->late, inst);
}

// Returns true if a late instruction must stay after this one.
static bool is_needed(const struct order *order, uint32_t inst)
{
    const struct ir_inst *at = &order->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &order->fn->operands.v[i];
        if (operand->kind != OPERAND_REGISTER)
            continue;
        bool written = order->written[operand->index] == order->round;
        bool read = order->read[operand->index] == order->round;
        if (written || (read && operand->role == ROLE_DEF))
            return true;
    }
    if (!order->access[inst])
        return false;
    if (order->late.n > MAX_COMPARED)
        return true;
    for (uint32_t i = 0; i < order->late.n; i++)
        if (memory_depends(order, inst, order->late.v[i]))
            return true;
    return false;
}

// Returns a member that precedes the instruction and must do so, or IR_NONE.
static uint32_t member_in_front(const struct order *order, const uint32_t *members, uint32_t count,
                                uint32_t inst)
{
    for (uint32_t i = 0; i < count; i++)
        if (order->place[members[i]] < order->place[inst] && order_depends(order, members[i], inst))
            return members[i];
    return IR_NONE;
}

static void explain(const struct order *order, uint32_t member, uint32_t inst, struct obstacle *why)
{
    *why = (struct obstacle){RULE_ORDER, inst, member};
    if (!registers_depend(order->fn, member, inst) && memory_depends(order, member, inst))
        why->rule = RULE_ALIAS_STORE;
}

// Returns false if members are in different segments. `why`: the first fixed instruction between
// them.
static bool is_one_segment(const struct order *order, const uint32_t *members, uint32_t count,
                           struct obstacle *why)
{
    uint32_t first = members[0], last = members[0];
    for (uint32_t i = 1; i < count; i++) {
        first = members[i] < first ? members[i] : first;
        last = members[i] > last ? members[i] : last;
    }
    if (order->segment[first] == order->segment[last])
        return true;
    *why = (struct obstacle){RULE_ORDER, IR_NONE, IR_NONE};
    for (uint32_t inst = first; inst <= last; inst++) {
        if (effect_of(order->module, order->fn, inst) != EFFECT_FIXED)
            continue;
        why->inst = inst;
        why->rule = order->fn->insts.v[inst].class == CLASS_OPAQUE ? RULE_OPAQUE : RULE_BARRIER;
        break;
    }
    return false;
}

// Returns false if two members would change places but must not.
static bool members_may_swap(const struct order *order, const uint32_t *members, uint32_t count,
                             struct obstacle *why)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++)
            if (order->place[members[k]] < order->place[members[i]] &&
                order_depends(order, members[k], members[i])) {
                explain(order, members[k], members[i], why);
                return false;
            }
    return true;
}

// Returns the first place of the unit whose last place is `last`.
static uint32_t unit_begin(const struct order *order, uint32_t last)
{
    uint32_t unit = order->unit[order->at[last]], first = last;
    while (unit && first && order->unit[order->at[first - 1]] == unit)
        first--;
    return first;
}

// Visits an instruction or unit between the members. If it is needed, so is what it depends on.
static bool add_needed(struct order *order, const uint32_t *members, uint32_t count, uint32_t first,
                       uint32_t last, struct obstacle *why)
{
    bool needed = false;
    for (uint32_t place = first; place <= last && !needed; place++)
        needed = is_needed(order, order->at[place]);
    for (uint32_t place = first; place <= last && needed; place++) {
        uint32_t inst = order->at[place];
        uint32_t member = member_in_front(order, members, count, inst);
        if (member != IR_NONE) {
            explain(order, member, inst, why);
            return false;
        }
        order->mark[inst] = 2 * order->round + 1;
        add_late(order, inst);
    }
    return true;
}

static void begin_round(struct order *order, const uint32_t *members, uint32_t count)
{
    order->round++;
    order->late.n = 0;
    for (uint32_t i = 0; i < count; i++)
        order->mark[members[i]] = 2 * order->round;
}

static void find_span(const struct order *order, const uint32_t *members, uint32_t count,
                      uint32_t *first, uint32_t *last)
{
    *first = *last = order->place[members[0]];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t place = order->place[members[i]];
        *first = place < *first ? place : *first;
        *last = place > *last ? place : *last;
    }
}

bool order_allows(struct order *order, const uint32_t *members, uint32_t count,
                  struct obstacle *why)
{
    if (!is_one_segment(order, members, count, why) ||
        !members_may_swap(order, members, count, why))
        return false;
    uint32_t first, last;
    find_span(order, members, count, &first, &last);
    begin_round(order, members, count);
    if (last - first > MAX_APART) {
        *why = (struct obstacle){RULE_ORDER, IR_NONE, IR_NONE};
        return false;
    }
    for (uint32_t place = last + 1; place-- > first;) {
        uint32_t inst = order->at[place], begin = unit_begin(order, place);
        if (order->mark[inst] == 2 * order->round)
            add_late(order, inst);
        else if (!add_needed(order, members, count, begin, place, why))
            return false;
        place = begin;
    }
    return true;
}

void order_join(struct order *order, const uint32_t *members, uint32_t count)
{
    uint32_t first, last, needed = 2 * order->round + 1;
    find_span(order, members, count, &first, &last);
    order->moved.n = 0;
    order->units++;
    for (uint32_t place = first; place <= last; place++)
        if (order->mark[order->at[place]] == needed)
            vec_push(order->arena, &order->moved, order->at[place]);
    for (uint32_t i = 0; i < count; i++) {
        order->unit[members[i]] = order->units;
        vec_push(order->arena, &order->moved, members[i]);
    }
    for (uint32_t place = first; place <= last; place++)
        if (order->mark[order->at[place]] < 2 * order->round)
            vec_push(order->arena, &order->moved, order->at[place]);
    for (uint32_t i = 0; i < order->moved.n; i++) {
        order->at[first + i] = order->moved.v[i];
        order->place[order->moved.v[i]] = first + i;
    }
}

enum plan_rule order_crossing(const struct order *order, uint32_t load, uint32_t inst)
{
    const struct ir_inst *at = &order->fn->insts.v[inst];
    enum order_effect effect = effect_of(order->module, order->fn, inst);
    if (effect == EFFECT_FIXED && at->class != CLASS_BRANCH)
        return at->class == CLASS_OPAQUE ? RULE_OPAQUE : RULE_BARRIER;
    return memory_depends(order, load, inst) ? RULE_ALIAS_STORE : RULE_COUNT;
}

void order_save(const struct order *order, uint32_t first, uint32_t count, uint32_t *saved)
{
    for (uint32_t i = 0; i < count; i++) {
        saved[2 * i] = order->at[first + i];
        saved[2 * i + 1] = order->unit[order->at[first + i]];
    }
}

void order_restore(struct order *order, uint32_t first, uint32_t count, const uint32_t *saved)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t inst = saved[2 * i];
        order->at[first + i] = inst;
        order->place[inst] = first + i;
        order->unit[inst] = saved[2 * i + 1];
    }
}
