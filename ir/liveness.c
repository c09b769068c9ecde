// Which registers are live where, as lists: each use walks back to the definitions that reach it,
// so the work is proportional to the answer.
#include "ir/internal.h"

struct live_pair {
    uint32_t reg, block;
};

struct liveness {
    struct arena *scratch;
    struct ir_function *fn;
    uint32_t *defined; // per register: last block + 1 seen with a full definition, while scanning
    uint32_t *read;    // per register: last block + 1 whose entry value was noted as read
    uint32_t *exposed_counts;      // per register: blocks that read its entry value
    VEC(struct live_pair) exposed; // in the order of blocks
    VEC(struct live_pair)
    kills;                // blocks that define a register; in the order of blocks
    struct ir_work *work; // takes the answer by register
};

static void scan_block(struct liveness *l, uint32_t block)
{
    struct ir_function *fn = l->fn;
    for (uint32_t inst = fn->blocks.v[block].first; inst < fn->blocks.v[block].end; inst++) {
        const struct ir_operand *operands = ir_operands(fn, inst);
        for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++) {
            uint32_t reg = operands[i].index;
            bool reads = operands[i].kind == OPERAND_REGISTER && operands[i].role != ROLE_DEF;
            if (!reads || l->defined[reg] == block + 1 || l->read[reg] == block + 1)
                continue;
            l->read[reg] = block + 1;
            vec_push(l->scratch, &l->exposed, (struct live_pair){reg, block});
            l->exposed_counts[reg]++;
        }
        for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++) {
            uint32_t reg = operands[i].index;
            if (operands[i].kind != OPERAND_REGISTER || operands[i].role != ROLE_DEF ||
                l->defined[reg] == block + 1)
                continue;
            l->defined[reg] = block + 1; // what a partial definition keeps was read just above
            vec_push(l->scratch, &l->kills, (struct live_pair){reg, block});
        }
    }
}

// Blocks by register. Only registers that some block reads on entry count.
static struct csr by_register(struct liveness *l, const struct live_pair *pairs, uint32_t count)
{
    struct arena *lists = &l->work->lists;
    uint32_t *counts = ARENA_ARRAY(lists, uint32_t, l->fn->registers.n);
    for (uint32_t i = 0; i < count; i++)
        counts[pairs[i].reg] += l->exposed_counts[pairs[i].reg] != 0;
    struct csr rows = csr_from_counts(lists, counts, l->fn->registers.n);
    for (uint32_t i = 0; i < count; i++)
        if (l->exposed_counts[pairs[i].reg])
            csr_put(&rows, pairs[i].reg, pairs[i].block);
    return rows;
}

struct marks {
    uint32_t *killed, *marked, *stack; // per block: register + 1
};

// The walk mostly goes from a block to the one before it.
static void add_live(struct ir_work *work, uint32_t reg, uint32_t block)
{
    struct ir_run *last =
        work->live.n > work->live_at[reg] ? &work->live.v[work->live.n - 1] : NULL;
    if (last && block + 1 == last->first)
        last->first = block;
    else
        vec_push(&work->lists, &work->live, (struct ir_run){block, block});
}

// Spreads one register from the blocks that read it up to those that define it.
static void spread(struct liveness *l, uint32_t reg, const struct csr *readers,
                   const struct csr *kills, struct marks *m)
{
    struct ir_function *fn = l->fn;
    uint32_t depth = 0;
    for (uint32_t i = kills->at[reg]; i < kills->at[reg + 1]; i++)
        m->killed[kills->item[i]] = reg + 1;
    for (uint32_t i = readers->at[reg]; i < readers->at[reg + 1]; i++) {
        m->marked[readers->item[i]] = reg + 1;
        m->stack[depth++] = readers->item[i];
    }
    while (depth) {
        uint32_t block = m->stack[--depth];
        add_live(l->work, reg, block);
        fn->blocks.v[block].live_count++;
        for (uint32_t i = 0; i < fn->blocks.v[block].pred_count; i++) {
            uint32_t pred = ir_preds(fn, block)[i];
            if (m->killed[pred] == reg + 1 || m->marked[pred] == reg + 1)
                continue;
            m->marked[pred] = reg + 1;
            m->stack[depth++] = pred;
        }
    }
}

static void spread_all(struct liveness *l)
{
    uint32_t count = l->fn->blocks.n;
    struct csr readers = by_register(l, l->exposed.v, l->exposed.n);
    l->work->definitions = by_register(l, l->kills.v, l->kills.n);
    struct marks marks = {ARENA_ARRAY(l->scratch, uint32_t, count),
                          ARENA_ARRAY(l->scratch, uint32_t, count),
                          ARENA_ARRAY(l->scratch, uint32_t, count)};
    for (uint32_t reg = 0; reg < l->fn->registers.n; reg++) {
        if (l->exposed_counts[reg])
            spread(l, reg, &readers, &l->work->definitions, &marks);
        l->work->live_at[reg + 1] = l->work->live.n;
    }
}

// The registers by block; within one they stay in their order.
static void list_by_block(struct ir_work *work, struct ir_function *fn)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < fn->blocks.n; i++) {
        fn->blocks.v[i].live = (uint32_t)at;
        at += fn->blocks.v[i].live_count;
        fn->blocks.v[i].live_count = 0;
    }
    if (at > INT32_MAX) // places have 32 bits: more counts as memory that ran out
        longjmp(work->lists.memory->on_failure, 1);
    vec_reserve(&work->lists, &fn->live, at + 1);
    fn->live.n = (uint32_t)at;
    for (uint32_t reg = 0; reg < fn->registers.n; reg++)
        for (uint32_t i = work->live_at[reg]; i < work->live_at[reg + 1]; i++)
            for (uint32_t k = work->live.v[i].first; k <= work->live.v[i].last; k++) {
                struct ir_block *block = &fn->blocks.v[k];
                fn->live.v[block->live + block->live_count++] = reg;
            }
}

void ir_build_liveness(struct ir_work *work, struct ir_function *fn)
{
    struct liveness l = {.fn = fn, .scratch = &work->scratch, .work = work};
    l.defined = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    l.read = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    l.exposed_counts = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    work->live.v = NULL;
    work->live.n = work->live.capacity = 0;
    work->live_at = ARENA_ARRAY(&work->lists, uint32_t, fn->registers.n + 1);
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        scan_block(&l, i);
    spread_all(&l);
    list_by_block(work, fn);
}

bool ir_live_in(const struct ir_function *fn, uint32_t block, uint32_t reg)
{
    const struct ir_block *b = &fn->blocks.v[block];
    uint32_t low = b->live, high = b->live + b->live_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (fn->live.v[middle] < reg)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->live + b->live_count && fn->live.v[low] == reg;
}

bool ir_live_out(const struct ir_function *fn, uint32_t block, uint32_t reg)
{
    for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++)
        if (ir_live_in(fn, ir_succs(fn, block)[i], reg))
            return true;
    return false;
}
