// Counts a loop by its exits. The one that is taken first decides.
#include "passes/analysis/divergence/regions.h"
#include "passes/analysis/trip/trip.h"
#include "passes/analysis/trip/trip_finder.h"
#include <string.h>

enum { MAX_EXITS = 8, MAX_JOINED = 4, MAX_TEXT = 1024 };

// Finds the guard of the branch at the end of the exit's block. *goes_on: a true guard continues
// the loop.
static bool find_branch(struct trip_finder *f, uint32_t block, uint32_t *guard, bool *goes_on)
{
    const struct ir_block *b = &f->fn->blocks.v[block];
    uint32_t inst = b->end - 1;
    const struct ir_inst *at = &f->fn->insts.v[inst];
    if (b->first == b->end || at->op != OP_bra || !(at->flags & INST_GUARDED) || b->succ_count != 2)
        return trip_unknown(f, b->first < b->end ? inst : IR_NONE,
                            "its exit is not a conditional branch");
    uint32_t label = ir_find_operand(f->fn, inst, ROLE_LABEL, 0);
    *guard = ir_find_operand(f->fn, inst, ROLE_GUARD, 0);
    if (label == IR_NONE || *guard == IR_NONE || f->fn->operands.v[*guard].kind != OPERAND_REGISTER)
        return trip_unknown(f, inst, "its exit is not a conditional branch");
    bool negated = at->flags & INST_GUARD_NEGATED;
    *goes_on = trip_in_loop(f, f->fn->operands.v[label].index) != negated;
    return true;
}

static bool is_second_result(const struct ir_function *fn, uint32_t inst, uint32_t version)
{
    uint32_t second = ir_find_operand(fn, inst, ROLE_DEF, 1);
    return second != IR_NONE && fn->operand_version.v[second] == version;
}

static bool joins_comparisons(const struct ir_inst *inst)
{
    return (inst->op == OP_and || inst->op == OP_or) && inst->operand_count == 3;
}

// Follows negations and copies of predicates from the guard back to the comparison, or to the
// instruction that combines two.
static bool find_comparison(struct trip_finder *f, uint32_t operand, struct test *test)
{
    for (int i = 0; i < TRIP_STEPS; i++) {
        uint32_t version = f->fn->operand_version.v[operand];
        uint32_t inst = version == IR_NONE ? IR_NONE : trip_defining(f->fn, version);
        if (inst == IR_NONE || !trip_in_loop(f, f->fn->insts.v[inst].block))
            return trip_unknown(f, f->fn->operand_inst.v[operand],
                                "its exit does not test a comparison made in the loop");
        const struct ir_inst *at = &f->fn->insts.v[inst];
        bool plain = !(at->flags & INST_GUARDED);
        test->inst = inst;
        if (at->op == OP_setp && plain) {
            test->goes_on ^= is_second_result(f->fn, inst, version);
            return true;
        }
        if (plain && joins_comparisons(at))
            return true;
        bool copies = (at->op == OP_mov || at->op == OP_not) && plain && at->operand_count == 2;
        if (!copies || f->fn->operands.v[at->operands + 1].kind != OPERAND_REGISTER)
            return trip_unknown(f, inst, "its exit tests more than one comparison");
        test->goes_on ^= (at->op == OP_not) ^ f->fn->operands.v[at->operands + 1].negated;
        operand = at->operands + 1;
    }
    return trip_unknown(f, test->inst, "its exit tests more than one comparison");
}

static bool tests_each_time(struct trip_finder *f, uint32_t block)
{
    const struct ir_block *header = &f->fn->blocks.v[f->fn->loops.v[f->loop].header];
    if (f->fn->blocks.v[block].loop != f->loop)
        return false;
    for (uint32_t i = 0; i < header->pred_count; i++) {
        uint32_t pred = f->fn->edges.v[header->pred + i];
        if (trip_in_loop(f, pred) && !ir_dominates(f->fn, block, pred))
            return false;
    }
    return true;
}

uint32_t *trip_accesses(struct arena *arena, const struct ir_function *fn, const bool *accesses)
{
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, fn->blocks.n + 1);
    next[fn->blocks.n] = fn->blocks.n;
    for (uint32_t i = fn->blocks.n; i-- > 0;) {
        next[i] = next[i + 1];
        for (uint32_t inst = fn->blocks.v[i].first; inst < fn->blocks.v[i].end; inst++)
            if (accesses[inst])
                next[i] = i;
    }
    return next;
}

// Returns true if the loop has an access that is executed only after the test passes.
static bool accesses_after(const struct ir_function *fn, uint32_t in, uint32_t block,
                           const uint32_t *accesses)
{
    const struct ir_loop *loop = &fn->loops.v[in];
    // No block of the loop follows its only latch.
    if (!accesses ||
        (loop->latch_count == 1 && loop->latch == block && fn->blocks.v[block].loop == in))
        return false;
    for (uint32_t i = accesses[loop->first]; i <= loop->last; i = accesses[i + 1])
        if (i != block && ir_in_loop(fn, in, i) && ir_dominates(fn, block, i))
            return true;
    return false;
}

// Condition of a branch: the loop continues if the guard has this value.
struct loop_condition {
    uint32_t guard;
    bool goes_on;
    bool several;   // other comparisons may end the loop, or keep it going
    bool at_bottom; // executions of the part before the test are counted
    int depth;
};

static bool count_condition(struct trip_finder *f, struct loop_condition q);

static const char *number_text(struct arena *arena, const struct trip *trip)
{
    return trip->kind == TRIP_COUNTED
               ? trip->text
               : arena_printf(arena, "%llu", (unsigned long long)trip->count);
}

// Combines the counts of two tests. `both`: the loop continues only if both pass.
static bool join_counts(struct trip_finder *f, const struct trip *a, bool both)
{
    const struct trip *b = &f->trip;
    struct trip to = {.kind = TRIP_CONSTANT, .because = IR_NONE};
    to.may_be_zero = both ? a->may_be_zero || b->may_be_zero : a->may_be_zero && b->may_be_zero;
    if (a->kind == TRIP_CONSTANT && b->kind == TRIP_CONSTANT) {
        to.count = (a->count < b->count) == both ? a->count : b->count;
    } else {
        const char *first = number_text(f->arena, a), *second = number_text(f->arena, b);
        bool same = !strcmp(first, second);
        to.kind = TRIP_COUNTED;
        to.text = same ? first
                       : arena_printf(f->arena, "%s(%s, %s)", both ? "min" : "max", first, second);
        if (strlen(to.text) > MAX_TEXT)
            return trip_unknown(f, IR_NONE, "the expression of its count is too long");
    }
    f->trip = to;
    return true;
}

// A comparison that has failed keeps failing: the loop ends with the first or with the last
// failure.
static bool count_joined(struct trip_finder *f, uint32_t inst, struct loop_condition q)
{
    struct trip first = {0};
    bool both = (f->fn->insts.v[inst].op == OP_and) == q.goes_on, goes_on = q.goes_on;
    q.several = true;
    for (uint32_t n = 0; n < 2; n++) {
        q.guard = trip_use(f->fn, inst, n);
        const struct ir_operand *o = &f->fn->operands.v[q.guard];
        q.goes_on = goes_on ^ o->negated;
        if (!q.depth || o->kind != OPERAND_REGISTER)
            return trip_unknown(f, inst, "its exit tests more than one comparison");
        q.depth--;
        if (!count_condition(f, q))
            return false;
        if (!n)
            first = f->trip;
    }
    return join_counts(f, &first, both);
}

static bool count_condition(struct trip_finder *f, struct loop_condition q)
{
    struct test test = {.goes_on = q.goes_on};
    if (!find_comparison(f, q.guard, &test))
        return false;
    if (!joins_comparisons(&f->fn->insts.v[test.inst]))
        return trip_count_test(f, test, q.several, q.at_bottom);
    q.goes_on = test.goes_on;
    return count_joined(f, test.inst, q);
}

static bool count_exit(struct trip_finder *f, uint32_t block, struct loop_condition q)
{
    if (!tests_each_time(f, block))
        return trip_unknown(f, f->fn->blocks.v[block].end - 1, "some iterations bypass its test");
    return find_branch(f, block, &q.guard, &q.goes_on) && count_condition(f, q);
}

static bool leaves_loop(const struct trip_finder *f, uint32_t block)
{
    for (uint32_t k = 0; k < f->fn->blocks.v[block].succ_count; k++)
        if (!trip_in_loop(f, ir_succs(f->fn, block)[k]))
            return true;
    return regions_leaves(f->fn, block);
}

// Counts executions of the header. The exit that is taken first ends the loop.
static bool count_exits(struct trip_finder *f)
{
    struct loop_condition q = {.several = true, .at_bottom = true, .depth = MAX_JOINED};
    struct trip all = {0};
    bool found = false;
    IR_LOOP_EACH (block, f->fn, f->loop) {
        if (!leaves_loop(f, block))
            continue;
        if (regions_leaves(f->fn, block) || !count_exit(f, block, q) ||
            (found && !join_counts(f, &all, true)))
            return false;
        all = f->trip;
        found = true;
    }
    return found;
}

static bool find(struct trip_finder *f, const struct loop_exits *exits, const uint32_t *accesses)
{
    struct loop_condition q = {.depth = MAX_JOINED};
    if (exits->edges > 1 && exits->edges <= MAX_EXITS && count_exits(f))
        return true;
    if (exits->edges != 1 || exits->to == IR_NONE) {
        uint32_t block = exits->edges ? exits->from : f->fn->loops.v[f->loop].header;
        const struct ir_block *b = &f->fn->blocks.v[block];
        return trip_unknown(f, b->first < b->end ? b->end - 1 : IR_NONE,
                            exits->edges ? "it has several exits" : "it has no exit");
    }
    q.at_bottom = !accesses_after(f->fn, f->loop, exits->from, accesses);
    return count_exit(f, exits->from, q);
}

struct trip trip_of(struct arena *arena, const struct ir_module *module,
                    const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                    const uint32_t *accesses, struct facts *facts)
{
    struct trip_finder finder = {
        .arena = arena, .module = module, .fn = fn, .facts = facts, .loop = loop};
    finder.tracer = (struct tracer){arena, module, fn, loop, TRIP_VALUES};
    find(&finder, exits, accesses);
    return finder.trip;
}

bool trip_tests_first(const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                      const uint32_t *accesses)
{
    return exits->edges == 1 && accesses_after(fn, loop, exits->from, accesses);
}

// Lists the exits of loops.

static void add_exit(struct loop_exits *exits, uint32_t from, uint32_t to)
{
    if (!exits->edges++) {
        exits->from = from;
        exits->to = to;
        exits->other = to == IR_NONE ? from : IR_NONE;
    } else if (to == IR_NONE || to != exits->to) {
        exits->other = from;
    }
}

// Adds an exit to the loop. Returns the loop around it, or IR_NONE.
static uint32_t leave(struct loop_exits *exits, const struct ir_function *fn, uint32_t loop,
                      uint32_t from, uint32_t to)
{
    add_exit(&exits[loop], from, to);
    return fn->loops.v[loop].parent;
}

struct loop_exits *loop_exits_list(struct arena *arena, const struct ir_function *fn)
{
    struct loop_exits *exits = ARENA_ARRAY(arena, struct loop_exits, fn->loops.n + 1);
    for (uint32_t i = 0; i < fn->loops.n; i++)
        exits[i] = (struct loop_exits){0, IR_NONE, IR_NONE, IR_NONE};
    for (uint32_t block = 0; block < fn->blocks.n; block++) {
        uint32_t inner = fn->blocks.v[block].loop;
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count && inner != IR_NONE; k++) {
            uint32_t to = ir_succs(fn, block)[k], loop = inner;
            while (loop != IR_NONE && !ir_in_loop(fn, loop, to))
                loop = leave(exits, fn, loop, block, to);
        }
        for (uint32_t loop = inner; loop != IR_NONE && regions_leaves(fn, block);)
            loop = leave(exits, fn, loop, block, IR_NONE);
    }
    return exits;
}
