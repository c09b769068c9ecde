// Uniform and varying values: each case stores values, and lists for each store, in the order of
// the text, whether the lanes of a warp have the same value (u) or not (v).
#include "passes/analysis/divergence/divergence.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct divergence_counts {
    struct test_program program;
    struct ir_module module;
    const struct ir_function *fn;
    struct divergence *divergence;
};

static void classify(struct divergence_counts *j, const char *tuning, const char *body,
                     struct block_shape shape, enum divergence_shape unknown)
{
    char text[8192];
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.const .b32 c[64];\n"
             ".func (.reg .b32 r) f(.reg .b32 x) { mov.b32 r, x; ret; }\n"
             ".visible .entry k(.param .u64 p, .param .u32 n) %s\n{\n"
             ".reg .pred %%p<9>; .reg .b32 %%r<20>; .reg .b64 %%rd<9>; .shared .b32 sm[64];\n"
             ".local .b32 lm[64];\nld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; "
             "setp.lt.u32 %%p1, %%r1, 7; ld.param.u32 %%r2, [n]; setp.lt.u32 %%p2, %%r2, 9;\n"
             "%s\nEND: ret;\n}\n",
             tuning, body);
    program_parse(&j->program, text, strlen(text));
    ir_build(&j->module, &j->program.arena, &j->program.tree, &j->program.diags);
    j->fn = &j->module.functions.v[1];
    assert_false(j->fn->incomplete);
    j->divergence = divergence_new(&j->program.arena, &j->module, j->fn,
                                   shape_of(&j->module, j->fn, shape), unknown);
}

static void check_in(const char *tuning, const char *body, const char *expected,
                     struct block_shape shape, enum divergence_shape unknown)
{
    struct divergence_counts j;
    char found[64];
    size_t n = 0;
    classify(&j, tuning, body, shape, unknown);
    for (uint32_t i = 0; i < j.fn->insts.n; i++)
        if (j.fn->insts.v[i].op == OP_st)
            found[n++] =
                divergence_operand(j.divergence, ir_find_operand(j.fn, i, ROLE_USE, 0)) ? 'u' : 'v';
    found[n] = 0;
    if (strcmp(found, expected))
        fail_msg("%s instead of %s in\n%s", found, expected, body);
    program_free(&j.program);
}

static void check(const char *body, const char *expected)
{
    check_in("", body, expected, (struct block_shape){0}, SHAPE_ANY);
}

#define ST(value) "st.global.u32 [%rd1], " value ";\n"

static void test_data(void **state)
{
    (void)state;
    check("mov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, %r2, 5;" ST("%r3") ST("%r4"), "uu");
    check("add.s32 %r3, %r1, %r2;" ST("%r1") ST("%r3") ST("7"), "vvu");
    check("mov.u32 %r3, %laneid; mov.u32 %r4, %warpid; mov.u32 %r5, %clock;" //
          ST("%r3") ST("%r4") ST("%r5"),
          "vuv");
    check("selp.b32 %r3, 1, 2, %p1; selp.b32 %r4, 1, 2, %p2;" ST("%r3") ST("%r4"), "vu");
    check("mov.u32 %r3, 1; @%p1 mov.u32 %r3, 2; mov.u32 %r4, 1; @%p2 mov.u32 %r4, 2;" //
          ST("%r3") ST("%r4"),
          "vu");
    check(ST("%r9"), "v"); // nobody wrote it
}

static void test_loads(void **state)
{
    (void)state;
    check("ld.global.u32 %r3, [%rd1+8]; ld.volatile.global.u32 %r4, [%rd1];" //
          ST("%r3") ST("%r4"),
          "uv");
    check("mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2];" //
          ST("%r3"),
          "v");
    check("ld.const.u32 %r3, [c+4]; ld.shared.u32 %r4, [sm]; ld.local.u32 %r5, [lm];" //
          ST("%r3") ST("%r4") ST("%r5"),
          "uuv");
    check("mov.u64 %rd2, lm; cvta.local.u64 %rd2, %rd2; ld.u32 %r3, [%rd2]; ld.u32 %r4, [%rd1];" //
          ST("%r3") ST("%r4"),
          "vu");
    check("atom.global.add.u32 %r3, [%rd1], 1; call (%r4), f, (%r2);" ST("%r3") ST("%r4"), "vv");
}

static void test_warp(void **state)
{
    (void)state;
    check(
        "vote.sync.ballot.b32 %r3, %p1, -1; activemask.b32 %r4; redux.sync.add.s32 %r5, %r1, -1;" //
        ST("%r3") ST("%r4") ST("%r5"),
        "uuu");
    check("vote.sync.ballot.b32 %r3, %p1, %r1; @%p1 vote.sync.ballot.b32 %r4, %p1, -1;" //
          ST("%r3") ST("%r4"),
          "vv");
    check("shfl.sync.idx.b32 %r3, %r1, 0, 31, -1; shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;"
          "shfl.sync.down.b32 %r5, %r2, 1, 31, -1; shfl.sync.idx.b32 %r6, %r1, 0, 0x101f, -1;" //
          ST("%r3") ST("%r4") ST("%r5") ST("%r6"),
          "uvuv");
    check("shfl.sync.idx.b32 %r3, %r1, %r1, 31, -1;" ST("%r3"), "v");
    // both arms shuffle at the same time
    check("@%p1 bra A; shfl.sync.bfly.b32 %r4, 1, 1, 31, -1;" ST(
              "%r4") "bra B;\n"
                     "A: shfl.sync.bfly.b32 %r4, 2, 1, 31, -1; shfl.sync.idx.b32 %r5, 2, 1, 31, "
                     "-1;" ST("%r4") ST("%r5") "B:",
          "vvu");
    check("barrier.red.popc.u32 %r3, 0, %p1; barrier.red.popc.u32 %r4, %r2, 64, %p1;"
          "barrier.red.popc.u32 %r5, %r1, %p1; barrier.red.popc.u32 %r6, 0, %r1, %p1;" //
          ST("%r3") ST("%r4") ST("%r5") ST("%r6"),
          "uuvv");
    check("match.any.sync.b32 %r3, %r1, -1; match.all.sync.b32 %r4, %r1, -1;" ST("%r3") ST("%r4"),
          "vu");
}

static void test_diamonds(void **state)
{
    (void)state;
    check("@%p1 bra A; mov.u32 %r3, 1; bra B;\nA: mov.u32 %r3, 2;\nB:" ST("%r3"), "v");
    check("@%p2 bra A; mov.u32 %r3, 1; bra B;\nA: mov.u32 %r3, 2;\nB:" ST("%r3"), "u");
    // inside an arm all lanes come the same way
    check("@%p1 bra B; @%p2 bra A; mov.u32 %r3, 1; bra C;\nA: mov.u32 %r3, 2;\nC:" ST("%r3") "B:",
          "u");
    // behind the join of a parted warp, a uniform branch is one again
    check("@%p1 bra A; mov.u32 %r3, 1; bra B;\nA: mov.u32 %r3, 2;\nB: @%p2 bra C;"
          "mov.u32 %r4, 3; bra D;\nC: mov.u32 %r4, 4;\nD:" ST("%r4"),
          "u");
    // a uniform branch in one of the arms leads to where the others are
    check("mov.u32 %r3, 0; @%p1 bra A; @%p2 bra B; mov.u32 %r3, 1; bra C;\nA: mov.u32 %r3, 2;\n"
          "B: mov.u32 %r4, 5; add.u32 %r5, %r3, 0;" ST("%r5") "C:" ST("%r3"),
          "vv");
    // the arms are the same and only a predicate knows of them
    check("setp.eq.u32 %p3, %r2, 3; @%p1 setp.eq.u32 %p3, %r2, 4; selp.b32 %r3, 1, 2, %p3;" //
          ST("%r3"),
          "v");
}

static const char uniform_loop[] = "mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;" ST(
    "%r3") "setp.lt.u32 %p3, %r3, %r2; @%p3 bra L;" ST("%r3");
static const char parting_loop[] = "mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;" ST(
    "%r3") "setp.lt.u32 %p3, %r3, %r1; @%p3 bra L;" ST("%r3");

static void test_loops(void **state)
{
    (void)state;
    check(uniform_loop, "uu");
    check(parting_loop, "uv"); // in the loop, those that are still there have counted the same
    // what is computed of such a value, and where it joins another
    check("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, %r1; @%p3 bra L;"
          "add.u32 %r4, %r3, 1; @%p2 bra M; mov.u32 %r3, 4;\nM:" ST("%r4") ST("%r3"),
          "vv");
    // a loop that lanes leave one by one inside of one that they leave together
    check("mov.u32 %r3, 0;\nL: mov.u32 %r4, 0;\nM: add.u32 %r4, %r4, 1;"
          "setp.lt.u32 %p3, %r4, %r1; @%p3 bra M; add.u32 %r3, %r3, 1;" ST("%r4")
              ST("%r3") "setp.lt.u32 %p4, %r3, %r2; @%p4 bra L;" ST("%r3"),
          "vuu");
    // lanes that go on early by another way; both ways add one, but not at the same place
    check("mov.u32 %r3, 0;\nL: @%p1 bra C; add.u32 %r3, %r3, 1; bra D;\nC: add.u32 %r3, %r3, 1;\n"
          "D:" ST("%r3") "setp.lt.u32 %p3, %r3, %r2; @%p3 bra L;",
          "v");
    // a uniform exit that only some lanes reach
    check("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; setp.eq.u32 %p4, %r3, %r1; @%p4 bra C;"
          "setp.eq.u32 %p5, %r3, %r2; @%p5 bra X;\nC: setp.lt.u32 %p3, %r3, 64; @%p3 bra L;\n"
          "X:" ST("%r3"),
          "v");
    // two exits that lead to one place
    check("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; mov.u32 %r4, 1; setp.eq.u32 %p4, %r3, %r2;"
          "@%p4 bra X; mov.u32 %r4, 2; setp.lt.u32 %p3, %r3, %r1; @%p3 bra L; mov.u32 %r4, 3;\n"
          "X:" ST("%r4"),
          "v");
}

// Some lanes return to the header of a loop while others proceed: a `continue`, and loops that
// share a header. Lanes that proceeded reconverge inside the loop.
static void test_shared_headers(void **state)
{
    (void)state;
    check("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;" ST(
              "%r3") "setp.eq.u32 %p3, %r3, %r1;"
                     "@%p3 bra L;" ST("%r3") "setp.lt.u32 %p4, %r3, %r2; @%p4 bra L;" ST("%r3"),
          "vvv");
    // nothing is carried round: a value of the loop, and one from before it
    check("L: ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, %r1; add.u32 %r4, %r3, 1;" ST("%r3")
              ST("%r4") "@%p3 bra L;" ST("%r3") ST("%r4") ST("%r2") "@%p2 bra L;" ST("%r3"),
          "uuvvuv");
    // the same by a uniform branch
    check("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; setp.eq.u32 %p3, %r3, %r2; @%p3 bra L;" //
          ST("%r3") "setp.lt.u32 %p4, %r3, 64; @%p4 bra L;" ST("%r3"),
          "uu");
    // lanes meet in an inner loop, and some have begun the outer one again
    check(
        "O: ld.global.u32 %r3, [%rd1];\nI: ld.global.u32 %r4, [%rd1+4]; setp.eq.u32 %p3, %r4, %r1;"
        "@%p3 bra O;" ST("%r3") ST("%r4") "@%p2 bra I;" ST("%r3"),
        "vvv");
    // a `continue` to the test at the end of the loop
    check("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; @%p1 bra C;" ST("%r3") "\nC:" ST(
              "%r3") "setp.lt.u32 %p4, %r3, %r2; @%p4 bra L;" ST("%r3"),
          "uuu");
}

static void test_early_returns(void **state)
{
    (void)state;
    check("@%p1 ret; mov.u32 %r3, 3;" ST("%r3"), "u");
    check("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; setp.eq.u32 %p4, %r3, %r1; @%p4 exit;"
          "setp.lt.u32 %p3, %r3, %r2; @%p3 bra L;" ST("%r3"),
          "u");
}

#define CYCLE_OF_TWO_ENTRIES(guard)                                                                \
    "mov.u32 %r3, 0; @" guard " bra B;\nA: add.u32 %r3, %r3, 1;\nB: add.u32 %r3, %r3, 2; "         \
    "setp.lt.u32 %p3, %r3, %r2; @%p3 bra A;\n" ST("%r3")

static void test_irreducible(void **state)
{
    (void)state;
    check(CYCLE_OF_TWO_ENTRIES("%p1"), "v");
    check(CYCLE_OF_TWO_ENTRIES("%p2"), "u");
    // what a cycle computes without a phi, read in it and behind it
    check("@%p2 bra B;\nA: mov.u32 %r4, 1;\nB: ld.global.u32 %r3, [%rd1]; setp.lt.u32 %p3, %r3, "
          "%r1;" //
          ST("%r3") "@%p3 bra A;\n" ST("%r3") ST("%r2"),
          "uvu");
}

static void test_shapes(void **state)
{
    (void)state;
    static const char body[] =
        "mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.z;" ST("%r1") ST("%r3") ST("%r4");
    check_in("", body, "vvv", (struct block_shape){0}, SHAPE_ANY);
    check_in("", body, "vuu", (struct block_shape){0}, SHAPE_ASSUMED);
    check_in("", body, "vuu", (struct block_shape){64, 4, 2}, SHAPE_ANY);
    check_in("", body, "vvu", (struct block_shape){16, 16, 2}, SHAPE_ANY);
    check_in("", body, "vvv", (struct block_shape){8, 2, 2}, SHAPE_ANY);
    check_in("", body, "uvu", (struct block_shape){1, 32, 2}, SHAPE_ANY);
    check_in(".reqntid 16, 16", body, "vvu", (struct block_shape){64, 4, 2}, SHAPE_ANY);
    check_in(".reqntid 128", body, "vuu", (struct block_shape){0}, SHAPE_ANY);
    check_in(".maxntid 128, 1, 1", body, "vvv", (struct block_shape){0}, SHAPE_ANY);
}

// Thousands of nested branches: the result may be coarse, but time must not grow quadratically.
static void test_bounded(void **state)
{
    (void)state;
    enum { DEPTH = 3000 };
    struct test_program p;
    struct ir_module module;
    char *text = malloc(DEPTH * 160 + 1000);
    size_t n = (size_t)sprintf(text, ".version 7.8\n.target sm_80\n.address_size 64\n.entry k()\n{"
                                     ".reg .pred %%p; .reg .b32 %%r1, %%s, %%u;\n"
                                     "mov.u32 %%r1, %%tid.x; mov.u32 %%s, 0; mov.u32 %%u, 1;\n");
    for (int i = 0; i < DEPTH; i++)
        n += (size_t)sprintf(text + n,
                             "setp.eq.u32 %%p, %%r1, %d; @%%p bra L%d;"
                             "add.u32 %%s, %%s, 1;\n",
                             i, i);
    for (int i = DEPTH; i-- > 0;)
        n += (size_t)sprintf(text + n, "add.u32 %%s, %%s, 1;\nL%d:\n", i);
    n += (size_t)sprintf(text + n, "ret;\n}\n");
    program_parse(&p, text, n);
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    const struct ir_function *fn = &module.functions.v[0];
    struct divergence *d =
        divergence_new(&p.arena, &module, fn, (struct block_shape){0}, SHAPE_ANY);
    assert_true(fn->phis.n >= DEPTH - 1);
    for (uint32_t i = 0; i < fn->phis.n; i++)
        assert_false(divergence_uniform(d, fn->phis.v[i].version));
    for (uint32_t i = 0; i < fn->versions.n; i++)
        if (fn->versions.v[i].kind == VERSION_INST &&
            fn->insts.v[fn->versions.v[i].index].op == OP_mov)
            assert_int_equal(divergence_uniform(d, i), fn->versions.v[i].index != 0);
    program_free(&p);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data),           cmocka_unit_test(test_loads),
        cmocka_unit_test(test_warp),           cmocka_unit_test(test_diamonds),
        cmocka_unit_test(test_loops),          cmocka_unit_test(test_early_returns),
        cmocka_unit_test(test_shared_headers), cmocka_unit_test(test_irreducible),
        cmocka_unit_test(test_shapes),         cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
