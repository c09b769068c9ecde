// Checks the IR against its definitions. Each structure is checked by another algorithm than the
// one that built it: dominators by removing nodes, liveness by its equation, versions by dominance.
// If a check takes more than linear time, only a sample is checked.
#include "ir/ir.h"
#include "support/bits.h"
#include <stdarg.h>

struct ir_validation {
    const struct ir_module *module;
    const struct ir_function *fn;
    struct arena scratch;
    FILE *to;
    uint32_t faults;
};

__attribute__((format(printf, 2, 3))) static void fault(struct ir_validation *c, const char *format,
                                                        ...)
{
    c->faults++;
    if (!c->to)
        return;
    const struct name *name = tree_name(c->module->tree, c->fn->name);
    va_list args;
    va_start(args, format);
    fprintf(c->to, "invalid IR in '%.*s': ", (int)name->length, name->text);
    vfprintf(c->to, format, args);
    fputc('\n', c->to);
    va_end(args);
}

// Returns an amount of work that is linear in the size of the function.
static uint64_t usual_work(const struct ir_function *fn)
{
    enum { EACH = 64, MINIMUM = 1 << 20 };
    return EACH * ((uint64_t)fn->operands.n + fn->blocks.n) + MINIMUM;
}

// Returns the bound of the index of an operand of this kind.
static uint32_t index_bound(const struct ir_validation *c, enum ir_operand_kind kind)
{
    switch (kind) {
    case OPERAND_REGISTER: return c->fn->registers.n;
    case OPERAND_SPECIAL: return SPECIAL_COUNT;
    case OPERAND_SYMBOL: return c->module->symbols.n;
    case OPERAND_LABEL: return c->fn->blocks.n;
    case OPERAND_TARGETS: return c->module->tree->nodes.n;
    case OPERAND_IMMEDIATE:
    case OPERAND_SINK:
    case OPERAND_UNKNOWN: break; // no index
    }
    return UINT32_MAX;
}

static void check_operands(struct ir_validation *c)
{
    for (uint32_t i = 0; i < c->fn->operands.n; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[i];
        uint32_t bound = index_bound(c, (enum ir_operand_kind)operand->kind);
        if (bound != UINT32_MAX && operand->index >= bound)
            fault(c, "operand %u of kind %u: index %u is not below %u", i, operand->kind,
                  operand->index, bound);
    }
}

// Checks that every edge is in the lists of both blocks, and that predecessors are ascending.
static void check_edges(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    uint32_t *found = ARENA_ARRAY(&c->scratch, uint32_t, fn->blocks.n + 1); // per predecessor
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        for (uint32_t k = 0; k < fn->blocks.v[i].succ_count; k++) {
            uint32_t to = ir_succs(fn, i)[k];
            if (to >= fn->blocks.n || found[to] >= fn->blocks.v[to].pred_count ||
                ir_preds(fn, to)[found[to]++] != i)
                fault(c, "edge %u to %u has no counterpart", i, to);
        }
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        if (found[i] != fn->blocks.v[i].pred_count)
            fault(c, "edge %u from %u has no counterpart", i, ir_preds(fn, i)[found[i]]);
}

static void check_blocks(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    uint32_t at = 0;
    for (uint32_t i = 0; i < fn->blocks.n; i++) {
        const struct ir_block *block = &fn->blocks.v[i];
        if (block->first != at || block->end < at)
            fault(c, "block %u begins at instruction %u, not %u", i, block->first, at);
        at = block->end;
        for (uint32_t inst = block->first; inst < block->end; inst++) {
            if (fn->insts.v[inst].block != i)
                fault(c, "instruction %u does not know its block %u", inst, i);
            if ((fn->insts.v[inst].flags & INST_TERMINATOR) && inst + 1 != block->end)
                fault(c, "instruction %u ends block %u but is not its last", inst, i);
        }
    }
    if (at != fn->insts.n)
        fault(c, "blocks end at instruction %u of %u", at, fn->insts.n);
    check_edges(c);
}

// Finds the blocks that are reachable from the entry without passing `removed`.
static void reach_without(struct ir_validation *c, uint32_t removed, uint64_t *reached,
                          uint32_t *stack)
{
    const struct ir_function *fn = c->fn;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < bits_words(fn->blocks.n); i++)
        reached[i] = 0;
    if (removed != 0) {
        stack[depth++] = 0;
        bits_set(reached, 0);
    }
    while (depth) {
        uint32_t block = stack[--depth];
        for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++) {
            uint32_t succ = ir_succs(fn, block)[i];
            if (succ == removed || bits_test(reached, succ))
                continue;
            bits_set(reached, succ);
            stack[depth++] = succ;
        }
    }
}

enum { MAX_BLOCKS_SQUARED = 400 };

static void check_dominators(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    uint32_t count = fn->blocks.n;
    uint64_t *all = bits_new(&c->scratch, count), *without = bits_new(&c->scratch, count);
    uint32_t *stack = ARENA_ARRAY(&c->scratch, uint32_t, count + 1);
    reach_without(c, IR_NONE, all, stack);
    for (uint32_t i = 0; i < count; i++)
        if (bits_test(all, i) != (fn->blocks.v[i].rpo != IR_NONE))
            fault(c, "block %u: reachable or not", i);
    if (count > MAX_BLOCKS_SQUARED)
        return;
    for (uint32_t a = 0; a < count; a++) {
        reach_without(c, a, without, stack);
        for (uint32_t b = 0; b < count; b++) {
            bool dominates =
                bits_test(all, a) && bits_test(all, b) && (a == b || !bits_test(without, b));
            if (dominates != ir_dominates(fn, a, b))
                fault(c, "block %u and block %u: dominance is wrong", a, b);
        }
    }
}

// Checks that the header of its innermost loop dominates every block, and that loops are entered
// only at their header, from the enclosing loop.
static void check_nest(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    for (uint32_t block = 0; block < fn->blocks.n; block++) {
        uint32_t loop = fn->blocks.v[block].loop;
        if (loop == IR_NONE)
            continue;
        if (!ir_dominates(fn, fn->loops.v[loop].header, block))
            fault(c, "loop %u holds block %u, which its header does not dominate", loop, block);
        if (fn->loops.v[loop].header == block)
            loop = fn->loops.v[loop].parent;
        for (uint32_t p = 0; loop != IR_NONE && p < fn->blocks.v[block].pred_count; p++) {
            uint32_t pred = ir_preds(fn, block)[p];
            if (fn->blocks.v[pred].rpo != IR_NONE && !ir_in_loop(fn, loop, pred))
                fault(c, "loop %u is entered at block %u", loop, block);
        }
    }
}

static void check_loops(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    uint64_t left = usual_work(fn);
    uint32_t *sizes = ARENA_ARRAY(&c->scratch, uint32_t, fn->loops.n + 1);
    for (uint32_t block = 0; block < fn->blocks.n; block++)
        if (fn->blocks.v[block].loop != IR_NONE)
            sizes[fn->blocks.v[block].loop]++;
    for (uint32_t i = fn->loops.n; i-- > 0;) {
        const struct ir_loop *loop = &fn->loops.v[i];
        if (loop->parent != IR_NONE &&
            (loop->parent >= i || !ir_in_loop(fn, loop->parent, loop->header)))
            fault(c, "loop %u does not lie in loop %u", i, loop->parent);
        else if (loop->parent != IR_NONE)
            sizes[loop->parent] += sizes[i];
        if (sizes[i] != loop->block_count)
            fault(c, "loop %u has %u blocks, not %u", i, sizes[i], loop->block_count);
        if (left < loop->last - loop->first)
            continue;
        left -= loop->last - loop->first;
        uint32_t found = 0;
        IR_LOOP_EACH (block, fn, i)
            found++;
        if (found != loop->block_count)
            fault(c, "loop %u has %u blocks in its extent", i, found);
    }
    check_nest(c);
}

// Liveness: live-in(b) must be the registers that b reads first, and the registers that are live on
// entry to its successors and that b does not define.

static void check_readers(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    uint32_t *seen = ARENA_ARRAY(&c->scratch, uint32_t, fn->registers.n); // block + 1
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t inst = fn->blocks.v[b].first; inst < fn->blocks.v[b].end; inst++)
            for (int writes = 0; writes < 2; writes++)
                for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++) {
                    const struct ir_operand *operand = ir_operands(fn, inst) + i;
                    if (operand->kind != OPERAND_REGISTER ||
                        (operand->role == ROLE_DEF) != writes || seen[operand->index] == b + 1)
                        continue;
                    seen[operand->index] = b + 1;
                    if (!writes && !ir_live_in(fn, b, operand->index))
                        fault(c, "block %u reads a register that is not live on entry", b);
                }
}

// A sweep over the blocks that maintains the registers live on entry.
struct live_sweep {
    struct csr_of_ranges {
        uint32_t *at, *reg;
    } begin, end;     // registers with a range that begins at a block, or that ended before it
    uint32_t *active; // the live registers
    uint32_t *place;  // per register: its index in `active`
    uint32_t count;
};

static void sort_ranges(struct ir_validation *c, struct csr_of_ranges *to, bool ends)
{
    const struct ir_function *fn = c->fn;
    uint32_t *at = ARENA_ARRAY(&c->scratch, uint32_t, fn->blocks.n + 3);
    *to = (struct csr_of_ranges){at, ARENA_ARRAY(&c->scratch, uint32_t, fn->live.n + 1)};
    for (uint32_t i = 0; i < fn->live.n; i++)
        at[(ends ? fn->live.v[i].last + 1 : fn->live.v[i].first) + 2]++;
    for (uint32_t i = 0; i <= fn->blocks.n; i++)
        at[i + 2] += at[i + 1];
    for (uint32_t reg = 0; reg < fn->registers.n && fn->live_at.n; reg++)
        for (uint32_t i = fn->live_at.v[reg]; i < fn->live_at.v[reg + 1]; i++)
            to->reg[at[(ends ? fn->live.v[i].last + 1 : fn->live.v[i].first) + 1]++] = reg;
}

static void sweep_to(struct live_sweep *s, uint32_t block)
{
    for (uint32_t i = s->end.at[block]; i < s->end.at[block + 1]; i++) {
        uint32_t place = s->place[s->end.reg[i]], moved = s->active[--s->count];
        s->active[place] = moved;
        s->place[moved] = place;
    }
    for (uint32_t i = s->begin.at[block]; i < s->begin.at[block + 1]; i++) {
        s->place[s->begin.reg[i]] = s->count;
        s->active[s->count++] = s->begin.reg[i];
    }
}

static void check_edge(struct ir_validation *c, const struct live_sweep *s, uint32_t pred,
                       uint32_t *defined, uint32_t stamp)
{
    const struct ir_function *fn = c->fn;
    for (uint32_t inst = fn->blocks.v[pred].first; inst < fn->blocks.v[pred].end; inst++)
        for (uint32_t k = 0; k < fn->insts.v[inst].operand_count; k++) {
            const struct ir_operand *operand = ir_operands(fn, inst) + k;
            if (operand->kind == OPERAND_REGISTER && operand->role == ROLE_DEF)
                defined[operand->index] = stamp;
        }
    for (uint32_t i = 0; i < s->count; i++)
        if (defined[s->active[i]] != stamp && !ir_live_in(fn, pred, s->active[i]))
            fault(c, "a register is live into a successor of block %u, not into it", pred);
}

static uint64_t edges_work(const struct ir_function *fn, const struct live_sweep *s, uint32_t block)
{
    uint64_t work = 1;
    for (uint32_t k = 0; k < fn->blocks.v[block].pred_count; k++) {
        const struct ir_block *pred = &fn->blocks.v[ir_preds(fn, block)[k]];
        work += s->count + pred->end - pred->first;
    }
    return work;
}

// Checks one of every `each` edges; 0: none. Returns the work that checking all edges takes.
static uint64_t sweep(struct ir_validation *c, struct live_sweep *s, uint64_t each)
{
    const struct ir_function *fn = c->fn;
    uint32_t *defined = ARENA_ARRAY(&c->scratch, uint32_t, fn->registers.n), stamp = 0;
    uint64_t work = 0;
    s->count = 0;
    for (uint32_t block = 0; block < fn->blocks.n; block++) {
        sweep_to(s, block);
        work += edges_work(fn, s, block);
        for (uint32_t k = 0; each && k < fn->blocks.v[block].pred_count; k++)
            if ((block + k) % each == 0)
                check_edge(c, s, ir_preds(fn, block)[k], defined, ++stamp);
    }
    return work;
}

static void check_liveness(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    struct live_sweep s = {.active = ARENA_ARRAY(&c->scratch, uint32_t, fn->registers.n + 1),
                           .place = ARENA_ARRAY(&c->scratch, uint32_t, fn->registers.n + 1)};
    check_readers(c);
    sort_ranges(c, &s.begin, false);
    sort_ranges(c, &s.end, true);
    sweep(c, &s, 1 + sweep(c, &s, 0) / usual_work(fn));
}

// Returns true if the definition of `version` precedes the position (block, instruction).
static bool reaches(const struct ir_function *fn, uint32_t version, uint32_t block, uint32_t inst)
{
    const struct ir_version *v = &fn->versions.v[version];
    if (v->kind == VERSION_ENTRY)
        return true;
    uint32_t from = ir_version_block(fn, version);
    if (from == block)
        return v->kind == VERSION_PHI || v->index < inst;
    return fn->blocks.v[block].rpo == IR_NONE || ir_dominates(fn, from, block);
}

static void check_versions(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    for (uint32_t i = 0; i < fn->operands.n; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        uint32_t version = fn->operand_version.v[i], inst = fn->operand_inst.v[i];
        if ((operand->kind == OPERAND_REGISTER) != (version != IR_NONE)) {
            fault(c, "operand %u of instruction %u: version or none", i, inst);
            continue;
        }
        if (version == IR_NONE)
            continue;
        if (fn->versions.v[version].reg != operand->index)
            fault(c, "instruction %u: version of another register", inst);
        if (operand->role == ROLE_DEF ? fn->versions.v[version].index != inst
                                      : !reaches(fn, version, fn->insts.v[inst].block, inst))
            fault(c, "instruction %u: a definition does not reach its use", inst);
    }
    for (uint32_t i = 0; i < fn->phis.n; i++) {
        const struct ir_phi *phi = &fn->phis.v[i];
        for (uint32_t k = 0; k < fn->blocks.v[phi->block].pred_count; k++) {
            uint32_t arg = fn->phi_args.v[phi->args + k], pred = ir_preds(fn, phi->block)[k];
            if (arg == IR_NONE || fn->versions.v[arg].reg != phi->reg)
                fault(c, "phi %u: argument %u is not a version of its register", i, k);
            else if (fn->blocks.v[pred].rpo != IR_NONE &&
                     !reaches(fn, arg, pred, fn->blocks.v[pred].end))
                fault(c, "phi %u: argument %u does not reach it", i, k);
        }
    }
}

static void check_uses(struct ir_validation *c)
{
    const struct ir_function *fn = c->fn;
    uint32_t total = 0, expected = fn->phi_args.n;
    for (uint32_t i = 0; i < fn->operands.n; i++)
        expected += fn->operand_version.v[i] != IR_NONE && fn->operands.v[i].role != ROLE_DEF;
    for (uint32_t version = 0; version < fn->versions.n; version++)
        for (uint32_t i = 0; i < fn->versions.v[version].use_count; i++, total++) {
            uint32_t use = ir_uses(fn, version)[i];
            if (!(use & USE_PHI) && fn->operand_version.v[use] != version)
                fault(c, "a use of version %u does not know it", version);
        }
    if (total != expected)
        fault(c, "%u uses are listed, there are %u", total, expected);
}

uint32_t ir_validate_function(const struct ir_module *module, uint32_t function,
                              struct memory *memory, FILE *to)
{
    static void (*const checks[])(struct ir_validation *) = {
        check_operands, check_blocks,   check_dominators, check_loops,
        check_liveness, check_versions, check_uses};
    struct ir_validation c = {.module = module, .fn = &module->functions.v[function], .to = to};
    if (!c.fn->has_body)
        return 0;
    arena_init(&c.scratch, memory);
    for (size_t k = 0; k < ARRAY_LENGTH(checks); k++)
        checks[k](&c);
    arena_free(&c.scratch);
    return c.faults;
}

uint32_t ir_validate(const struct ir_module *module, FILE *to)
{
    uint32_t faults = 0;
    for (uint32_t i = 0; i < module->functions.n; i++)
        faults += ir_validate_function(module, i, module->arena->memory, to);
    return faults;
}
