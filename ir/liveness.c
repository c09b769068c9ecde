// Which registers are live where, as lists: each use walks back to the definitions that reach it,
// so the work is proportional to the answer.
#include "ir/internal.h"
#include "support/bits.h"
#include <stdlib.h>

struct liveness {
    struct arena scratch;
    struct ir_function *fn;
    uint32_t *defined;     // per register: last block + 1 seen with a full definition, while scanning
    uint32_t *read;        // per register: last block + 1 whose entry value was noted as read
    VEC(uint64_t) exposed; // register << 32 | block that reads the register's entry value
    VEC(uint64_t) kills;   // register << 32 | block that defines it on every path
    VEC(uint64_t) live;    // block << 32 | register
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
            vec_push(&l->scratch, &l->exposed, (uint64_t)reg << 32 | block);
        }
        for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++) {
            uint32_t reg = operands[i].index;
            if (operands[i].kind != OPERAND_REGISTER || operands[i].role != ROLE_DEF || l->defined[reg] == block + 1)
                continue;
            l->defined[reg] = block + 1; // what a partial definition keeps was read just above
            vec_push(&l->scratch, &l->kills, (uint64_t)reg << 32 | block);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_pairs(uint64_t *pairs, uint32_t count)
{
    if (count)
        qsort(pairs, count, sizeof *pairs, by_value);
}

// Spreads one register from the blocks that read it up to those that define it.
static void spread(struct liveness *l, uint32_t reg, const uint64_t *readers, uint32_t count, const uint32_t *killed, uint32_t *marked,
                   uint32_t *stack)
{
    struct ir_function *fn = l->fn;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = (uint32_t)readers[i];
        marked[block] = reg + 1;
        stack[depth++] = block;
    }
    while (depth) {
        uint32_t block = stack[--depth];
        vec_push(&l->scratch, &l->live, (uint64_t)block << 32 | reg);
        for (uint32_t i = 0; i < fn->blocks.v[block].pred_count; i++) {
            uint32_t pred = ir_preds(fn, block)[i];
            if (killed[pred] == reg + 1 || marked[pred] == reg + 1)
                continue;
            marked[pred] = reg + 1;
            stack[depth++] = pred;
        }
    }
}

static void spread_all(struct liveness *l)
{
    uint32_t count = l->fn->blocks.n, kill = 0;
    uint32_t *killed = ARENA_ARRAY(&l->scratch, uint32_t, count), *marked = ARENA_ARRAY(&l->scratch, uint32_t, count);
    uint32_t *stack = ARENA_ARRAY(&l->scratch, uint32_t, count);
    for (uint32_t i = 0, next; i < l->exposed.n; i = next) {
        uint32_t reg = (uint32_t)(l->exposed.v[i] >> 32);
        for (next = i; next < l->exposed.n && l->exposed.v[next] >> 32 == reg; next++)
            ;
        for (; kill < l->kills.n && l->kills.v[kill] >> 32 <= reg; kill++)
            if (l->kills.v[kill] >> 32 == reg)
                killed[(uint32_t)l->kills.v[kill]] = reg + 1;
        spread(l, reg, l->exposed.v + i, next - i, killed, marked, stack);
    }
}

void ir_build_liveness(struct ir_module *module, struct ir_function *fn)
{
    struct liveness l = {.fn = fn};
    arena_init(&l.scratch, module->arena->memory);
    l.defined = ARENA_ARRAY(&l.scratch, uint32_t, fn->registers.n);
    l.read = ARENA_ARRAY(&l.scratch, uint32_t, fn->registers.n);
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        scan_block(&l, i);
    sort_pairs(l.exposed.v, l.exposed.n);
    sort_pairs(l.kills.v, l.kills.n);
    spread_all(&l);
    sort_pairs(l.live.v, l.live.n);
    vec_reserve(module->arena, &fn->live, l.live.n + 1);
    for (uint32_t i = 0; i < l.live.n; i++) {
        struct ir_block *block = &fn->blocks.v[l.live.v[i] >> 32];
        if (!block->live_count++)
            block->live = i;
        fn->live.v[fn->live.n++] = (uint32_t)l.live.v[i];
    }
    arena_free(&l.scratch);
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
