#include "passes/analysis/affine/address.h"
#include "passes/analysis/cost/transfer.h"
#include <stdlib.h>

enum { MAX_COPIES = 64 };
enum freedom { FREEDOM_OPEN, FREEDOM_FREE, FREEDOM_COUNTS };

struct transfers {
    struct arena *scratch;
    const struct ir_module *module;
    const struct ir_function *fn;
    const struct regions *regions;
    uint8_t *freedom; // per version: enum freedom
    uint32_t stamp;   // of the current block; marks of other blocks are older
    uint32_t *version_mark, *in_mark, *written_mark, *out_mark;
    uint32_t *leaving;       // per register: version that leaves the block
    uint32_t *entered;       // per register: index in plan->live_in
    VEC(uint32_t) registers; // written inside
    VEC(uint32_t) work;      // versions read inside that are not followed yet
    struct arena *arena;     // of the plan
    struct block_plan *plan;
    uint32_t begin, end;
    VEC(uint32_t) exits; // blocks that follow the exits
    uint32_t *exit_mark; // per block
    uint32_t tail;       // block whose final branch or return is not part of it, or IR_NONE
};

struct transfers *transfers_new(struct arena *scratch, const struct ir_module *module,
                                const struct ir_function *fn, const struct regions *regions)
{
    struct transfers *t = ARENA_NEW(scratch, struct transfers);
    *t = (struct transfers){.scratch = scratch, .module = module, .fn = fn, .regions = regions};
    t->freedom = ARENA_ARRAY(scratch, uint8_t, fn->versions.n + 1);
    t->version_mark = ARENA_ARRAY(scratch, uint32_t, fn->versions.n + 1);
    t->in_mark = ARENA_ARRAY(scratch, uint32_t, fn->registers.n + 1);
    t->written_mark = ARENA_ARRAY(scratch, uint32_t, fn->registers.n + 1);
    t->out_mark = ARENA_ARRAY(scratch, uint32_t, fn->registers.n + 1);
    t->leaving = ARENA_ARRAY(scratch, uint32_t, fn->registers.n + 1);
    t->entered = ARENA_ARRAY(scratch, uint32_t, fn->registers.n + 1);
    t->exit_mark = ARENA_ARRAY(scratch, uint32_t, fn->blocks.n + 1);
    return t;
}

static bool holds(const struct transfers *t, uint32_t block, enum unit_part unit)
{
    uint32_t place = t->regions->place[unit][block];
    return place >= t->begin && place < t->end;
}

// Free values

static bool copies_grid_constant(const struct ir_function *fn, uint32_t version)
{
    for (int i = 0; i < MAX_COPIES; i++) {
        if (version == IR_NONE || fn->versions.v[version].kind != VERSION_INST)
            return false;
        const struct ir_inst *at = &fn->insts.v[fn->versions.v[version].index];
        bool copies = at->op == OP_mov || at->op == OP_cvt;
        if (!copies || (at->flags & INST_GUARDED) || at->operand_count != 2)
            return false;
        const struct ir_operand *from = &fn->operands.v[at->operands + 1];
        if (from->part)
            return false;
        if (from->kind == OPERAND_SPECIAL)
            return isa_specials[from->index].varies == VARIES_NEVER;
        if (from->kind != OPERAND_REGISTER)
            return false;
        version = fn->operand_version.v[at->operands + 1];
    }
    return false;
}

// Register parameters have a value at the entry that no instruction defines.
static bool is_register_parameter(const struct transfers *t, uint32_t reg)
{
    uint32_t decl = t->fn->registers.v[reg].decl;
    return t->fn->params != IR_NONE && decl != IR_NONE && decl >= t->fn->params &&
           decl < node_next(t->module->tree, t->fn->params);
}

static bool compute_free(const struct transfers *t, uint32_t version)
{
    const struct ir_version *v = &t->fn->versions.v[version];
    if (v->kind == VERSION_ENTRY)
        return !is_register_parameter(t, v->reg);
    return value_is_parameter(t->module, t->fn, version) || copies_grid_constant(t->fn, version);
}

static bool is_free(struct transfers *t, uint32_t version)
{
    if (t->freedom[version] == FREEDOM_OPEN)
        t->freedom[version] = compute_free(t, version) ? FREEDOM_FREE : FREEDOM_COUNTS;
    return t->freedom[version] == FREEDOM_FREE;
}

// Live-ins

// Records a live-in register. If several versions reach the entry, its version is `joined`.
static void enter(struct transfers *t, uint32_t version, uint32_t joined)
{
    uint32_t reg = t->fn->versions.v[version].reg;
    if (t->in_mark[reg] == t->stamp) {
        struct live_value *value = &t->plan->live_in.v[t->entered[reg]];
        value->version = value->version == version ? version : joined;
        return;
    }
    t->in_mark[reg] = t->stamp;
    t->entered[reg] = t->plan->live_in.n;
    vec_push(t->arena, &t->plan->live_in, (struct live_value){reg, IR_NONE, W_UNKNOWN, version});
}

static void enter_special(struct transfers *t, const struct ir_operand *operand)
{
    if (isa_specials[operand->index].varies == VARIES_NEVER)
        return;
    for (uint32_t i = 0; i < t->plan->live_in.n; i++) {
        const struct live_value *value = &t->plan->live_in.v[i];
        if (value->reg == IR_NONE && value->special == operand->index &&
            value->member == operand->member)
            return;
    }
    vec_push(t->arena, &t->plan->live_in,
             (struct live_value){IR_NONE, operand->index, operand->member, IR_NONE});
}

static void read_version(struct transfers *t, uint32_t version)
{
    if (version == IR_NONE || t->version_mark[version] == t->stamp)
        return;
    t->version_mark[version] = t->stamp;
    vec_push(t->scratch, &t->work, version);
}

// Follows the old value that a guarded instruction may keep, as through a phi.
static void follow_kept(struct transfers *t, uint32_t version)
{
    const struct ir_inst *at = &t->fn->insts.v[t->fn->versions.v[version].index];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (t->fn->operands.v[i].role == ROLE_KEEP &&
            t->fn->operands.v[i].index == t->fn->versions.v[version].reg)
            read_version(t, t->fn->operand_version.v[i]);
}

// Returns false if the register has no value yet: neither an instruction nor a parameter defines
// it.
static bool was_written(struct transfers *t, uint32_t version)
{
    const struct ir_version *v = &t->fn->versions.v[version];
    return v->kind != VERSION_ENTRY || is_register_parameter(t, v->reg);
}

static void follow_phi(struct transfers *t, const struct ir_phi *phi)
{
    for (uint32_t i = 0; i < t->fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(t->fn, phi->block)[i], arg = t->fn->phi_args.v[phi->args + i];
        if (arg == IR_NONE)
            continue;
        if (holds(t, pred, UNIT_TAIL))
            read_version(t, arg);
        else if (t->fn->blocks.v[pred].rpo != IR_NONE && was_written(t, arg))
            enter(t, arg, phi->version);
    }
}

static void follow(struct transfers *t, uint32_t version)
{
    const struct ir_version *v = &t->fn->versions.v[version];
    if (v->kind == VERSION_INST && holds(t, t->fn->insts.v[v->index].block, UNIT_BODY))
        follow_kept(t, version);
    else if (v->kind == VERSION_PHI && holds(t, t->fn->phis.v[v->index].block, UNIT_HEAD))
        follow_phi(t, &t->fn->phis.v[v->index]);
    else if (!is_free(t, version))
        enter(t, version, IR_NONE);
}

// Visits one operand of an instruction inside.
static void visit_operand(struct transfers *t, uint32_t operand)
{
    const struct ir_operand *o = &t->fn->operands.v[operand];
    if (o->kind == OPERAND_SPECIAL) {
        enter_special(t, o);
        return;
    }
    if (o->kind != OPERAND_REGISTER)
        return;
    if (o->role != ROLE_DEF) {
        bool partial = o->part || o->member != W_UNKNOWN;
        if (o->role != ROLE_KEEP || partial)
            read_version(t, t->fn->operand_version.v[operand]);
        return;
    }
    if (t->written_mark[o->index] != t->stamp) {
        vec_push(t->scratch, &t->registers, o->index);
        t->leaving[o->index] = IR_NONE;
    }
    t->written_mark[o->index] = t->stamp;
}

static void visit_inst(struct transfers *t, uint32_t inst)
{
    const struct ir_inst *at = &t->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        visit_operand(t, i);
}

static bool has_tail(const struct ir_function *fn, const struct ir_block *block)
{
    return block->first < block->end && (fn->insts.v[block->end - 1].flags & INST_TERMINATOR);
}

static void visit_unit(struct transfers *t, struct region_unit unit)
{
    const struct ir_block *block = &t->fn->blocks.v[unit.block];
    bool tail = has_tail(t->fn, block);
    if (unit.part == UNIT_TAIL && tail)
        visit_inst(t, block->end - 1);
    if (unit.part == UNIT_BODY)
        for (uint32_t inst = block->first; inst < block->end - tail; inst++)
            visit_inst(t, inst);
}

// Live-outs

static void add_exit(struct transfers *t, uint32_t block)
{
    if (t->exit_mark[block] == t->stamp)
        return;
    t->exit_mark[block] = t->stamp;
    vec_push(t->scratch, &t->exits, block);
}

// Finds the edges that leave the unit.
static void find_exits(struct transfers *t, struct region_unit unit)
{
    const struct ir_block *block = &t->fn->blocks.v[unit.block];
    if (unit.part == UNIT_HEAD && !holds(t, unit.block, UNIT_BODY))
        add_exit(t, unit.block);
    if (unit.part == UNIT_BODY && !holds(t, unit.block, UNIT_TAIL))
        t->tail = unit.block;
    for (uint32_t i = 0; unit.part == UNIT_TAIL && i < block->succ_count; i++)
        if (!holds(t, ir_succs(t->fn, unit.block)[i], UNIT_HEAD))
            add_exit(t, ir_succs(t->fn, unit.block)[i]);
}

// The last one of the versions defined on every path to the exit leaves.
static void offer_leaving(struct transfers *t, uint32_t exit, uint32_t version)
{
    const struct ir_function *fn = t->fn;
    uint32_t reg = fn->versions.v[version].reg, *best = &t->leaving[reg];
    uint32_t block = ir_version_block(fn, version);
    if (t->written_mark[reg] != t->stamp || !ir_dominates(fn, block, exit))
        return;
    uint32_t before = *best == IR_NONE ? IR_NONE : ir_version_block(fn, *best);
    if (before == IR_NONE || before == block || ir_dominates(fn, before, block))
        *best = version;
}

static void offer_phis(struct transfers *t, uint32_t exit, uint32_t block)
{
    const struct ir_block *b = &t->fn->blocks.v[block];
    for (uint32_t i = b->phi; i < b->phi + b->phi_count; i++)
        offer_leaving(t, exit, t->fn->phis.v[i].version);
}

static void offer_inst(struct transfers *t, uint32_t exit, uint32_t inst)
{
    const struct ir_inst *at = &t->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (t->fn->operands.v[i].role == ROLE_DEF && t->fn->operand_version.v[i] != IR_NONE)
            offer_leaving(t, exit, t->fn->operand_version.v[i]);
}

// With several exits a register may leave with several versions; none is recorded then.
static void find_leaving(struct transfers *t)
{
    if (t->exits.n + (t->tail != IR_NONE) != 1)
        return;
    uint32_t exit = t->exits.n ? t->exits.v[0] : t->tail;
    for (uint32_t i = t->begin; i < t->end; i++) {
        struct region_unit unit = t->regions->units[i];
        const struct ir_block *block = &t->fn->blocks.v[unit.block];
        if (unit.part == UNIT_HEAD)
            offer_phis(t, exit, unit.block);
        if (unit.part == UNIT_BODY)
            for (uint32_t inst = block->first; inst < block->end; inst++)
                offer_inst(t, exit, inst);
    }
    if (t->exits.n)
        offer_phis(t, exit, exit);
}

static void leave(struct transfers *t, uint32_t reg)
{
    if (t->out_mark[reg] == t->stamp)
        return;
    t->out_mark[reg] = t->stamp;
    vec_push(t->arena, &t->plan->live_out,
             (struct live_value){reg, IR_NONE, W_UNKNOWN, t->leaving[reg]});
}

static bool tail_reads(const struct ir_function *fn, uint32_t block, uint32_t reg)
{
    const struct ir_block *b = &fn->blocks.v[block];
    if (!has_tail(fn, b))
        return false;
    const struct ir_inst *at = &fn->insts.v[b->end - 1];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].kind == OPERAND_REGISTER && fn->operands.v[i].index == reg)
            return true;
    return false;
}

static bool read_after(const struct transfers *t, uint32_t reg)
{
    for (uint32_t i = 0; i < t->exits.n; i++)
        if (ir_live_in(t->fn, t->exits.v[i], reg))
            return true;
    return t->tail != IR_NONE &&
           (tail_reads(t->fn, t->tail, reg) || ir_live_out(t->fn, t->tail, reg));
}

// Result

static int by_register(const void *a, const void *b)
{
    const struct live_value *x = a, *y = b;
    if (x->reg != y->reg)
        return x->reg < y->reg ? -1 : 1;
    if (x->special != y->special)
        return x->special < y->special ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

// Most lists are so short that a call of qsort takes longer than the insertion.
static void sort_values(struct live_value *values, uint32_t count)
{
    enum { SHORT = 12 };
    if (count > SHORT) {
        qsort(values, count, sizeof *values, by_register);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct live_value value = values[i];
        uint32_t at = i;
        for (; at && by_register(&value, &values[at - 1]) < 0; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static void count_values(const struct ir_function *fn, struct live_value *values, uint32_t count,
                         uint32_t *registers, uint32_t *predicates)
{
    sort_values(values, count);
    for (uint32_t i = 0; i < count; i++) {
        bool predicate = values[i].reg != IR_NONE && fn->registers.v[values[i].reg].bits == 1;
        ++*(predicate ? predicates : registers);
    }
}

struct transfer_count transfers_of(struct transfers *t, struct arena *arena, uint32_t begin,
                                   uint32_t end, struct block_plan *plan)
{
    struct transfer_count count = {0};
    t->stamp++;
    t->arena = arena;
    t->plan = plan;
    t->begin = begin;
    t->end = end;
    t->registers.n = t->exits.n = 0;
    t->tail = IR_NONE;
    for (uint32_t i = begin; i < end; i++) {
        visit_unit(t, t->regions->units[i]);
        find_exits(t, t->regions->units[i]);
    }
    while (t->work.n)
        follow(t, t->work.v[--t->work.n]);
    find_leaving(t);
    for (uint32_t i = 0; i < t->registers.n; i++)
        if (read_after(t, t->registers.v[i]))
            leave(t, t->registers.v[i]);
    count_values(t->fn, plan->live_in.v, plan->live_in.n, &count.registers_in,
                 &count.predicates_in);
    count_values(t->fn, plan->live_out.v, plan->live_out.n, &count.registers_out,
                 &count.predicates_out);
    return count;
}

static int64_t registers(uint32_t whole, uint32_t predicates)
{
    return ((int64_t)whole * BW_WARP + predicates) * BW_QUARTERS;
}

struct bandwidth bandwidth_of(uint32_t registers_in, uint32_t predicates_in, uint32_t registers_out,
                              uint32_t predicates_out, uint64_t loads, uint64_t stores)
{
    int64_t ld = loads > BW_MAX ? BW_MAX : (int64_t)loads;
    int64_t st = stores > BW_MAX ? BW_MAX : (int64_t)stores;
    int64_t missed = ld * BW_QUARTERS / 2; // in quarters: half of the loads miss
    return (struct bandwidth){
        .scale = BW_QUARTERS,
        .in = registers(registers_in, predicates_in),
        .out = registers(registers_out, predicates_out),
        .saved_tx = missed + st * (BW_WARP + 1) * BW_QUARTERS,
        .saved_rx = missed * BW_LINE + st,
    };
}

static int64_t limited(uint64_t parts)
{
    return parts > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)parts;
}

struct bandwidth bandwidth_refined(uint64_t in, uint64_t out, uint64_t saved_tx, uint64_t saved_rx)
{
    return (struct bandwidth){.scale = BW_REFINED,
                              .in = limited(in),
                              .out = limited(out),
                              .saved_tx = limited(saved_tx),
                              .saved_rx = limited(saved_rx)};
}

double bandwidth_tx(const struct bandwidth *bw, double iterations)
{
    return ((double)bw->in - iterations * (double)bw->saved_tx) / (double)bw->scale;
}

double bandwidth_rx(const struct bandwidth *bw, double iterations)
{
    return ((double)bw->out - iterations * (double)bw->saved_rx) / (double)bw->scale;
}

uint64_t bandwidth_threshold(int64_t cost, int64_t saved)
{
    return saved > 0 ? (uint64_t)(cost / saved) + 1 : 0;
}
