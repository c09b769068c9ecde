// The IR: names and scopes, control flow, SSA, uniform values; random functions against the
// validator.
#include "support/random.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct built {
    struct test_program program;
    struct ir_module module;
};

static void build(struct built *b, const char *text)
{
    program_parse(&b->program, text, strlen(text));
    ir_build(&b->module, &b->program.arena, &b->program.tree, &b->program.diags);
    if (ir_validate(&b->module, stderr))
        fail_msg("invalid IR of:\n%s", text);
}

static void build_clean(struct built *b, const char *text)
{
    build(b, text);
    if (b->program.diags.list.n)
        fail_msg("%s", b->program.diags.list.v[0].message);
}

static const struct ir_function *only(const struct built *b)
{
    for (uint32_t i = 0; i < b->module.functions.n; i++)
        if (b->module.functions.v[i].has_body)
            return &b->module.functions.v[i];
    fail_msg("no function has a body");
    return NULL;
}

static uint32_t reg_of(const struct ir_function *fn, uint32_t inst, enum ir_role role, uint32_t n)
{
    uint32_t operand = ir_find_operand(fn, inst, role, n);
    assert_int_not_equal(operand, IR_NONE);
    assert_int_equal(fn->operands.v[operand].kind, OPERAND_REGISTER);
    return fn->operands.v[operand].index;
}

static void test_scopes(void **state)
{
    (void)state;
    struct built b;
    build_clean(&b, KERNEL(".reg .b32 %r<9>; .reg .f32 x;\n"
                           "mov.b32 %r1, 1;\n"                      // 0
                           "{ .reg .b64 %r<3>; mov.b64 %r1, 2;\n"   // 1: hides
                           "  mov.b32 %r5, 3;\n"                    // 2: of the outer family
                           "  { .reg .b32 %r1; mov.b32 %r1, 4; }\n" // 3
                           "  mov.b64 %r1, 5; }\n"                  // 4: as 1
                           "mov.b32 %r1, 6; mov.b32 %r5, 7;\n"      // 5, 6
                           "mov.f32 x, 0f00000000; ret;"));
    const struct ir_function *fn = only(&b);
    uint32_t r[7];
    for (uint32_t i = 0; i < 7; i++)
        r[i] = reg_of(fn, i, ROLE_DEF, 0);
    assert_int_equal(r[0], r[5]);
    assert_int_equal(r[1], r[4]);
    assert_int_equal(r[2], r[6]);
    assert_int_not_equal(r[0], r[1]);
    assert_int_not_equal(r[1], r[3]);
    assert_int_not_equal(r[0], r[3]);
    assert_int_equal(fn->registers.v[r[1]].bits, 64);
    assert_int_equal(fn->registers.v[r[0]].bits, 32);
    program_free(&b.program);
}

static void test_undeclared(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        ".reg .b32 %r<3>; mov.b32 %r3, 1;", // behind the last
        ".reg .b32 %r<3>; mov.b32 %r03, 1;",
        "{ .reg .b32 y; } mov.b32 y, 1;",
        "mov.b32 %nosuch, 1;",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct built b;
        char text[512];
        snprintf(text, sizeof text, KERNEL("%s"), bodies[i]);
        build(&b, text);
        assert_int_equal(b.program.diags.errors, 1);
        assert_string_equal(b.program.diags.list.v[0].id, "undeclared");
        assert_true(only(&b)->incomplete);
        program_free(&b.program);
    }
}

// Pasted inline assembly: the same labels in several scopes.
static void test_labels_in_scopes(void **state)
{
    (void)state;
    struct built b;
    build_clean(&b, KERNEL(".reg .pred q;\n"
                           "{ WAIT: @q bra DONE; bra WAIT; DONE: }\n"
                           "{ WAIT: @q bra DONE; bra WAIT; DONE: }\n"
                           "ret;"));
    const struct ir_function *fn = only(&b);
    assert_int_equal(fn->loops.n, 2);
    assert_false(fn->incomplete);
    program_free(&b.program);
    build(&b, KERNEL("bra nowhere;"));
    assert_int_equal(b.program.diags.errors, 1);
    assert_string_equal(b.program.diags.list.v[0].id, "label");
    program_free(&b.program);
}

static void test_indirect_branch(void **state)
{
    (void)state;
    struct built b;
    build_clean(&b, KERNEL(".reg .b32 %r<2>;\n"
                           "ts: .branchtargets A, B, A;\n"
                           "brx.idx %r1, ts;\n"
                           "A: ret;\nB: bra A;"));
    const struct ir_function *fn = only(&b);
    assert_int_equal(fn->blocks.n, 3);
    assert_int_equal(fn->blocks.v[0].succ_count, 2);
    assert_false(fn->incomplete);
    program_free(&b.program);
}

static void test_roles(void **state)
{
    (void)state;
    static const struct {
        const char *inst;
        uint32_t defs, uses, addresses, keeps;
    } cases[] = {
        {"ld.global.v2.f32 {%f1, %f2}, [%rd1+8];", 2, 0, 1, 0},
        {"st.global.v2.f32 [%rd1], {%f1, %f2};", 0, 2, 1, 0},
        {"@%p1 mov.f32 %f1, %f2;", 1, 1, 0, 1},
        {"setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3;", 2, 3, 0, 0},
        {"atom.global.add.u32 %r1, [%rd1], %r2;", 1, 1, 1, 0},
        {"red.global.add.u32 [%rd1], %r2;", 0, 1, 1, 0},
        {"add.cc.u32 %r1, %r2, %r3;", 2, 2, 0, 0},
        {"addc.cc.u32 %r1, %r2, %r3;", 2, 3, 0, 0},
        {"bar.red.popc.u32 %r1, 0, %p1;", 1, 2, 0, 0},
        {"bar.sync %r1, %r2;", 0, 2, 0, 0},
        {"vadd.s32.s32.s32 %r1.b0, %r2, %r3, %r1;", 1, 3, 0, 1},
        {"call (%r1), fn, (%r2, %rd1);", 1, 3, 0, 0},
        {"frobnicate.u32 %r1, [%rd1], %r2;", 2, 0, 1, 2},
        {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", 2, 4, 0, 0},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [%rd1, {%f4, %f5}];", 4, 2, 1, 0},
        {"mov.b64 {%r1, %r2}, %rd1;", 2, 1, 0, 0},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, 1;", 2, 3, 0,
         2},
        {"mbarrier.arrive.shared.b64 %rd1, [%r1];", 1, 0, 1, 0},
        {"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;", 0, 2, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct built b;
        char text[1024];
        snprintf(
            text, sizeof text,
            ".visible .func (.reg .b32 r) fn(.reg .b32 a, .reg .b64 b);\n" KERNEL(
                ".reg .pred %%p<4>; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<4>;\n%s"),
            cases[i].inst);
        build(&b, text);
        const struct ir_function *fn = only(&b);
        uint32_t count[8] = {0};
        for (uint32_t k = 0; k < fn->insts.v[0].operand_count; k++)
            count[fn->operands.v[k].role]++;
        if (count[ROLE_DEF] != cases[i].defs || count[ROLE_USE] != cases[i].uses ||
            count[ROLE_ADDRESS] != cases[i].addresses || count[ROLE_KEEP] != cases[i].keeps)
            fail_msg("%s: %u defs, %u uses, %u addresses, %u keeps", cases[i].inst, count[ROLE_DEF],
                     count[ROLE_USE], count[ROLE_ADDRESS], count[ROLE_KEEP]);
        program_free(&b.program);
    }
}

static void test_loops(void **state)
{
    (void)state;
    struct built b;
    build_clean(&b, KERNEL(".reg .pred %p<4>; .reg .b32 %r<4>;\n"
                           "mov.b32 %r1, 0;\n"
                           "OUTER: mov.b32 %r2, 0;\n"
                           "INNER: add.s32 %r2, %r2, 1; @%p1 bra INNER;\n"
                           "add.s32 %r1, %r1, 1; @%p2 bra OUTER;\n"
                           "ret;"));
    const struct ir_function *fn = only(&b);
    assert_int_equal(fn->loops.n, 2);
    assert_int_equal(fn->loops.v[0].parent, IR_NONE);
    assert_int_equal(fn->loops.v[1].parent, 0);
    assert_int_equal(fn->loops.v[1].depth, 2);
    assert_int_equal(fn->loops.v[0].block_count, 3);
    assert_int_equal(fn->loops.v[1].block_count, 1);
    assert_false(fn->irreducible);
    uint32_t phis = 0;
    for (uint32_t i = 0; i < fn->phis.n; i++)
        phis += fn->phis.v[i].block == fn->loops.v[1].header;
    assert_int_equal(phis, 1); // %r2; %r1 and the predicates pass through unchanged
    program_free(&b.program);
}

static void test_irreducible(void **state)
{
    (void)state;
    struct built b;
    build_clean(&b, KERNEL(".reg .pred q;\n@q bra B;\nA: @q bra B; ret;\nB: bra A;"));
    assert_true(only(&b)->irreducible);
    program_free(&b.program);
}

static void test_modifiers(void **state)
{
    (void)state;
    struct built b;
    build_clean(&b, KERNEL(".reg .f32 %f<3>; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
                           "cvt.rn.f32.s32 %f1, %r1;\nld.volatile.global.f32 %f1, "
                           "[%rd1];\nld.weak.global.f32 %f1, [%rd1];\n"
                           "ld.f32 %f1, [%rd1];\nst.relaxed.gpu.shared.b32 [%r1], %r2;"));
    const struct ir_inst *inst = only(&b)->insts.v;
    assert_int_equal(inst[0].type, W_f32);
    assert_int_equal(inst[0].type2, W_s32);
    assert_true(inst[1].flags & INST_ORDERED);
    assert_false(inst[2].flags & INST_ORDERED);
    assert_int_equal(inst[2].space, W_global);
    assert_int_equal(inst[3].space, W_UNKNOWN);
    assert_true(inst[4].flags & INST_ORDERED);
    assert_int_equal(inst[4].space, W_shared);
    program_free(&b.program);
}

static uint64_t random_state;
static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(splitmix64(&random_state) % n);
}

static void random_kernel(char *text, size_t size)
{
    FILE *to = fmemopen(text, size, "w");
    uint32_t blocks = 1 + random_below(30), registers = 1 + random_below(8);
    fprintf(to, ".entry k() {\n.reg .pred %%p<3>;\n.reg .b32 %%r<%u>;\n", registers);
    for (uint32_t b = 0; b < blocks; b++) {
        fprintf(to, "L%u:\n", b);
        for (uint32_t i = random_below(4); i > 0; i--)
            fprintf(to, "%sadd.s32 %%r%u, %%r%u, %%r%u;\n", random_below(4) ? "" : "@%p1 ",
                    random_below(registers), random_below(registers), random_below(registers));
        uint32_t kind = random_below(10);
        if (kind < 5)
            fprintf(to, "@%%p%u bra L%u;\n", random_below(3), random_below(blocks));
        else if (kind < 7)
            fprintf(to, "bra L%u;\n", random_below(blocks));
        else if (kind == 7)
            fprintf(to, "%sret;\n", random_below(2) ? "@%p2 " : "");
        else if (kind == 8)
            fprintf(to, "setp.eq.s32 %%p%u, %%r0, 0;\n", random_below(3));
    }
    fprintf(to, "}\n");
    fclose(to);
}

// Returns the registers whose entry values the block reads, as bits; `defined` gets those that it
// defines.
static uint64_t block_reads(const struct ir_function *fn, uint32_t block, uint64_t *defined)
{
    uint64_t reads = 0;
    *defined = 0;
    for (uint32_t inst = fn->blocks.v[block].first; inst < fn->blocks.v[block].end; inst++) {
        uint64_t now = 0;
        for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++) {
            const struct ir_operand *operand = ir_operands(fn, inst) + i;
            uint64_t bit = operand->kind == OPERAND_REGISTER ? UINT64_C(1) << operand->index : 0;
            if (operand->role == ROLE_DEF)
                now |= bit;
            else
                reads |= bit & ~*defined;
        }
        *defined |= now;
    }
    return reads;
}

// Checks that the live registers are the least solution of the liveness equations.
static void check_live(const struct ir_function *fn)
{
    uint64_t live[64] = {0};
    assert_true(fn->blocks.n <= 64 && fn->registers.n <= 64);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < fn->blocks.n; b++) {
            uint64_t defined, now = block_reads(fn, b, &defined), out = 0;
            for (uint32_t i = 0; i < fn->blocks.v[b].succ_count; i++)
                out |= live[ir_succs(fn, b)[i]];
            now |= out & ~defined;
            changed |= now != live[b];
            live[b] = now;
        }
    }
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t reg = 0; reg < fn->registers.n; reg++)
            assert_int_equal(ir_live_in(fn, b, reg), live[b] >> reg & 1);
}

static char *printed(const struct ir_module *module)
{
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    ir_print(module, to);
    fclose(to);
    return text;
}

// Random functions are valid, and their dump reads back to the same dump.
static void test_random(void **state)
{
    (void)state;
    static char text[1 << 16];
    uint32_t irreducible = 0, loops = 0, phis = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        random_state = seed;
        random_kernel(text, sizeof text);
        struct built b, again;
        build_clean(&b, text);
        irreducible += only(&b)->irreducible;
        loops += only(&b)->loops.n;
        phis += only(&b)->phis.n;
        check_live(only(&b));
        char *first = printed(&b.module);
        build_clean(&again, first);
        char *second = printed(&again.module);
        assert_string_equal(first, second);
        free(first);
        free(second);
        program_free(&b.program);
        program_free(&again.program);
    }
    assert_true(irreducible > 50 && loops > 500 && phis > 2000); // the generator does reach these
}

// A counter is live in all loops inside its own: that takes one range per loop, not one entry per
// block.
static void test_nested_counters(void **state)
{
    (void)state;
    enum { DEPTH = 300 };
    static char text[DEPTH * 128];
    FILE *to = fmemopen(text, sizeof text, "w");
    fprintf(to, ".entry k() {\n.reg .pred p;\n.reg .b32 %%r<%d>;\n", DEPTH);
    for (int i = 0; i < DEPTH; i++)
        fprintf(to, "mov.u32 %%r%d, 0;\nL%d:\n", i, i);
    for (int i = DEPTH; i-- > 0;)
        fprintf(to, "add.u32 %%r%d, %%r%d, 1;\nsetp.lt.u32 p, %%r%d, 9;\n@p bra L%d;\n", i, i, i,
                i);
    fprintf(to, "ret;\n}\n");
    fclose(to);
    struct built b;
    build_clean(&b, text);
    const struct ir_function *fn = only(&b);
    assert_int_equal(fn->loops.n, DEPTH);
    assert_in_range(fn->live.n, DEPTH, 2 * DEPTH);
    for (uint32_t loop = 0; loop < DEPTH; loop++)
        assert_true(
            ir_live_in(fn, fn->loops.v[DEPTH - 1].header,
                       reg_of(fn, fn->blocks.v[fn->loops.v[loop].latch].first, ROLE_DEF, 0)));
    program_free(&b.program);
}

// Whichever allocation fails, all memory is freed, that of arenas on the stack included.
static void test_memory_failure(void **state)
{
    (void)state;
    const char *text = KERNEL(
        ".reg .b32 %r<9>; .reg .pred p;\nL: add.s32 %r1, %r2, 1; @p bra L; mov.b32 %r3, %r1; ret;");
    uint32_t failures = 0;
    for (volatile long fail_in = 1;; fail_in++) {
        struct built b = {.program.memory.fail_in = fail_in};
        struct test_program *p = &b.program;
        if (setjmp(p->memory.on_failure)) {
            memory_free(&p->memory);
            assert_int_equal(p->memory.bytes, 0);
            continue;
        }
        arena_init(&p->arena, &p->memory);
        char *copy = arena_strndup(&p->arena, text, strlen(text) + 1);
        source_init(&p->source, &p->arena, "test.ptx", copy, (uint32_t)strlen(text));
        diags_init(&p->diags, &p->arena);
        ptx_parse(&p->tree, &p->arena, &p->source, &p->diags);
        ir_build(&b.module, &p->arena, &p->tree, &p->diags);
        failures = (uint32_t)fail_in - 1;
        memory_free(&p->memory);
        assert_int_equal(p->memory.bytes, 0);
        break;
    }
    assert_true(failures > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_undeclared),
        cmocka_unit_test(test_labels_in_scopes),
        cmocka_unit_test(test_indirect_branch),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_irreducible),
        cmocka_unit_test(test_modifiers),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_nested_counters),
        cmocka_unit_test(test_memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
