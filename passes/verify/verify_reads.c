// Readers of a value of a chain, lane by lane.
//
// A value exists in the lanes in which its instruction was executed. A guarded definition keeps it
// in the lanes where the guard is false, and a guarded reader reads it where its own guard is true.
// The lanes of a value are a conjunction of guards, each an SSA version with its sign: a reader
// with the complementary guard does not read the value. A dropped guard means more lanes: the check
// may report a read that does not happen, but misses none.
#include "passes/verify/verify_chain.h"

// A value that flows through definitions that keep it, and through phis.
struct read_flow {
    struct chain_check *c;
    const struct chain *chain;
    uint32_t version; // defined by the chain
};

static uint32_t guard_of(const struct ir_function *fn, uint32_t inst)
{
    uint32_t operand = ir_find_operand(fn, inst, ROLE_GUARD, 0);
    uint32_t version = operand == IR_NONE ? IR_NONE : fn->operand_version.v[operand];
    bool negated = fn->insts.v[inst].flags & INST_GUARD_NEGATED;
    return version == IR_NONE ? IR_NONE : 2 * version + negated;
}

static bool has_guard(const struct value_lanes *lanes, uint32_t guard)
{
    for (uint32_t i = 0; i < lanes->count; i++)
        if (lanes->guard[i] == guard)
            return true;
    return false;
}

static bool excludes(const struct value_lanes *lanes, uint32_t guard)
{
    return guard != IR_NONE && has_guard(lanes, guard ^ 1);
}

// Drops the oldest guard if the list is full: readers of a kept value are under the newest one.
static struct value_lanes with_guard(struct value_lanes lanes, uint32_t guard)
{
    if (guard == IR_NONE || has_guard(&lanes, guard))
        return lanes;
    if (lanes.count == LANES_GUARDS)
        for (uint32_t i = 1; i < lanes.count; i++)
            lanes.guard[i - 1] = lanes.guard[i];
    lanes.count -= lanes.count == LANES_GUARDS;
    lanes.guard[lanes.count++] = guard;
    return lanes;
}

static struct value_lanes common_guards(const struct value_lanes *a, const struct value_lanes *b)
{
    struct value_lanes both = {0};
    for (uint32_t i = 0; i < a->count; i++)
        if (has_guard(b, a->guard[i]))
            both.guard[both.count++] = a->guard[i];
    return both;
}

// Follows the version in these lanes, and in those in which it was followed before.
static void go_on(struct read_flow *f, uint32_t version, struct value_lanes lanes)
{
    struct chain_check *c = f->c;
    if (version == IR_NONE)
        return;
    if (c->version_mark[version] == c->stamp) {
        lanes = common_guards(&c->lanes[version], &lanes);
        if (lanes.count == c->lanes[version].count)
            return;
    }
    c->version_mark[version] = c->stamp;
    c->lanes[version] = lanes;
    vec_push(&c->scratch, &c->work, version);
}

// After a phi a guard is meaningful only if it was defined before control reached the phi's block,
// and is not redefined on a path back to it.
static void pass_phi(struct read_flow *f, const struct ir_phi *phi, const struct value_lanes *lanes)
{
    const struct ir_function *fn = f->c->fn;
    struct value_lanes left = {0};
    for (uint32_t i = 0; i < lanes->count; i++) {
        uint32_t version = lanes->guard[i] / 2, block = ir_version_block(fn, version);
        bool constant = fn->versions.v[version].kind == VERSION_ENTRY;
        if (constant || (block != phi->block && ir_dominates(fn, block, phi->block)))
            left.guard[left.count++] = lanes->guard[i];
    }
    go_on(f, phi->version, left);
}

// Follows a definition that keeps the old value: all of it where its guard is false, or a part of
// it everywhere. Returns false for any other definition, which reads the value.
static bool pass_definition(struct read_flow *f, uint32_t use, const struct value_lanes *lanes)
{
    const struct ir_function *fn = f->c->fn;
    const struct ir_operand *at = &fn->operands.v[use];
    uint32_t inst = fn->operand_inst.v[use], next = ir_made_version(fn, inst, at->index);
    uint32_t guard = guard_of(fn, inst);
    if (at->part || at->member != W_UNKNOWN)
        go_on(f, next, *lanes);
    else if (!(fn->insts.v[inst].flags & INST_GUARDED) || fn->insts.v[inst].flags & INST_OPAQUE)
        return false;
    else if (guard == IR_NONE)
        go_on(f, next, *lanes);
    else if (!has_guard(lanes, guard))
        go_on(f, next, with_guard(*lanes, guard ^ 1));
    return true;
}

// Returns false if something outside the chain reads the version in the lanes.
static bool pass_use(struct read_flow *f, uint32_t version, uint32_t use,
                     const struct value_lanes *lanes)
{
    const struct ir_function *fn = f->c->fn;
    if (use & USE_PHI) {
        pass_phi(f, &fn->phis.v[use & ~USE_PHI], lanes);
        return true;
    }
    uint32_t inst = fn->operand_inst.v[use];
    uint8_t role = fn->operands.v[use].role;
    if (role == ROLE_KEEP && pass_definition(f, use, lanes))
        return true;
    if (version == f->version && verify_is_member(f->chain, inst))
        return true;
    return role != ROLE_GUARD && excludes(lanes, guard_of(fn, inst));
}

bool verify_used_inside(struct chain_check *c, const struct chain *chain, uint32_t version)
{
    struct read_flow flow = {c, chain, version};
    struct value_lanes lanes = {0};
    c->stamp++;
    c->work.n = 0;
    if (c->fn->versions.v[version].kind == VERSION_INST)
        lanes = with_guard(lanes, guard_of(c->fn, c->fn->versions.v[version].index));
    go_on(&flow, version, lanes);
    while (c->work.n) {
        uint32_t at = c->work.v[--c->work.n];
        lanes = c->lanes[at];
        for (uint32_t i = 0; i < c->fn->versions.v[at].use_count; i++)
            if (!pass_use(&flow, at, ir_uses(c->fn, at)[i], &lanes))
                return false;
    }
    return true;
}
