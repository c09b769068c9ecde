// Registers that are live in many blocks: solves live-in = read ∪ (live-out − defined) by
// iteration, for 64 registers at once with one bit each.
#include "ir/internal.h"
#include <string.h>

struct wide_search {
    const struct ir_function *fn;
    struct arena *scratch;
    uint64_t *live, *read, *defined; // per block
};

static void mark(uint64_t *sets, const struct csr *blocks, uint32_t reg, uint64_t bit)
{
    for (uint32_t i = blocks->at[reg]; i < blocks->at[reg + 1]; i++)
        sets[blocks->item[i]] |= bit;
}

static bool update(struct wide_search *w, uint32_t block)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < w->fn->blocks.v[block].succ_count; i++)
        out |= w->live[ir_succs(w->fn, block)[i]];
    uint64_t in = w->read[block] | (out & ~w->defined[block]);
    bool changed = in != w->live[block];
    w->live[block] = in;
    return changed;
}

enum { MAX_ROUNDS = 12 };

// Returns false if the equations do not hold after some rounds: with nested loops, a round may
// propagate a value across one loop only.
static bool solve(struct wide_search *w)
{
    const struct ir_function *fn = w->fn;
    bool changed = true;
    for (uint32_t round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false;
        for (uint32_t i = fn->rpo.n; i-- > 0;)
            changed |= update(w, fn->rpo.v[i]);
        for (uint32_t i = fn->blocks.n; i-- > 0 && fn->rpo.n < fn->blocks.n;)
            changed |= fn->blocks.v[i].rpo == IR_NONE && update(w, i);
    }
    return !changed;
}

static void list_ranges(const struct wide_search *w, struct wide_list *lists)
{
    uint32_t first[64] = {0};
    uint64_t before = 0;
    for (uint32_t block = 0; block <= w->fn->blocks.n; block++) {
        uint64_t now = block < w->fn->blocks.n ? w->live[block] : 0;
        for (uint64_t rest = now ^ before; rest; rest &= rest - 1) {
            uint32_t k = (uint32_t)__builtin_ctzll(rest);
            if (now >> k & 1)
                first[k] = block;
            else
                vec_push(w->scratch, &lists[k].runs, (struct block_range){first[k], block - 1});
        }
        before = now;
    }
}

bool liveness_wide(const struct ir_function *fn, struct arena *scratch, const struct csr *readers,
                   const struct csr *kills, struct wide_list *lists, uint32_t count)
{
    struct wide_search w = {.fn = fn, .scratch = scratch};
    bool all = true;
    w.live = ARENA_ARRAY(scratch, uint64_t, fn->blocks.n);
    w.read = ARENA_ARRAY(scratch, uint64_t, fn->blocks.n);
    w.defined = ARENA_ARRAY(scratch, uint64_t, fn->blocks.n);
    for (uint32_t from = 0; from < count; from += 64) {
        uint32_t end = count - from < 64 ? count : from + 64;
        memset(w.live, 0, fn->blocks.n * sizeof *w.live);
        memset(w.read, 0, fn->blocks.n * sizeof *w.read);
        memset(w.defined, 0, fn->blocks.n * sizeof *w.defined);
        for (uint32_t i = from; i < end; i++) {
            mark(w.read, readers, lists[i].reg, UINT64_C(1) << (i - from));
            mark(w.defined, kills, lists[i].reg, UINT64_C(1) << (i - from));
        }
        if (solve(&w))
            list_ranges(&w, lists + from);
        else
            all = false;
    }
    return all;
}
