// Compares candidates of random functions with their definitions: control enters and leaves each
// candidate at one place, candidates are disjoint or nested, loops are the loops; live-ins and
// live-outs are those of a plain data-flow analysis of the same instructions.
#include "passes/blocks/candidates.h"
#include "support/bits.h"
#include "tests/unit/program.h"
#include <stdio.h>

enum { ROUNDS = 1500, MAX_BLOCKS = 14, REGISTERS = 5 };

struct fixture {
    struct test_program program;
    struct ir_module module;
    const struct ir_function *fn;
    struct candidates candidates;
    char text[16384];
    size_t length;
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

// Random functions

__attribute__((format(printf, 2, 3))) static void put(struct fixture *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    f->length += (size_t)vsnprintf(f->text + f->length, sizeof f->text - f->length, format, args);
    va_end(args);
    assert_true(f->length < sizeof f->text);
}

static void put_instructions(struct fixture *f, uint64_t *state)
{
    for (uint32_t count = draw(state, 4); count-- > 0;) {
        uint32_t a = draw(state, REGISTERS), b = draw(state, REGISTERS), c = draw(state, REGISTERS);
        switch (draw(state, 9)) {
        case 0: put(f, "add.s32 %%r%u, %%r%u, %%r%u;\n", a, b, c); break;
        case 1: put(f, "@%%p%u mov.u32 %%r%u, %%r%u;\n", draw(state, 2), a, b); break;
        case 2: put(f, "ld.global.u32 %%r%u, [%%a+%u];\n", a, 4 * b); break;
        case 3: put(f, "@!%%p0 ld.global.u32 %%r%u, [%%a];\n", a); break;
        case 4: put(f, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", draw(state, 2), a, b); break;
        case 5: put(f, "mov.u32 %%r%u, %u;\n", a, b); break;
        case 6: put(f, "bar.sync 0;\n"); break;
        default: put(f, "st.global.u32 [%%a+%u], %%r%u;\n", 4 * b, a); break;
        }
    }
}

static void put_branch(struct fixture *f, uint64_t *state, uint32_t block, uint32_t blocks)
{
    uint32_t near = block + 1 + draw(state, 3), back = draw(state, block + 1);
    uint32_t to = draw(state, 3) ? near : back;
    to = to < blocks ? to : blocks - 1;
    switch (draw(state, 9)) {
    case 0:
    case 1:
    case 2:
    case 3: put(f, "@%%p%u bra L%u;\n", draw(state, 2), to); break;
    case 4: put(f, "bra L%u;\n", to); break;
    case 5: put(f, "@%%p%u bra L%u;\nbra L%u;\n", draw(state, 2), to, draw(state, blocks)); break;
    case 6: put(f, "%sret;\n", draw(state, 2) ? "@%p0 " : ""); break;
    default: break;
    }
}

static void put_function(struct fixture *f, uint64_t *state)
{
    uint32_t blocks = 1 + draw(state, MAX_BLOCKS);
    put(f,
        ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %%p<2>; .reg .b64 %%a, %%b; .reg .b32 %%t, %%r<%u>;\n"
        "ld.param.u64 %%b, [p];\nmov.u32 %%t, %%tid.x;\nmad.wide.u32 %%a, %%t, 4, %%b;\n"
        "setp.eq.u32 %%p0, %%t, 1;\nsetp.eq.u32 %%p1, %%t, 2;\n",
        REGISTERS);
    for (uint32_t i = 0; i < REGISTERS; i++)
        put(f, "ld.global.u32 %%r%u, [%%a+%u];\n", i, i * 4);
    for (uint32_t i = 0; i < blocks; i++) {
        put(f, "L%u:\n", i);
        put_instructions(f, state);
        put_branch(f, state, i, blocks);
    }
    put(f, "ret;\n}\n");
}

// The graph of units

static uint32_t place(const struct fixture *f, uint32_t block, enum unit_part unit)
{
    return f->candidates.regions.place[unit][block];
}

static uint32_t successors(const struct fixture *f, uint32_t unit, uint32_t *to)
{
    struct region_unit at = f->candidates.regions.units[unit];
    const struct ir_block *block = &f->fn->blocks.v[at.block];
    if (at.part != UNIT_TAIL) {
        *to = place(f, at.block, at.part + 1);
        return 1;
    }
    for (uint32_t i = 0; i < block->succ_count; i++)
        to[i] = place(f, ir_succs(f->fn, at.block)[i], UNIT_HEAD);
    return block->succ_count;
}

static bool inside(const struct block_candidate *c, uint32_t unit)
{
    return unit >= c->begin && unit < c->end;
}

// Returns the unit at which control enters. Fails if there are two.
static uint32_t entry_unit(const struct fixture *f, const struct block_candidate *c)
{
    uint32_t entry = IR_NONE, to[4];
    for (uint32_t unit = 0; unit < f->candidates.regions.unit_count; unit++)
        for (uint32_t i = successors(f, unit, to); !inside(c, unit) && i-- > 0;) {
            if (!inside(c, to[i]))
                continue;
            assert_true(entry == IR_NONE || entry == to[i]);
            entry = to[i];
        }
    return entry;
}

// Returns the number of places that control leaves for, including the end of the function, and one
// of them.
static uint32_t leaves_for(const struct fixture *f, const struct block_candidate *c,
                           uint32_t *target)
{
    uint32_t count = 0, to[4];
    bool ends = false;
    *target = IR_NONE;
    for (uint32_t unit = c->begin; unit < c->end; unit++) {
        struct region_unit at = f->candidates.regions.units[unit];
        ends |= at.part == UNIT_TAIL && regions_leaves(f->fn, at.block);
        for (uint32_t i = successors(f, unit, to); i-- > 0;) {
            if (inside(c, to[i]) || to[i] == *target)
                continue;
            count++;
            *target = to[i];
        }
    }
    return count + ends;
}

static void check_shape(const struct fixture *f, const struct block_candidate *c)
{
    uint32_t target, ways = leaves_for(f, c, &target), entry = entry_unit(f, c);
    const struct regions *regions = &f->candidates.regions;
    assert_true(entry == IR_NONE || regions->units[entry].block == c->entry);
    if (c->kind == BLOCK_LOOP) {
        assert_int_equal(c->end - c->begin, f->fn->loops.v[c->loop].block_count * 3);
        assert_int_equal(c->open, ways != 1 || target == IR_NONE);
    } else if (!c->open) {
        assert_true(ways <= 1 || c->counts.barred != IR_NONE);
    }
    if (c->open || ways != 1 || target == IR_NONE)
        return;
    struct region_unit to = regions->units[target];
    assert_int_equal(to.block, to.part == UNIT_TAIL ? c->exit.tail : c->exit.block);
}

static void check_apart(const struct block_candidate *a, const struct block_candidate *b)
{
    bool apart = a->end <= b->begin || b->end <= a->begin;
    bool within =
        (a->begin >= b->begin && a->end <= b->end) || (b->begin >= a->begin && b->end <= a->end);
    assert_true(apart || within);
    assert_false(a != b && a->begin == b->begin && a->end == b->end);
}

// Liveness, in its simplest form

struct flow {
    uint64_t *live; // per unit: one word of registers
    bool kept;      // a guarded definition reads what it may keep
};

static uint64_t before(const struct fixture *f, uint32_t inst, uint64_t live, bool kept)
{
    const struct ir_operand *operands = ir_operands(f->fn, inst);
    const struct ir_inst *at = &f->fn->insts.v[inst];
    for (uint32_t i = 0; i < at->operand_count; i++)
        if (operands[i].kind == OPERAND_REGISTER && operands[i].role == ROLE_DEF &&
            !(at->flags & INST_GUARDED))
            live &= ~(UINT64_C(1) << operands[i].index);
    for (uint32_t i = 0; i < at->operand_count; i++) {
        bool reads = operands[i].role != ROLE_DEF && (kept || operands[i].role != ROLE_KEEP);
        if (operands[i].kind == OPERAND_REGISTER && reads)
            live |= UINT64_C(1) << operands[i].index;
    }
    return live;
}

static void unit_insts(const struct fixture *f, uint32_t unit, uint32_t *first, uint32_t *end)
{
    struct region_unit at = f->candidates.regions.units[unit];
    const struct ir_block *block = &f->fn->blocks.v[at.block];
    bool tail =
        block->first < block->end && (f->fn->insts.v[block->end - 1].flags & INST_TERMINATOR);
    *first = at.part == UNIT_BODY ? block->first : block->end - tail;
    *end = at.part == UNIT_HEAD ? *first : at.part == UNIT_BODY ? block->end - tail : block->end;
}

// Finds the registers that are read from the start of each unit on, on paths within [begin, end).
static void find_live(const struct fixture *f, uint32_t begin, uint32_t end, bool kept,
                      uint64_t *live)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t unit = end; unit-- > begin;) {
            uint32_t to[4], first, last;
            uint64_t now = 0;
            for (uint32_t i = successors(f, unit, to); i-- > 0;)
                if (to[i] >= begin && to[i] < end)
                    now |= live[to[i]];
            unit_insts(f, unit, &first, &last);
            while (last > first)
                now = before(f, --last, now, kept);
            changed |= now != live[unit];
            live[unit] = now;
        }
    }
}

static uint64_t written(const struct fixture *f, const struct block_candidate *c)
{
    uint64_t set = 0;
    for (uint32_t unit = c->begin; unit < c->end; unit++) {
        uint32_t first, end;
        unit_insts(f, unit, &first, &end);
        for (uint32_t inst = first; inst < end; inst++)
            for (uint32_t i = 0; i < f->fn->insts.v[inst].operand_count; i++) {
                const struct ir_operand *operand = &ir_operands(f->fn, inst)[i];
                if (operand->kind == OPERAND_REGISTER && operand->role == ROLE_DEF)
                    set |= UINT64_C(1) << operand->index;
            }
    }
    return set;
}

static uint64_t set_of(const struct live_value *values, uint32_t count)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < count; i++)
        if (values[i].reg != IR_NONE)
            set |= UINT64_C(1) << values[i].reg;
    return set;
}

// Returns the registers that cost nothing in these functions: the pointer parameter.
static uint64_t free_registers(const struct fixture *f)
{
    for (uint32_t i = 0; i < f->fn->registers.n; i++) {
        uint32_t id = f->fn->registers.v[i].name;
        if (id != IR_NONE && tree_name(&f->program.tree, id)->length == 2 &&
            tree_name(&f->program.tree, id)->text[1] == 'b')
            return UINT64_C(1) << i;
    }
    return 0;
}

static uint64_t read_behind(const struct fixture *f, const struct block_candidate *c,
                            const uint64_t *live_after)
{
    uint64_t read = 0;
    uint32_t to[4];
    for (uint32_t unit = c->begin; unit < c->end; unit++)
        for (uint32_t i = successors(f, unit, to); i-- > 0;)
            if (!inside(c, to[i]))
                read |= live_after[to[i]];
    return read;
}

static void check_transfers(struct fixture *f, struct transfers *transfers,
                            const struct block_candidate *c, const uint64_t *live_after)
{
    struct block_plan plan = {.kind = c->kind};
    uint32_t entry = entry_unit(f, c);
    uint64_t *live = ARENA_ARRAY(&f->program.arena, uint64_t, f->candidates.regions.unit_count + 1);
    if (entry == IR_NONE) // begins with the function
        entry = c->begin;
    transfers_of(transfers, &f->program.arena, c->begin, c->end, &plan);
    find_live(f, c->begin, c->end, false, live);
    assert_int_equal(set_of(plan.live_in.v, plan.live_in.n), live[entry] & ~free_registers(f));
    assert_int_equal(set_of(plan.live_out.v, plan.live_out.n),
                     read_behind(f, c, live_after) & written(f, c));
}

static void check_function(struct fixture *f)
{
    struct effects *effects = effects_new(&f->program.arena, &f->module);
    candidates_find(&f->candidates, &f->program.arena, &f->module, f->fn, effects, NULL);
    const struct regions *regions = &f->candidates.regions;
    struct transfers *transfers = transfers_new(&f->program.arena, &f->module, f->fn, regions);
    uint64_t *live_after = ARENA_ARRAY(&f->program.arena, uint64_t, regions->unit_count + 1);
    assert_int_equal(regions->unit_count, f->fn->rpo.n * 3);
    find_live(f, 0, regions->unit_count, true, live_after);
    for (uint32_t i = 0; i < f->candidates.list.n; i++) {
        const struct block_candidate *c = &f->candidates.list.v[i];
        check_shape(f, c);
        check_transfers(f, transfers, c, live_after);
        for (uint32_t k = 0; k < i; k++)
            check_apart(c, &f->candidates.list.v[k]);
    }
}

static void test_random(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    uint32_t seen[3] = {0};
    struct fixture *f = calloc(1, sizeof *f);
    for (int round = 0; round < ROUNDS; round++) {
        f->length = 0;
        put_function(f, &state);
        program_parse(&f->program, f->text, f->length);
        ir_build(&f->module, &f->program.arena, &f->program.tree, &f->program.diags);
        assert_int_equal(f->program.diags.errors, 0);
        f->fn = &f->module.functions.v[0];
        check_function(f);
        for (uint32_t i = 0; i < f->candidates.list.n; i++)
            seen[f->candidates.list.v[i].kind]++;
        program_free(&f->program);
    }
    free(f);
    for (int kind = 0; kind < 3; kind++) // the random functions have what they are to test
        assert_true(seen[kind] > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
