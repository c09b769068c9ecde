#include "passes/verify/verify_chain.h"

void verify_chain_begin(struct chain_check *c, struct facts *facts)
{
    c->facts = facts;
    c->fn = facts->fn;
    arena_reset(&c->scratch);
    c->stamp = 0;
    c->work.v = NULL;
    c->work.n = c->work.capacity = 0;
    c->version_mark = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->versions.n + 1);
    c->lanes = ARENA_ARRAY(&c->scratch, struct value_lanes, c->fn->versions.n + 1);
    c->block_mark = ARENA_ARRAY(&c->scratch, uint32_t, c->fn->blocks.n + 1);
}

bool verify_is_member(const struct chain *chain, uint32_t inst)
{
    for (uint32_t i = 0; i < chain->count; i++)
        if (chain->inst[i] == inst)
            return true;
    return false;
}

static uint32_t last_of(const struct chain *chain)
{
    return chain->inst[chain->count - 1];
}

// Returns true if both are executed in the same lanes.
static bool same_guard(const struct ir_function *fn, uint32_t a, uint32_t b)
{
    enum { GUARD = INST_GUARDED | INST_GUARD_NEGATED };
    if ((fn->insts.v[a].flags ^ fn->insts.v[b].flags) & GUARD)
        return false;
    uint32_t first = ir_find_operand(fn, a, ROLE_GUARD, 0);
    uint32_t second = ir_find_operand(fn, b, ROLE_GUARD, 0);
    if (first == IR_NONE || second == IR_NONE)
        return first == second;
    return fn->operand_version.v[first] == fn->operand_version.v[second];
}

struct member_counts {
    uint32_t loads, stores, operations, fused;
    uint32_t width; // elements of its accesses; 0 if they differ
};

static struct member_counts count_members(const struct chain_check *c, const struct chain *chain)
{
    struct member_counts counts = {.width = c->fn->insts.v[chain->inst[0]].vector};
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct ir_inst *at = &c->fn->insts.v[chain->inst[i]];
        bool load = at->class == CLASS_LOAD, store = at->class == CLASS_STORE;
        if ((load || store) && at->vector != counts.width)
            counts.width = 0;
        counts.loads += load;
        counts.stores += store;
        counts.operations += !load && !store && !ir_is_copy(c->fn, chain->inst[i]);
        counts.fused += at->op == OP_fma || at->op == OP_mad;
    }
    return counts;
}

// A fused multiply-add represents two operations; divided, only its multiplication is in the chain.
const struct verify_shape verify_shapes[] = {
    [1] = {2, 1, 1, SCALAR_NEVER, false},  [2] = {2, 0, 1, SCALAR_NEVER, false},
    [3] = {1, 1, 0, SCALAR_NEVER, false},  [4] = {1, 1, 1, SCALAR_NEVER, false},
    [5] = {2, 0, 1, SCALAR_NEVER, true},   [6] = {1, 0, 1, SCALAR_MAYBE, true},
    [7] = {1, 1, 1, SCALAR_ALWAYS, false}, [8] = {2, 0, 2, SCALAR_ALWAYS, false},
    [9] = {2, 1, 2, SCALAR_ALWAYS, false},
};
_Static_assert(sizeof verify_shapes / sizeof *verify_shapes == CHAIN_PATTERNS + 1,
               "the checker has a row for each pattern of passes/base/patterns.def");

static const char *shape_fault(const struct chain_check *c, const struct chain *chain)
{
    struct member_counts counts = count_members(c, chain);
    if (chain->pattern < 1 || chain->pattern > CHAIN_PATTERNS)
        return "unknown chain pattern";
    const struct verify_shape *shape = &verify_shapes[chain->pattern];
    if (counts.loads != shape->loads || counts.stores != shape->stores)
        return "a chain does not have the loads and stores of its pattern";
    uint32_t fused = chain->split ? 0 : counts.fused;
    if (!counts.width)
        return "the accesses of a chain are not vectors of the same length";
    if (counts.operations + fused != shape->operations * counts.width)
        return "a chain does not have the operations of its pattern";
    const struct ir_inst *last = &c->fn->insts.v[chain->inst[chain->count - 1]];
    if (shape->compares == (last->class == CLASS_COMPARE))
        return NULL;
    return shape->compares ? "a chain does not end in a comparison"
                           : "a chain ends in a comparison";
}

static const char *member_fault(struct chain_check *c, const struct chain *chain, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    bool access = at->class == CLASS_LOAD || at->class == CLASS_STORE;
    if (access && at->flags & INST_ORDERED)
        return "an access of a chain is volatile or ordered";
    if (access && address_of(c->module, c->fn, inst).space != W_global)
        return "an access of a chain is not in global memory";
    bool last = inst == last_of(chain), load = at->class == CLASS_LOAD;
    // In a chain of vectors without a store, the results of all elements leave the chain.
    bool ends = c->fn->insts.v[chain->inst[0]].vector > 1 && !load &&
                c->fn->insts.v[last_of(chain)].class != CLASS_STORE;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count && !last && !ends; i++)
        if (c->fn->operands.v[i].role == ROLE_DEF && c->fn->operand_version.v[i] != IR_NONE &&
            !verify_used_inside(c, chain, c->fn->operand_version.v[i]))
            return load ? "a register that a chain loads is read outside of it"
                        : "a result inside of a chain is read outside of it";
    return NULL;
}

// Returns true if every member is executed in all lanes in which the last one is.
static bool runs_together(const struct chain_check *c, const struct chain *chain)
{
    for (uint32_t i = 0; i < chain->count; i++)
        if (c->fn->insts.v[chain->inst[i]].flags & INST_GUARDED &&
            !same_guard(c->fn, chain->inst[i], last_of(chain)))
            return false;
    return true;
}

// Across blocks: the load completes at the last instruction. The search goes from there to the
// load.

static void add_source(struct chain_check *c, uint32_t block)
{
    if (c->block_mark[block] == c->stamp || c->fn->blocks.v[block].rpo == IR_NONE)
        return;
    c->block_mark[block] = c->stamp;
    vec_push(&c->scratch, &c->work, block);
}

static bool is_in_chain_between(const struct chain_check *c, uint32_t block, uint32_t from,
                                uint32_t to)
{
    const struct ir_block *at = &c->fn->blocks.v[block];
    bool leaves = !at->succ_count ||
                  (at->first < at->end && c->fn->insts.v[at->end - 1].class == CLASS_RETURN);
    for (uint32_t i = 0; i < at->succ_count; i++) {
        uint32_t next = ir_succs(c->fn, block)[i];
        leaves |= next == from || (next != to && c->block_mark[next] != c->stamp);
    }
    return !leaves;
}

static const char *crossing_fault(struct chain_check *c, uint32_t load, uint32_t inst)
{
    static const uint8_t classes[] = {CLASS_ATOMIC,  CLASS_BARRIER, CLASS_FENCE, CLASS_OPAQUE,
                                      CLASS_SURFACE, CLASS_ASYNC,   CLASS_CALL,  CLASS_MATRIX};
    const struct ir_inst *at = &c->fn->insts.v[inst];
    for (size_t i = 0; i < sizeof classes; i++)
        if (at->class == classes[i])
            return "an instruction that orders memory is between a load and its comparison";
    if ((at->class == CLASS_LOAD || at->class == CLASS_STORE) && at->flags & INST_ORDERED)
        return "an ordered access is between a load and its comparison";
    if (at->class != CLASS_STORE)
        return NULL;
    struct address loaded = address_in(c->facts, load), stored = address_in(c->facts, inst);
    return address_may_alias(c->facts, &loaded, &stored)
               ? "a store between a load and its comparison may write the loaded data"
               : NULL;
}

static const char *crossings_fault(struct chain_check *c, uint32_t load, uint32_t first,
                                   uint32_t end)
{
    for (uint32_t inst = first; inst < end; inst++) {
        const char *wrong = crossing_fault(c, load, inst);
        if (wrong)
            return wrong;
    }
    return NULL;
}

// Marks the blocks on the paths from the load's block to the comparison's, and checks their
// instructions.
static const char *way_fault(struct chain_check *c, uint32_t load, uint32_t from, uint32_t to)
{
    const char *wrong = NULL;
    c->stamp++;
    c->work.n = 0;
    for (uint32_t i = 0; i < c->fn->blocks.v[to].pred_count; i++)
        if (ir_preds(c->fn, to)[i] != from)
            add_source(c, ir_preds(c->fn, to)[i]);
    for (uint32_t at = 0; at < c->work.n; at++) {
        uint32_t block = c->work.v[at];
        if (block == to || block == 0)
            return "a comparison is executed without its load";
        for (uint32_t i = 0; i < c->fn->blocks.v[block].pred_count; i++)
            if (ir_preds(c->fn, block)[i] != from)
                add_source(c, ir_preds(c->fn, block)[i]);
    }
    bool apart = divergence_branches(facts_certain(c->facts), from);
    bool stays = is_in_chain_between(c, from, from, to);
    for (uint32_t at = 0; at < c->work.n && !wrong; at++) {
        const struct ir_block *block = &c->fn->blocks.v[c->work.v[at]];
        stays &= is_in_chain_between(c, c->work.v[at], from, to);
        apart |= divergence_branches(facts_certain(c->facts), c->work.v[at]);
        wrong = crossings_fault(c, load, block->first, block->end);
    }
    if (!stays)
        return "a load is executed without its comparison";
    return apart ? "the lanes of a warp may diverge between a load and its comparison" : wrong;
}

static const char *load_fault(struct chain_check *c, uint32_t load, uint32_t last)
{
    uint32_t from = c->fn->insts.v[load].block, to = c->fn->insts.v[last].block;
    if (from == to)
        return crossings_fault(c, load, load + 1, last);
    const char *wrong = way_fault(c, load, from, to);
    if (!wrong)
        wrong = crossings_fault(c, load, load + 1, c->fn->blocks.v[from].end);
    return wrong ? wrong : crossings_fault(c, load, c->fn->blocks.v[to].first, last);
}

static const char *across_fault(struct chain_check *c, const struct chain *chain)
{
    bool across = false;
    for (uint32_t i = 0; i < chain->count; i++)
        across |= c->fn->insts.v[chain->inst[i]].block != c->fn->insts.v[last_of(chain)].block;
    if (across != chain->across)
        return "a chain is not in the basic blocks of its record";
    if (across && !verify_shapes[chain->pattern].compares)
        return "a chain crosses basic blocks and does not end in a comparison";
    for (uint32_t i = 0; i + 1 < chain->count && across; i++) {
        bool copies = ir_is_copy(c->fn, chain->inst[i]);
        if (copies && c->fn->insts.v[chain->inst[i]].block != c->fn->insts.v[last_of(chain)].block)
            return "a copy in a chain is not in the basic block of its comparison";
        if (copies)
            continue;
        const char *wrong = load_fault(c, chain->inst[i], last_of(chain));
        if (wrong)
            return wrong;
    }
    return NULL;
}

// A split multiply-add has only its product in the chain: its own result stays at the core.
const char *verify_chain(struct chain_check *c, const struct chain *chain)
{
    bool known = chain->count && chain->count <= CHAIN_MAX;
    for (uint32_t i = 0; i < chain->count && known; i++)
        known = chain->inst[i] < c->fn->insts.n;
    if (!known)
        return "a chain has instructions that its function does not have";
    const char *wrong = shape_fault(c, chain);
    for (uint32_t i = 1; i < chain->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (chain->inst[i] == chain->inst[k])
                wrong = "a chain has an instruction twice";
    for (uint32_t i = 0; i < chain->count && !wrong; i++)
        wrong = member_fault(c, chain, chain->inst[i]);
    if (!wrong && !runs_together(c, chain))
        wrong = "a member of a chain is not executed in all lanes of its last instruction";
    if (!wrong)
        wrong = verify_chain_values(c, chain);
    return wrong ? wrong : across_fault(c, chain);
}
