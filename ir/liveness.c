// Liveness as ranges of blocks per register: a walk goes back from each use to the definitions that
// reach it. A loop that does not define the register is added as a whole, so that the work on
// nested loops does not grow with their depth. Registers with long walks are left to liveness_wide.
#include "ir/internal.h"
#include "support/search.h"
#include <stdlib.h>
#include <string.h>

struct live_pair {
    uint32_t reg, block;
};

struct liveness {
    struct arena *scratch;
    struct ir_function *fn;
    uint32_t *defined; // per register: last block + 1 in which the scan found a full definition
    uint32_t *read;    // per register: last block + 1 recorded as reading the entry value
    uint32_t *exposed_counts;      // per register: number of blocks that read its entry value
    VEC(struct live_pair) exposed; // in the order of blocks
    VEC(struct live_pair)
    kills;                // blocks that define a register, in the order of blocks
    struct ir_work *work; // receives the definitions by register
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
            l->defined[reg] = block + 1; // the value that a partial definition keeps was recorded
                                         // as read just before
            vec_push(l->scratch, &l->kills, (struct live_pair){reg, block});
        }
    }
}

// Groups blocks by register. Leaves out registers that no block reads on entry.
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
    uint32_t *looked, *taken;          // per loop: register + 1
    uint32_t *whole;                   // per loop: the result of `find_whole`
    bool by_loops;
};

enum { MAX_STEPS = 256 }; // limit of a walk

// Adds a block range. The walk usually goes from a block to the one before it, which extends the
// last range.
static void add_live(struct liveness *l, uint32_t reg, uint32_t first, uint32_t last)
{
    struct ir_function *fn = l->fn;
    struct block_range *run = fn->live.n > fn->live_at.v[reg] ? &fn->live.v[fn->live.n - 1] : NULL;
    if (run && last + 1 == run->first)
        run->first = first;
    else
        vec_push(&l->work->lists, &fn->live, (struct block_range){first, last});
}

// Marks the loops around a block that defines the register.
static void kill_loops(const struct liveness *l, uint32_t reg, uint32_t block, struct marks *m)
{
    uint32_t loop = l->fn->blocks.v[block].loop;
    for (; loop != IR_NONE && m->looked[loop] != reg + 1; loop = l->fn->loops.v[loop].parent) {
        m->looked[loop] = reg + 1;
        m->whole[loop] = IR_NONE;
    }
}

static bool is_contiguous(const struct ir_loop *loop)
{
    return loop->last - loop->first + 1 == loop->block_count;
}

// Returns the outermost loop around the block that does not define the register, or IR_NONE. If the
// register is live on entry to one block of such a loop, it is live on entry to all of them,
// because each block reaches the header and the header reaches the block.
static uint32_t find_whole(const struct liveness *l, uint32_t reg, uint32_t block, struct marks *m)
{
    const struct ir_function *fn = l->fn;
    uint32_t inner = fn->blocks.v[block].loop, loop = inner, whole = IR_NONE;
    if (inner == IR_NONE || !m->by_loops)
        return IR_NONE;
    for (; loop != IR_NONE && m->looked[loop] != reg + 1; loop = fn->loops.v[loop].parent)
        if (is_contiguous(&fn->loops.v[loop]))
            whole = loop;
    if (loop != IR_NONE && m->whole[loop] != IR_NONE)
        whole = m->whole[loop];
    for (; inner != loop; inner = fn->loops.v[inner].parent) {
        m->looked[inner] = reg + 1;
        m->whole[inner] =
            whole != IR_NONE && ir_in_loop(fn, whole, fn->loops.v[inner].header) ? whole : IR_NONE;
    }
    return m->whole[fn->blocks.v[block].loop];
}

static void spread_back(const struct liveness *l, uint32_t reg, uint32_t block, struct marks *m,
                        uint32_t *depth)
{
    struct ir_function *fn = l->fn;
    for (uint32_t i = 0; i < fn->blocks.v[block].pred_count; i++) {
        uint32_t pred = ir_preds(fn, block)[i];
        if (m->killed[pred] == reg + 1 || m->marked[pred] == reg + 1)
            continue;
        m->marked[pred] = reg + 1;
        m->stack[(*depth)++] = pred;
    }
}

// Propagates liveness of one register from the blocks that read it back to the blocks that define
// it. Returns false if that takes more than `most` steps.
static bool spread(struct liveness *l, uint32_t reg, const struct csr *readers,
                   const struct csr *kills, struct marks *m, uint32_t max)
{
    struct ir_function *fn = l->fn;
    uint32_t depth = 0;
    for (uint32_t i = kills->at[reg]; i < kills->at[reg + 1]; i++) {
        m->killed[kills->item[i]] = reg + 1;
        kill_loops(l, reg, kills->item[i], m);
    }
    for (uint32_t i = readers->at[reg]; i < readers->at[reg + 1]; i++) {
        m->marked[readers->item[i]] = reg + 1;
        m->stack[depth++] = readers->item[i];
    }
    for (; depth && max; max--) {
        uint32_t block = m->stack[--depth], whole = find_whole(l, reg, block, m);
        if (whole == IR_NONE) {
            add_live(l, reg, block, block);
            spread_back(l, reg, block, m, &depth);
        } else if (m->taken[whole] != reg + 1) {
            const struct ir_loop *loop = &fn->loops.v[whole];
            m->taken[whole] = reg + 1;
            add_live(l, reg, loop->first, loop->last);
            spread_back(l, reg, loop->header, m, &depth);
        }
    }
    return !depth;
}

static int by_first(const void *a, const void *b)
{
    const struct block_range *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

// Sorts the ranges of the last register and merges adjacent ones.
static void merge_ranges(struct ir_function *fn, uint32_t from)
{
    struct block_range *v = fn->live.v;
    uint32_t n = from;
    bool sorted = true;
    for (uint32_t i = from + 1; i < fn->live.n; i++)
        sorted &= v[i - 1].first <= v[i].first;
    if (!sorted)
        qsort(v + from, fn->live.n - from, sizeof *v, by_first);
    for (uint32_t i = from; i < fn->live.n; i++) {
        if (n > from && v[i].first <= v[n - 1].last + 1)
            v[n - 1].last = v[i].last > v[n - 1].last ? v[i].last : v[n - 1].last;
        else
            v[n++] = v[i];
    }
    fn->live.n = n;
}

static struct marks new_marks(struct liveness *l)
{
    uint32_t blocks = l->fn->blocks.n, loops = l->fn->loops.n;
    return (struct marks){.killed = ARENA_ARRAY(l->scratch, uint32_t, blocks),
                          .marked = ARENA_ARRAY(l->scratch, uint32_t, blocks),
                          .stack = ARENA_ARRAY(l->scratch, uint32_t, blocks),
                          .looked = ARENA_ARRAY(l->scratch, uint32_t, loops),
                          .taken = ARENA_ARRAY(l->scratch, uint32_t, loops),
                          .whole = ARENA_ARRAY(l->scratch, uint32_t, loops),
                          // An unreachable block may lead into a loop at any place.
                          .by_loops = l->fn->rpo.n == blocks};
}

// Inserts the ranges of wide registers between those of the others.
static void insert_ranges(struct liveness *l, const struct wide_list *wide, uint32_t count)
{
    struct ir_function *fn = l->fn;
    uint32_t more = 0, from = fn->live.n, at = 0;
    for (uint32_t i = 0; i < count; i++)
        more += wide[i].runs.n;
    vec_reserve(&l->work->lists, &fn->live, from + more);
    at = fn->live.n = from + more;
    for (uint32_t reg = fn->registers.n; reg-- > 0;) {
        bool is_wide = count && wide[count - 1].reg == reg;
        const struct block_range *runs =
            is_wide ? wide[--count].runs.v : fn->live.v + fn->live_at.v[reg];
        uint32_t n = is_wide ? wide[count].runs.n : from - fn->live_at.v[reg];
        from = fn->live_at.v[reg];
        at -= n;
        if (n)
            memmove(fn->live.v + at, runs, n * sizeof *runs);
        fn->live_at.v[reg] = at;
    }
}

// Computes the ranges of a wide register by a walk without a limit.
static void walk_wide(struct liveness *l, struct wide_list *wide, const struct csr *readers,
                      struct marks *m)
{
    struct ir_function *fn = l->fn;
    uint32_t *at = &fn->live_at.v[wide->reg], before = *at, from = fn->live.n;
    if (wide->runs.n)
        return;
    *at = from;
    // Clears the marks of the abandoned walk, which are of the same register.
    memset(m->marked, 0, fn->blocks.n * sizeof *m->marked);
    memset(m->taken, 0, fn->loops.n * sizeof *m->taken);
    spread(l, wide->reg, readers, &l->work->definitions, m, UINT32_MAX);
    merge_ranges(fn, from);
    vec_reserve(l->scratch, &wide->runs, fn->live.n - from);
    wide->runs.n = fn->live.n - from;
    memcpy(wide->runs.v, fn->live.v + from, wide->runs.n * sizeof *wide->runs.v);
    fn->live.n = from;
    *at = before;
}

static void spread_all(struct liveness *l)
{
    struct ir_function *fn = l->fn;
    struct csr readers = by_register(l, l->exposed.v, l->exposed.n);
    l->work->definitions = by_register(l, l->kills.v, l->kills.n);
    struct marks marks = new_marks(l);
    VEC(struct wide_list) wide = {0};
    for (uint32_t reg = 0; reg < fn->registers.n; reg++) {
        fn->live_at.v[reg] = fn->live.n;
        if (!l->exposed_counts[reg])
            continue;
        if (spread(l, reg, &readers, &l->work->definitions, &marks, MAX_STEPS)) {
            merge_ranges(fn, fn->live_at.v[reg]);
        } else {
            fn->live.n = fn->live_at.v[reg];
            vec_push(l->scratch, &wide, (struct wide_list){.reg = reg});
        }
    }
    fn->live_at.v[fn->registers.n] = fn->live.n;
    if (!wide.n)
        return;
    if (!liveness_wide(fn, l->scratch, &readers, &l->work->definitions, wide.v, wide.n))
        for (uint32_t i = 0; i < wide.n; i++)
            walk_wide(l, &wide.v[i], &readers, &marks);
    insert_ranges(l, wide.v, wide.n);
    fn->live_at.v[fn->registers.n] = fn->live.n;
}

void ir_build_liveness(struct ir_work *work, struct ir_function *fn)
{
    struct liveness l = {.fn = fn, .scratch = &work->scratch, .work = work};
    l.defined = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    l.read = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    l.exposed_counts = ARENA_ARRAY(l.scratch, uint32_t, fn->registers.n);
    vec_reserve(&work->lists, &fn->live_at, fn->registers.n + 1);
    fn->live_at.n = fn->registers.n + 1;
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        scan_block(&l, i);
    spread_all(&l);
}

struct ir_live_lists ir_live_lists(const struct ir_function *fn, struct arena *arena)
{
    struct ir_live_lists lists = {.at = ARENA_ARRAY(arena, uint32_t, fn->blocks.n + 2)};
    uint64_t count = 0;
    for (uint32_t i = 0; i < fn->live.n; i++) {
        count += fn->live.v[i].last - fn->live.v[i].first + 1;
        for (uint32_t k = fn->live.v[i].first; k <= fn->live.v[i].last; k++)
            lists.at[k + 2]++;
    }
    if (count > INT32_MAX) // indices have 32 bits; treat an overflow as lack of memory
        longjmp(arena->memory->on_failure, 1);
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        lists.at[i + 2] += lists.at[i + 1];
    lists.reg = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t reg = 0; reg < fn->registers.n && fn->live_at.n; reg++)
        for (uint32_t i = fn->live_at.v[reg]; i < fn->live_at.v[reg + 1]; i++)
            for (uint32_t k = fn->live.v[i].first; k <= fn->live.v[i].last; k++)
                lists.reg[lists.at[k + 1]++] = reg;
    return lists;
}

bool ir_live_in(const struct ir_function *fn, uint32_t block, uint32_t reg)
{
    uint32_t end = fn->live_at.v[reg + 1];
    uint32_t low = SEARCH(i, fn->live_at.v[reg], end, fn->live.v[i].last < block);
    return low < end && fn->live.v[low].first <= block;
}

bool ir_live_out(const struct ir_function *fn, uint32_t block, uint32_t reg)
{
    for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++)
        if (ir_live_in(fn, ir_succs(fn, block)[i], reg))
            return true;
    return false;
}
