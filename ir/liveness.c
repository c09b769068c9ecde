// Which registers are live where, as lists: each use walks back to the definitions that reach it,
// so the work is proportional to the answer.
#include "ir/internal.h"

struct pair {
    uint32_t reg, block;
};

struct liveness {
    struct arena *scratch;
    struct ir_function *fn;
    uint32_t *defined; // per register: last block + 1 seen with a full definition, while scanning
    uint32_t *read;    // per register: last block + 1 whose entry value was noted as read
    uint32_t *exposed_counts; // per register: blocks that read its entry value
    VEC(struct pair) exposed; // in the order of blocks
    VEC(struct pair) kills;   // blocks that define a register on every path; in the order of blocks
    VEC(struct pair) live;    // in the order of registers
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
            vec_push(l->scratch, &l->exposed, (struct pair){reg, block});
            l->exposed_counts[reg]++;
        }
        for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++) {
            uint32_t reg = operands[i].index;
            if (operands[i].kind != OPERAND_REGISTER || operands[i].role != ROLE_DEF ||
                l->defined[reg] == block + 1)
                continue;
            l->defined[reg] = block + 1; // what a partial definition keeps was read just above
            vec_push(l->scratch, &l->kills, (struct pair){reg, block});
        }
    }
}

// Blocks by register. Only registers that some block reads on entry count.
static struct csr by_register(struct liveness *l, const struct pair *pairs, uint32_t count)
{
    uint32_t *counts = ARENA_ARRAY(l->scratch, uint32_t, l->fn->registers.n);
    for (uint32_t i = 0; i < count; i++)
        counts[pairs[i].reg] += l->exposed_counts[pairs[i].reg] != 0;
    struct csr rows = csr_from_counts(l->scratch, counts, l->fn->registers.n);
    for (uint32_t i = 0; i < count; i++)
        if (l->exposed_counts[pairs[i].reg])
            csr_put(&rows, pairs[i].reg, pairs[i].block);
    return rows;
}

struct marks {
    uint32_t *killed, *marked, *stack; // per block: register + 1
};

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
        vec_push(l->scratch, &l->live, (struct pair){reg, block});
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
    struct csr kills = by_register(l, l->kills.v, l->kills.n);
    struct marks marks = {ARENA_ARRAY(l->scratch, uint32_t, count),
                          ARENA_ARRAY(l->scratch, uint32_t, count),
                          ARENA_ARRAY(l->scratch, uint32_t, count)};
    for (uint32_t reg = 0; reg < l->fn->registers.n; reg++)
        if (l->exposed_counts[reg])
            spread(l, reg, &readers, &kills, &marks);
}

// The pairs by block; within one they stay in the order of registers.
static void list_by_block(struct ir_work *work, struct liveness *l)
{
    struct ir_function *fn = l->fn;
    uint32_t at = 0;
    for (uint32_t i = 0; i < fn->blocks.n; i++) {
        fn->blocks.v[i].live = at;
        at += fn->blocks.v[i].live_count;
        fn->blocks.v[i].live_count = 0;
    }
    vec_reserve(&work->lists, &fn->live, at + 1);
    fn->live.n = at;
    for (uint32_t i = 0; i < l->live.n; i++) {
        struct ir_block *block = &fn->blocks.v[l->live.v[i].block];
        fn->live.v[block->live + block->live_count++] = l->live.v[i].reg;
    }
}

void ir_build_liveness(struct ir_work *work, struct ir_function *fn)
{
    struct liveness l = {.fn = fn, .scratch = &work->scratch};
    l.defined = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    l.read = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    l.exposed_counts = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        scan_block(&l, i);
    spread_all(&l);
    list_by_block(work, &l);
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
