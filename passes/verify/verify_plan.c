// Checks the blocks of a plan against their records, by the definitions and uses of the IR and the
// spaces of accesses, and its chains (verify_chain.c).
#include "passes/analysis/memory/spaces.h"
#include "passes/verify/verify.h"
#include "passes/verify/verify_chain.h"
#include "support/bits.h"

// Subject of a fault: its number in the plan.
struct subject {
    uint32_t chain, block;
};

struct plan_checker {
    struct verified *to;
    struct arena *arena;
    const struct ir_module *module;
    const struct plan *plan;
    struct spaces *spaces;
    const struct ir_function *fn;
    struct arena scratch;
    // Stamp of the current block; older marks belong to other blocks.
    uint32_t stamp;
    uint32_t *block_mark, *version_mark, *reg_in, *reg_out, *reg_checked;
    uint32_t *in_needed, *out_needed; // per register: the block reads it; it is read after the
                                      // block
    uint64_t *chained;                // bit set: instructions of chains
    VEC(uint32_t) work;
    VEC(uint32_t) inside; // its basic blocks, including those without instructions
    VEC(uint32_t) exits;  // basic blocks inside from which control leaves the block
};

static void add_fault(struct plan_checker *c, uint32_t function, uint32_t inst, const char *text,
                      struct subject subject)
{
    bool known = function < c->module->functions.n;
    const struct ir_function *fn = known ? &c->module->functions.v[function] : NULL;
    uint32_t node = fn && inst < fn->insts.n ? fn->insts.v[inst].node : fn ? fn->node : 0;
    uint32_t begin = c->module->tree->nodes.v[node].begin;
    struct verify_fault fault = {begin, 0, text, subject.chain, subject.block};
    vec_push(c->arena, &c->to->faults, fault);
}

// Queues a version for a visit, once per stamp.
static void need(struct plan_checker *c, uint32_t version)
{
    if (version == IR_NONE || c->version_mark[version] == c->stamp)
        return;
    c->version_mark[version] = c->stamp;
    vec_push(&c->scratch, &c->work, version);
}

// Blocks

static bool is_marked(const struct plan_checker *c, uint32_t block)
{
    return c->block_mark[block] == c->stamp;
}

// Returns true if the instruction is in one of the block's basic blocks, and is not the branch that
// ends the tail.
static bool is_inside(const struct plan_checker *c, const struct block_plan *plan, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    bool ends = inst + 1 == c->fn->blocks.v[at->block].end && at->flags & INST_TERMINATOR;
    return is_marked(c, at->block) && !(ends && at->block == plan->tail);
}

// Returns true if control that passes from one basic block to the other stays in the block.
static bool is_in_block(const struct plan_checker *c, const struct block_plan *plan, uint32_t from,
                        uint32_t to)
{
    return is_marked(c, from) && from != plan->tail && is_marked(c, to) &&
           (to != plan->entry || plan->again);
}

static bool is_barred(const struct plan_checker *c, uint32_t number)
{
    const struct ir_inst *inst = &c->fn->insts.v[number];
    static const uint8_t classes[] = {CLASS_ATOMIC, CLASS_BARRIER, CLASS_FENCE,
                                      CLASS_OPAQUE, CLASS_SURFACE, CLASS_ASYNC};
    for (size_t i = 0; i < sizeof classes; i++)
        if (inst->class == classes[i])
            return true;
    bool access = inst->class == CLASS_LOAD || inst->class == CLASS_STORE;
    return inst->flags & INST_ORDERED ||
           (access && spaces_of(c->spaces, c->fn, number) & SPACE_SHARED);
}

static bool is_reachable(const struct plan_checker *c, uint32_t block)
{
    return c->fn->blocks.v[block].rpo != IR_NONE;
}

// Returns true if only the entry is reached from outside.
static bool has_one_entry(const struct plan_checker *c, const struct block_plan *plan)
{
    for (uint32_t i = 0; i < c->inside.n; i++) {
        uint32_t block = c->inside.v[i];
        const struct ir_block *at = &c->fn->blocks.v[block];
        if (block != plan->entry && block == 0)
            return false;
        for (uint32_t k = 0; k < at->pred_count && block != plan->entry; k++) {
            uint32_t pred = ir_preds(c->fn, block)[k];
            if (is_reachable(c, pred) && !is_in_block(c, plan, pred, block))
                return false;
        }
    }
    return true;
}

static bool is_listed(const uint32_t *marks, uint32_t stamp, uint32_t reg)
{
    return marks[reg] == stamp;
}

// Returns true for a register that has no value before an instruction writes it: all but a
// function's parameters.
static bool is_unwritten(const struct plan_checker *c, uint32_t version)
{
    const struct ir_version *v = &c->fn->versions.v[version];
    uint32_t decl = c->fn->registers.v[v->reg].decl, params = c->fn->params;
    bool parameter = params != IR_NONE && decl != IR_NONE && decl >= params &&
                     decl < node_next(c->module->tree, params);
    return v->kind == VERSION_ENTRY && !parameter;
}

// Returns true if a value need not be sent: a kernel parameter, an unwritten register, or a copy of
// a special register that is equal everywhere.
static bool is_free(const struct plan_checker *c, uint32_t version)
{
    for (int i = 0; i < 64; i++) {
        const struct ir_version *v = &c->fn->versions.v[version];
        if (v->kind != VERSION_INST)
            return is_unwritten(c, version);
        if (value_is_parameter(c->module, c->fn, version))
            return true;
        const struct ir_inst *at = &c->fn->insts.v[v->index];
        uint32_t from = ir_find_operand(c->fn, v->index, ROLE_USE, 0);
        if (from == IR_NONE || (at->op != OP_mov && at->op != OP_cvt) ||
            ir_reads_part(c->fn, v->index))
            return false;
        const struct ir_operand *operand = &c->fn->operands.v[from];
        if (operand->kind == OPERAND_SPECIAL)
            return isa_specials[operand->index].varies == VARIES_NEVER;
        version = c->fn->operand_version.v[from];
        if (operand->kind != OPERAND_REGISTER || version == IR_NONE)
            return false;
    }
    return false;
}

// Returns true if an instruction reads the operand in all lanes. A value that a guarded instruction
// keeps where its guard is false is read only if the result is read; a value that a partial
// definition keeps is always read.
static bool is_read(const struct ir_operand *operand)
{
    bool partial = operand->part || operand->member != W_UNKNOWN;
    return operand->role != ROLE_DEF && (operand->role != ROLE_KEEP || partial);
}

static void need_kept(struct plan_checker *c, uint32_t inst, uint32_t reg)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (c->fn->operands.v[i].role == ROLE_KEEP && c->fn->operands.v[i].index == reg)
            need(c, c->fn->operand_version.v[i]);
}

// Follows a phi inside. A value that enters from outside is a live-in; returns false if it is not
// listed.
static bool follow_phi(struct plan_checker *c, const struct block_plan *plan,
                       const struct ir_phi *phi)
{
    bool listed = true;
    for (uint32_t i = 0; i < c->fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(c->fn, phi->block)[i], arg = c->fn->phi_args.v[phi->args + i];
        if (arg == IR_NONE || !is_reachable(c, pred))
            continue;
        if (is_in_block(c, plan, pred, phi->block)) {
            need(c, arg);
        } else {
            c->in_needed[phi->reg] = c->stamp;
            listed &= is_listed(c->reg_in, c->stamp, phi->reg) || is_unwritten(c, arg);
        }
    }
    return listed;
}

// Follows a value that is read inside to its definition. A value from outside is a live-in; returns
// false if it is not listed.
static bool follow(struct plan_checker *c, const struct block_plan *plan, uint32_t version)
{
    const struct ir_version *v = &c->fn->versions.v[version];
    if (v->kind == VERSION_INST && is_inside(c, plan, v->index)) {
        need_kept(c, v->index, v->reg);
        return true;
    }
    const struct ir_phi *phi = v->kind == VERSION_PHI ? &c->fn->phis.v[v->index] : NULL;
    if (phi && is_marked(c, phi->block) && (phi->block != plan->entry || plan->again))
        return follow_phi(c, plan, phi);
    c->in_needed[v->reg] = c->stamp;
    return is_listed(c->reg_in, c->stamp, v->reg) || is_free(c, version);
}

static void mark_block(struct plan_checker *c, uint32_t block)
{
    if (is_marked(c, block))
        return;
    c->block_mark[block] = c->stamp;
    vec_push(&c->scratch, &c->inside, block);
}

// A basic block without instructions is in no list. It is inside if control reaches it only from
// inside.
static void mark_empty(struct plan_checker *c, const struct block_plan *plan)
{
    for (uint32_t i = 0; i < c->inside.n; i++) {
        const struct ir_block *from = &c->fn->blocks.v[c->inside.v[i]];
        for (uint32_t k = 0; k < from->succ_count; k++) {
            uint32_t next = ir_succs(c->fn, c->inside.v[i])[k];
            const struct ir_block *at = &c->fn->blocks.v[next];
            bool closed = at->first == at->end && c->inside.v[i] != plan->tail;
            for (uint32_t p = 0; p < at->pred_count && closed; p++)
                closed = is_marked(c, ir_preds(c->fn, next)[p]);
            if (closed)
                mark_block(c, next);
        }
    }
}

static void find_exits(struct plan_checker *c, const struct block_plan *plan)
{
    c->exits.n = 0;
    for (uint32_t i = 0; i < c->inside.n; i++) {
        uint32_t block = c->inside.v[i];
        bool leaves = block == plan->tail;
        for (uint32_t k = 0; k < c->fn->blocks.v[block].succ_count; k++)
            leaves |= !is_in_block(c, plan, block, ir_succs(c->fn, block)[k]);
        if (leaves)
            vec_push(&c->scratch, &c->exits, block);
    }
}

static void mark_lists(struct plan_checker *c, const struct block_plan *plan)
{
    c->stamp++;
    c->work.n = c->inside.n = 0;
    for (uint32_t i = 0; i < plan->block_count; i++)
        mark_block(c, plan->blocks[i]);
    mark_block(c, plan->entry);
    mark_empty(c, plan);
    for (uint32_t i = 0; i < plan->live_in.n; i++)
        if (plan->live_in.v[i].reg != IR_NONE)
            c->reg_in[plan->live_in.v[i].reg] = c->stamp;
    for (uint32_t i = 0; i < plan->live_out.n; i++)
        c->reg_out[plan->live_out.v[i].reg] = c->stamp;
    find_exits(c, plan);
}

static bool branch_reads(const struct plan_checker *c, uint32_t block, uint32_t reg)
{
    const struct ir_block *at = &c->fn->blocks.v[block];
    const struct ir_inst *last = at->first < at->end ? &c->fn->insts.v[at->end - 1] : NULL;
    if (!last || !(last->flags & INST_TERMINATOR))
        return false;
    for (uint32_t i = last->operands; i < last->operands + last->operand_count; i++)
        if (c->fn->operands.v[i].kind == OPERAND_REGISTER && c->fn->operands.v[i].index == reg)
            return true;
    return false;
}

// Returns true if the register's value is read after control leaves the block here: by the branch
// that is not part of the block, or from a successor on.
static bool lives_after(const struct plan_checker *c, const struct block_plan *plan, uint32_t block,
                        uint32_t reg)
{
    if (block == plan->tail && branch_reads(c, block, reg))
        return true;
    for (uint32_t i = 0; i < c->fn->blocks.v[block].succ_count; i++) {
        uint32_t next = ir_succs(c->fn, block)[i];
        if (!is_in_block(c, plan, block, next) && ir_live_in(c->fn, next, reg))
            return true;
    }
    return false;
}

static bool sends_back(struct plan_checker *c, const struct block_plan *plan, uint32_t reg)
{
    if (is_listed(c->reg_checked, c->stamp, reg))
        return true;
    c->reg_checked[reg] = c->stamp;
    for (uint32_t i = 0; i < c->exits.n; i++)
        if (lives_after(c, plan, c->exits.v[i], reg)) {
            c->out_needed[reg] = c->stamp;
            return is_listed(c->reg_out, c->stamp, reg);
        }
    return true;
}

static const char *inst_fault(struct plan_checker *c, const struct block_plan *plan, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    if (is_barred(c, inst))
        return "a block has an instruction that cannot be moved to memory";
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[i];
        if (operand->kind != OPERAND_REGISTER)
            continue;
        if (is_read(operand))
            need(c, c->fn->operand_version.v[i]);
        else if (operand->role == ROLE_DEF && !sends_back(c, plan, operand->index))
            return "a register that is read after a block is not among its live-outs";
    }
    return NULL;
}

// Listed live-ins must be needed, because they have a cost. Special registers are searched in the
// instructions.
static bool reads_special(const struct plan_checker *c, const struct block_plan *plan,
                          const struct live_value *value)
{
    for (uint32_t i = 0; i < plan->block_count; i++) {
        const struct ir_block *block = &c->fn->blocks.v[plan->blocks[i]];
        for (uint32_t k = c->fn->insts.v[block->first].operands;
             k <
             c->fn->insts.v[block->end - 1].operands + c->fn->insts.v[block->end - 1].operand_count;
             k++) {
            const struct ir_operand *at = &c->fn->operands.v[k];
            if (at->kind == OPERAND_SPECIAL && at->index == value->special &&
                at->member == value->member && is_inside(c, plan, c->fn->operand_inst.v[k]))
                return true;
        }
    }
    return false;
}

static const char *lists_fault(const struct plan_checker *c, const struct block_plan *plan)
{
    for (uint32_t i = 0; i < plan->live_in.n; i++) {
        const struct live_value *value = &plan->live_in.v[i];
        bool needed = value->reg == IR_NONE ? reads_special(c, plan, value)
                                            : is_listed(c->in_needed, c->stamp, value->reg);
        if (!needed)
            return "a live-in of a block is not read in it";
    }
    for (uint32_t i = 0; i < plan->live_out.n; i++)
        if (!is_listed(c->out_needed, c->stamp, plan->live_out.v[i].reg))
            return "a live-out of a block is not written in it, or not read after it";
    return NULL;
}

// Returns true if the block's first and last instruction are those that the plan names.
static bool has_ends(const struct plan_checker *c, const struct block_plan *plan)
{
    uint32_t first = IR_NONE, last = 0;
    for (uint32_t i = 0; i < c->inside.n; i++) {
        const struct ir_block *block = &c->fn->blocks.v[c->inside.v[i]];
        for (uint32_t inst = block->first; inst < block->end; inst++)
            if (is_inside(c, plan, inst)) {
                first = inst < first ? inst : first;
                last = inst > last ? inst : last;
            }
    }
    return first == plan->first && last == plan->last;
}

static bool is_known(const struct plan_checker *c, const struct block_plan *plan)
{
    bool known = plan->entry < c->fn->blocks.n && plan->block_count;
    for (uint32_t i = 0; i < plan->block_count; i++)
        known &= plan->blocks[i] < c->fn->blocks.n;
    return known;
}

static const char *block_fault(struct plan_checker *c, const struct block_plan *plan)
{
    if (!is_known(c, plan))
        return "a block has basic blocks that its function does not have";
    mark_lists(c, plan);
    if (!has_ends(c, plan))
        return "a block does not begin and end with the instructions of its record";
    if (!has_one_entry(c, plan))
        return "a block has several entries";
    for (uint32_t i = 0; i < plan->block_count; i++) {
        const struct ir_block *block = &c->fn->blocks.v[plan->blocks[i]];
        for (uint32_t inst = block->first; inst < block->end; inst++) {
            const char *wrong = is_inside(c, plan, inst) ? inst_fault(c, plan, inst) : NULL;
            if (wrong)
                return wrong;
        }
    }
    while (c->work.n)
        if (!follow(c, plan, c->work.v[--c->work.n]))
            return "a register that a block reads is not among its live-ins";
    const struct block_estimate *estimate = &plan->estimate;
    if (estimate->at_tx + estimate->at_rx >= 0)
        return "a block that is to be offloaded has no saving at its threshold";
    return lists_fault(c, plan);
}

// Functions

static void begin_function(struct plan_checker *c, uint32_t function)
{
    c->fn = &c->module->functions.v[function];
    arena_reset(&c->scratch);
    c->stamp = 0;
    c->work.v = NULL;
    c->work.n = c->work.capacity = 0;
    c->block_mark = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->blocks.n + 1);
    c->version_mark = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->versions.n + 1);
    c->chained = bits_new(&c->scratch, c->fn->insts.n + 1);
    c->inside.v = c->exits.v = NULL;
    c->inside.n = c->inside.capacity = c->exits.n = c->exits.capacity = 0;
    c->reg_checked = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->registers.n + 1);
    c->in_needed = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->registers.n + 1);
    c->out_needed = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->registers.n + 1);
    c->reg_in = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->registers.n + 1);
    c->reg_out = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->registers.n + 1);
}

// Returns a fault if an instruction is in two chains.
static const char *overlap_fault(struct plan_checker *c, const struct chain *chain)
{
    for (uint32_t i = 0; i < chain->count; i++)
        if (bits_test(c->chained, chain->inst[i]))
            return "an instruction of a chain is also in another one";
    for (uint32_t i = 0; i < chain->count; i++)
        bits_set(c->chained, chain->inst[i]);
    return NULL;
}

static uint32_t check_chains(struct plan_checker *c, struct chain_check *chains, uint32_t function,
                             uint32_t chain)
{
    for (; chain < c->plan->chains.n && c->plan->chains.v[chain].function == function; chain++) {
        const struct chain *at = &c->plan->chains.v[chain];
        const char *wrong = verify_chain(chains, at);
        wrong = wrong ? wrong : overlap_fault(c, at);
        if (wrong)
            add_fault(c, function, at->inst[0], wrong, (struct subject){chain, IR_NONE});
    }
    return chain;
}

static uint32_t check_blocks(struct plan_checker *c, uint32_t function, uint32_t block)
{
    for (; block < c->plan->blocks.n && c->plan->blocks.v[block].function == function; block++) {
        const struct block_plan *at = &c->plan->blocks.v[block];
        const char *wrong = at->estimate.candidate && at->chosen ? block_fault(c, at) : NULL;
        if (wrong)
            add_fault(c, function, at->first, wrong, (struct subject){IR_NONE, block});
    }
    return block;
}

// Rejects records of functions that are out of order or do not exist.
static void refuse_rest(struct plan_checker *c, uint32_t chain, uint32_t block)
{
    static const char out_of_order[] = "the plan is not in the order of the functions";
    for (; chain < c->plan->chains.n; chain++) {
        const struct chain *at = &c->plan->chains.v[chain];
        add_fault(c, at->function, at->inst[0], out_of_order, (struct subject){chain, IR_NONE});
    }
    for (; block < c->plan->blocks.n; block++) {
        const struct block_plan *at = &c->plan->blocks.v[block];
        add_fault(c, at->function, at->first, out_of_order, (struct subject){IR_NONE, block});
    }
}

void verify_plan(struct verified *to, struct arena *arena, const struct ir_module *module,
                 const struct pass_options *options, const struct plan *plan)
{
    struct plan_checker c = {.to = to, .arena = arena, .module = module, .plan = plan};
    struct chain_check chains = {.module = module};
    struct arena own_arena, facts;
    struct plan own = {.arena = &own_arena, .facts_arena = &facts};
    uint32_t chain = 0, block = 0;
    arena_init(&c.scratch, arena->memory);
    arena_init(&chains.scratch, arena->memory);
    arena_init(&own_arena, arena->memory);
    arena_init(&facts, arena->memory);
    c.spaces = spaces_new(&own_arena, module);
    for (uint32_t function = 0; function < module->functions.n; function++) {
        bool chained = chain < plan->chains.n && plan->chains.v[chain].function == function;
        bool any =
            chained || (block < plan->blocks.n && plan->blocks.v[block].function == function);
        if (!any || !module->functions.v[function].has_body)
            continue;
        begin_function(&c, function);
        if (chained)
            verify_chain_begin(&chains, facts_of(&own, module, options, function));
        chain = check_chains(&c, &chains, function, chain);
        block = check_blocks(&c, function, block);
        facts_forget(&own, function, function + 1);
        arena_reset(&facts);
    }
    refuse_rest(&c, chain, block);
    arena_free(&chains.scratch);
    arena_free(&facts);
    arena_free(&own_arena);
    arena_free(&c.scratch);
}
