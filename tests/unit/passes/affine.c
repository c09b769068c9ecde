// Addresses as sums: each case ends in a load, whose address is compared as text.
#include "passes/analysis/affine/affine.h"
#include "tests/unit/passes/affine_text.h"
#include "tests/unit/program.h"
#include <stdio.h>

struct analysed {
    struct test_program program;
    struct ir_module module;
    const struct ir_function *fn;
    struct affines *affines;
    struct block_shape shape;
};

static void analyse(struct analysed *a, const char *body, struct block_shape shape)
{
    char text[8192];
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.global .b32 table[64];\n"
             ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n, .param .u16 h, "
             ".param .align 8 .b8 s[16])\n{\n"
             ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<30>; .reg .b64 %%rd<20>;\n"
             ".shared .b32 sm[64];\n"
             "ld.param.u64 %%rd1, [p]; ld.param.u64 %%rd2, [q]; ld.param.u32 %%r1, [n]; "
             "mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ntid.x; "
             "setp.lt.u32 %%p1, %%r2, 7;\n"
             "%s\nret;\n}\n",
             body);
    program_parse(&a->program, text, strlen(text));
    ir_build(&a->module, &a->program.arena, &a->program.tree, &a->program.diags);
    a->fn = &a->module.functions.v[0];
    assert_int_equal(a->program.diags.errors, 0);
    a->shape = shape;
    struct divergence *divergence =
        divergence_new(&a->program.arena, &a->module, a->fn, shape, SHAPE_ASSUMED);
    a->affines = affines_new(&a->program.arena, &a->module, a->fn, divergence, shape);
}

// Returns the last access of the function.
static uint32_t last_access(const struct analysed *a)
{
    for (uint32_t i = a->fn->insts.n; i-- > 0;)
        if (a->fn->insts.v[i].class == CLASS_LOAD || a->fn->insts.v[i].class == CLASS_STORE)
            return i;
    fail_msg("no access");
    return 0;
}

static struct affine address(struct analysed *a)
{
    struct affine found;
    assert_true(affine_of_address(a->affines, last_access(a), &found));
    return found;
}

static void check_shaped(const char *body, const char *expected, unsigned exact_bits,
                         struct block_shape shape)
{
    struct analysed a;
    analyse(&a, body, shape);
    struct affine found = address(&a);
    const char *text = affine_text(a.affines, &a.program.arena, &found);
    if (strcmp(text, expected))
        fail_msg("%s\ninstead of\n%s\nin\n%s", text, expected, body);
    if (found.exact_bits != exact_bits)
        fail_msg("%s: %u bits are sure instead of %u in\n%s", text, found.exact_bits, exact_bits,
                 body);
    program_free(&a.program);
}

static void check(const char *body, const char *expected, unsigned exact_bits)
{
    check_shaped(body, expected, exact_bits, (struct block_shape){0});
}

#define LD(address) "ld.global.u32 %r29, [" address "];"
#define INDEX "mad.lo.s32 %r5, %r3, %r4, %r2;"

static void test_index(void **state)
{
    (void)state;
    check(INDEX "mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3;" LD("%rd4+16"),
          "4*%tid.x + 4*%ntid.x*%ctaid.x + [p] + 16", 34);
    check("cvta.to.global.u64 %rd3, %rd1; mul.wide.u32 %rd4, %r2, 8; add.s64 %rd3, %rd3, %rd4;" //
          LD("%rd3+-8"),
          "8*%tid.x + [p] - 8", 64);
    check("cvt.s64.s32 %rd3, %r2; shl.b64 %rd3, %rd3, 2; add.s64 %rd4, %rd3, %rd1;" LD("%rd4"),
          "4*%tid.x + [p]", 64);
    check("cvt.u64.u32 %rd3, %r3; mad.lo.s64 %rd4, %rd3, 12, %rd1;" LD("%rd4"), "12*%ctaid.x + [p]",
          64);
    check("mad.wide.s32 %rd4, %r2, 4, %rd1;" LD("%rd4"), "4*%tid.x + [p]", 64);
    check("mul24.lo.u32 %r5, %r2, 3; mad24.lo.u32 %r5, %r2, 5, %r5; mul.wide.u32 %rd3, %r5, 1;" //
          LD("%rd3"),
          "8*%tid.x", 64);
    check("neg.s32 %r5, %r2; mul.wide.s32 %rd3, %r5, 4; sub.s64 %rd4, %rd1, %rd3;" LD("%rd4"),
          "4*%tid.x + [p]", 64);
    check("not.b32 %r5, %r2; mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3;" LD("%rd4"),
          "-4*%tid.x + [p] - 4", 64);
}

static void test_bases(void **state)
{
    (void)state;
    check("mov.u64 %rd3, table;" LD("%rd3+4"), "table + 4", 64);
    check("ld.global.u32 %r5, [table+8];", "table + 8", 64);
    check("mov.u32 %r5, sm; shl.b32 %r6, %r2, 2; add.s32 %r7, %r5, %r6; ld.shared.u32 %r8, [%r7];",
          "4*%tid.x + sm", 64);
    check("mov.u64 %rd3, sm; cvta.shared.u64 %rd3, %rd3; ld.u32 %r8, [%rd3+4];", "sm + 4", 64);
    check("ld.param.v2.u64 {%rd3, %rd4}, [s]; add.s64 %rd5, %rd4, 4;" LD("%rd5"), "[s+8] + 4", 64);
    check("ld.param.u16 %r5, [h]; mul.wide.u32 %rd3, %r5, 2;" LD("%rd3"), "2*u16([h])", 64);
    check("ld.global.u64 %rd3, [%rd1]; add.s64 %rd3, %rd3, 8;" LD("%rd3"), "%rd3 + 8", 64);
}

static void test_widening(void **state)
{
    (void)state;
    // a row and a column: the width is a parameter
    check("mad.lo.s32 %r5, %r3, %r1, %r2; mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3;" //
          LD("%rd4"),
          "4*%tid.x + 4*[n]*%ctaid.x + [p]", 34);
    check("mad.lo.s32 %r5, %r3, %r1, %r2; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3;" //
          LD("%rd4"),
          "4*%tid.x + 4*u32([n])*%ctaid.x + [p]", 34);
    check("mul.wide.u32 %rd3, %r1, 4;" LD("%rd3"), "4*u32([n])", 64);
    check("mul.wide.s32 %rd3, %r1, 4;" LD("%rd3"), "4*[n]", 64);
    // what may be negative is not looked through without its sign
    check("add.s32 %r5, %r2, -1; mul.wide.s32 %rd3, %r5, 4;" LD("%rd3"), "4*%tid.x - 4", 64);
    check("add.s32 %r5, %r2, -1; mul.wide.u32 %rd3, %r5, 4;" LD("%rd3"), "4*u32(%r5)", 64);
    check("add.s32 %r5, %r2, 0xffffffff; mul.wide.s32 %rd3, %r5, 4;" LD("%rd3"), "4*%tid.x - 4",
          64);
    check("cvt.u64.u32 %rd3, %r1; cvt.u32.u64 %r5, %rd3; add.s32 %r5, %r5, 1; cvt.s64.s32 %rd4, "
          "%r5;" LD("%rd4"),
          "u32([n]) + 1", 32);
    check("cvt.u32.u64 %r5, %rd1; cvt.s64.s32 %rd3, %r5;" LD("%rd3"), "%r5", 64);
    check("cvt.u16.u32 %h1, %r2; mul.wide.u16 %r5, %h1, 4; cvt.u64.u32 %rd3, %r5;" LD("%rd3"),
          "4*%tid.x", 64);
    check("cvt.s64.s8 %rd3, %r1;" LD("%rd3"), "%rd3", 64);
}

static void test_bits(void **state)
{
    (void)state;
    check("shl.b32 %r5, %r2, 2; or.b32 %r6, %r5, 3; cvt.u64.u32 %rd3, %r6;" LD("%rd3"),
          "4*%tid.x + 3", 64);
    check("shl.b32 %r5, %r3, 5; and.b32 %r6, %r2, 31; or.b32 %r7, %r5, %r6; cvt.u64.u32 %rd3, "
          "%r7;" LD("%rd3"),
          "32*%ctaid.x + %r6", 32);
    check("shl.b32 %r5, %r2, 2; or.b32 %r6, %r5, 4; cvt.u64.u32 %rd3, %r6;" LD("%rd3"), "u32(%r6)",
          64);
    check("and.b32 %r5, %r2, 1023; and.b32 %r6, %r5, 0x7fff; cvt.u64.u32 %rd3, %r6;" LD("%rd3"),
          "%tid.x", 64);
    check("and.b32 %r5, %r2, 31; cvt.u64.u32 %rd3, %r5;" LD("%rd3"), "%r5", 64);
    check("shl.b32 %r5, %r2, 3; and.b32 %r6, %r5, -8; cvt.u64.u32 %rd3, %r6;" LD("%rd3"),
          "8*%tid.x", 64);
    check("shl.b32 %r5, %r2, 3; shr.u32 %r6, %r5, 1; cvt.u64.u32 %rd3, %r6;" LD("%rd3"), "4*%tid.x",
          64);
    check("shl.b32 %r5, %r2, 3; shr.u32 %r6, %r5, 4; cvt.u64.u32 %rd3, %r6;" LD("%rd3"), "%r6", 64);
    check("shr.s32 %r5, %r2, 31; shr.u32 %r6, %r5, 27; add.s32 %r7, %r2, %r6; cvt.s64.s32 %rd3, "
          "%r7;" LD("%rd3"),
          "%tid.x", 64);
    check("bfe.u32 %r5, %r2, 0, 10; cvt.u64.u32 %rd3, %r5;" LD("%rd3"), "%tid.x", 64);
    check("bfe.u32 %r5, %r2, 0, 5; cvt.u64.u32 %rd3, %r5;" LD("%rd3"), "%r5", 64);
    check("mul.lo.s32 %r5, %r2, 6; div.u32 %r6, %r5, 3; rem.u32 %r7, %r5, 3; add.s32 %r6, %r6, "
          "%r7; cvt.u64.u32 %rd3, %r6;" LD("%rd3"),
          "2*%tid.x", 64);
    check("rem.u32 %r5, %r2, 1024; div.u32 %r6, %r2, 1024; add.u32 %r5, %r5, %r6; cvt.u64.u32 "
          "%rd3, %r5;" LD("%rd3"),
          "%tid.x", 64);
    check("min.s32 %r5, %r2, 2000; max.s32 %r6, %r5, -3; abs.s32 %r6, %r6; cvt.u64.u32 %rd3, "
          "%r6;" LD("%rd3"),
          "%tid.x", 64);
    check("xor.b32 %r5, %r2, -1; cvt.s64.s32 %rd3, %r5;" LD("%rd3"), "-%tid.x - 1", 64);
}

static void test_choices(void **state)
{
    (void)state;
    check("selp.b32 %r5, %r2, %r2, %p1; cvt.u64.u32 %rd3, %r5;" LD("%rd3"), "%tid.x", 64);
    check("selp.b32 %r5, %r2, %r3, %p1; cvt.s64.s32 %rd3, %r5;" LD("%rd3"), "%r5", 64);
    check("@%p1 bra A; mul.wide.s32 %rd3, %r2, 4; bra B;\nA: cvt.s64.s32 %rd4, %r2; shl.b64 %rd3, "
          "%rd4, 2;\nB:" LD("%rd3"),
          "4*%tid.x", 64);
    check("mov.u64 %rd3, %rd1; @%p1 mov.u64 %rd3, %rd2;" LD("%rd3"), "%rd3", 64);
}

static void test_loops(void **state)
{
    (void)state;
#define LOOP(start, body, step, more)                                                              \
    start "\nL: " body step "setp.lt.s32 %p2, %r9, %r1; @%p2 bra L;\nmov.u64 %rd5, %rd8;" more
    check(LOOP("mov.u32 %r9, 0;", "mul.wide.s32 %rd3, %r9, 4; add.s64 %rd4, %rd1, %rd3;" LD("%rd4"),
               "add.s32 %r9, %r9, 1;", ""),
          "4*i@11 + [p]", 34);
    check(LOOP("mov.u32 %r9, 0; mov.u64 %rd3, %rd1;", LD("%rd3+4"),
               "add.s64 %rd3, %rd3, 128; add.s32 %r9, %r9, 1;", ""),
          "128*i@11 + [p] + 4", 64);
    // grid-stride
    check("mov.u32 %r6, %nctaid.x; mul.lo.s32 %r7, %r6, %r4;" INDEX LOOP(
              "mov.u32 %r9, %r5;",
              "mul.wide.s32 %rd3, %r9, 4; add.s64 %rd4, %rd1, %rd3;" //
              LD("%rd4"),
              "add.s32 %r9, %r9, %r7;", ""),
          "4*%tid.x + 4*%ntid.x*%ctaid.x + 4*i@11*%nctaid.x*%ntid.x + [p]", 34);
    // downwards, and the step through an inner copy
    check(LOOP("mov.u32 %r9, %r1;", "mul.wide.s32 %rd3, %r9, 4;" LD("%rd3"),
               "mov.u32 %r10, %r9; add.s32 %r9, %r10, -2;", ""),
          "-8*i@11 + 4*[n]", 34);
    // the step is not the same each time
    check(LOOP("mov.u32 %r9, 1;", "mul.wide.s32 %rd3, %r9, 4;" LD("%rd3"), "shl.b32 %r9, %r9, 1;",
               ""),
          "4*%r9", 64);
    check(LOOP("mov.u32 %r9, 0; mov.u64 %rd3, %rd1;", LD("%rd3"),
               "add.s32 %r9, %r9, 1; cvt.s64.s32 %rd4, %r9; add.s64 %rd3, %rd3, %rd4;", ""),
          "%rd3", 64);
    // behind the loop it is the last iteration
    check(LOOP("mov.u32 %r9, 0;", "", "add.s32 %r9, %r9, 1;",
               "mul.wide.s32 %rd3, %r9, 4;" //
               LD("%rd3")),
          "4*i@11 + 4", 34);
    // two ways around, both adding the same, and not
#define TWO_WAYS(n)                                                                                \
    "mov.u32 %r9, 0;\nL: mul.wide.s32 %rd3, %r9, 4;" LD(                                           \
        "%rd3") "@%p1 bra M; add.s32 %r9, %r9, 3; "                                                \
                "setp.lt.s32 %p2, %r9, %r1; @%p2 bra L; ret;\nM: add.s32 %r9, %r9, " n             \
                "; bra L;\n"
    check(TWO_WAYS("3"), "12*i@11", 34);
    check(TWO_WAYS("4"), "4*%r9", 64);
}

static void test_nests(void **state)
{
    (void)state;
    // rows of n elements; the inner pointer starts where the outer one is
    check("mov.u32 %r8, 0; mov.u64 %rd3, %rd1;\nL: mov.u32 %r9, 0; mov.u64 %rd4, %rd3;\n"
          "M:" LD("%rd4") "add.s64 %rd4, %rd4, 4; add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, %r1; "
                          "@%p2 bra M;\nmul.wide.s32 %rd5, %r1, 4; add.s64 %rd3, %rd3, %rd5; "
                          "add.s32 %r8, %r8, 1; setp.lt.s32 %p3, %r8, %r1; @%p3 bra L;",
          "4*[n]*i@11 + 4*i@12 + [p]", 64);
    // i * n + j
    check("mov.u32 %r8, 0;\nL: mov.u32 %r9, 0;\n"
          "M: mad.lo.s32 %r10, %r8, %r1, %r9; mul.wide.s32 %rd3, %r10, 4;" LD(
              "%rd3") "add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, %r1; @%p2 bra M;\n"
                      "add.s32 %r8, %r8, 1; setp.lt.s32 %p3, %r8, %r1; @%p3 bra L;",
          "4*[n]*i@11 + 4*i@12", 34);
    // the inner step is the outer counter
    check("mov.u32 %r8, 5;\nL: mov.u32 %r9, 0; mov.u64 %rd3, 0; mul.wide.s32 %rd4, %r8, 4;\n"
          "M:" LD("%rd3") "add.s64 %rd3, %rd3, %rd4; add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, "
                          "%r1; @%p2 bra M;\nadd.s32 %r8, %r8, 2; setp.lt.s32 %p3, %r8, %r1; "
                          "@%p3 bra L;",
          "8*i@12*i@11 + 20*i@12", 34);
}

static void test_shapes(void **state)
{
    (void)state;
    const char *body =
        "mov.u32 %r5, %tid.y; mad.lo.s32 %r6, %r5, %r4, %r2; mul.wide.s32 %rd3, %r6, "
        "4;" LD("%rd3");
    check_shaped(body, "4*%tid.x + 64*%tid.y", 64, (struct block_shape){16, 16, 1});
    check_shaped(body, "4*%tid.x", 64, (struct block_shape){256, 1, 1});
    check_shaped(body, "4*%tid.x + 4*%ntid.x*%tid.y", 64, (struct block_shape){0});
}

// Lanes

static struct affine_lanes lanes_of(struct analysed *a, const char *body, struct block_shape shape,
                                    uint32_t warp)
{
    analyse(a, body, shape);
    struct affine found = address(a);
    return affine_lanes(a->affines, &found, a->fn->insts.v[last_access(a)].block, warp);
}

static void test_lanes(void **state)
{
    (void)state;
    struct analysed a;
    struct affine_lanes lanes =
        lanes_of(&a, INDEX "mul.wide.s32 %rd3, %r5, 12; add.s64 %rd4, %rd1, %rd3;" LD("%rd4"),
                 (struct block_shape){0}, 0);
    assert_true(lanes.known && lanes.same_in_all_warps && lanes.active == UINT32_MAX);
    for (int i = 0; i < WARP_LANES; i++)
        assert_int_equal(lanes.offset[i], 12 * i);
    program_free(&a.program);
    const char *matrix = "mov.u32 %r5, %tid.y; mul.wide.u32 %rd3, %r5, 1000; mad.wide.u32 %rd3, "
                         "%r2, 4, %rd3;" LD("%rd3");
    lanes = lanes_of(&a, matrix, (struct block_shape){16, 16, 1}, 3);
    assert_true(lanes.known && lanes.same_in_all_warps);
    for (int i = 0; i < WARP_LANES; i++)
        assert_int_equal(lanes.offset[i], 4 * (i % 16) + 1000 * (i / 16));
    program_free(&a.program);
    lanes = lanes_of(&a, matrix, (struct block_shape){24, 3, 1}, 2);
    assert_true(lanes.known && !lanes.same_in_all_warps);
    assert_int_equal(lanes.active, 0xff); // 72 threads
    for (int i = 0; i < 8; i++)
        assert_int_equal(lanes.offset[i], 4 * i);
    program_free(&a.program);
}

static void test_unknown_lanes(void **state)
{
    (void)state;
    struct analysed a;
    struct affine_lanes lanes =
        lanes_of(&a, "mul.lo.s32 %r5, %r2, %r1; mul.wide.s32 %rd3, %r5, 4;" LD("%rd3"),
                 (struct block_shape){0}, 0);
    assert_false(lanes.known);
    assert_int_equal(affine_atom(a.affines, lanes.because)->kind, AFFINE_PARAMETER);
    program_free(&a.program);
    lanes = lanes_of(&a,
                     "mul.wide.s32 %rd3, %r2, 4; add.s64 %rd3, %rd3, %rd1; ld.global.u32 %r5, "
                     "[%rd3]; mul.wide.s32 %rd3, %r5, 4;" LD("%rd3"),
                     (struct block_shape){0}, 0);
    assert_false(lanes.known);
    assert_int_equal(affine_atom(a.affines, lanes.because)->kind, AFFINE_VERSION);
    program_free(&a.program);
    // a counter differs only behind a loop that lanes leave one by one
    lanes = lanes_of(
        &a,
        "mov.u64 %rd3, 0; mov.u32 %r9, 0;\nL:" LD(
            "%rd3") "add.s64 %rd3, %rd3, 4; add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, %r2; "
                    "@%p2 bra L;",
        (struct block_shape){0}, 0);
    assert_true(lanes.known);
    program_free(&a.program);
    lanes = lanes_of(&a,
                     "mov.u64 %rd3, 0; mov.u32 %r9, 0;\nL: add.s64 %rd3, %rd3, 4; add.s32 %r9, "
                     "%r9, 1; setp.lt.s32 %p2, %r9, %r2; @%p2 bra L;" LD("%rd3"),
                     (struct block_shape){0}, 0);
    assert_false(lanes.known);
    assert_int_equal(affine_atom(a.affines, lanes.because)->kind, AFFINE_ITERATION);
    program_free(&a.program);
}

// nvcc's code for common ways to write an index: memory accesses in the order of the text

// Returns the only version among the address's atoms.
static uint32_t version_atom(struct analysed *a)
{
    struct affine found = address(a);
    for (uint32_t i = 0; i < found.count; i++)
        if (affine_atom(a->affines, found.terms[i].atom[0])->kind == AFFINE_VERSION)
            return found.terms[i].atom[0];
    fail_msg("no version in %s", affine_text(a->affines, &a->program.arena, &found));
    return IR_NONE;
}

// Atoms that two warps of a block have in common, besides what is known of the warps.
static void test_warps(void **state)
{
    static const struct {
        const char *body;
        bool exact, anywhere, apart;
        int64_t moved; // the next warp's first value
    } cases[] = {
        {"and.b32 %r5, %r2, 15; mul.wide.u32 %rd5, %r5, 4;", true, false, true, 0},
        {"and.b32 %r5, %r2, -16; mul.wide.u32 %rd5, %r5, 4;", true, false, true, 32},
        {"and.b32 %r5, %r2, -2; mul.wide.u32 %rd5, %r5, 4;", true, false, true, 32},
        {INDEX "and.b32 %r5, %r5, -16; mul.wide.s32 %rd5, %r5, 4;", false, false, true, 32},
        // Which 64 a warp is in depends on its place, but not known how.
        {INDEX "shr.u32 %r5, %r5, 6; mul.wide.u32 %rd5, %r5, 4;", false, false, false, 0},
        // Moved on by the same for all warps.
        {"mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd5, %rd2;\nL: mov.u64 %rd8, %rd5; "
         "ld.global.u64 %rd7, [%rd2];"
         "add.s64 %rd5, %rd5, %rd7; setp.ne.s64 %p2, %rd7, 0; @%p2 bra L;\nmov.u64 %rd5, %rd8;",
         false, false, true, 128},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysed a;
        char body[512];
        snprintf(body, sizeof body, "%s%s", cases[i].body, "add.s64 %rd6, %rd1, %rd5;" LD("%rd6"));
        analyse(&a, body, (struct block_shape){0});
        uint32_t atom = version_atom(&a);
        const struct affine_warp *at = affine_warp(a.affines, atom, 0);
        if (!at)
            fail_msg("nothing is known of %s", body);
        if (at->exact != cases[i].exact || at->anywhere != cases[i].anywhere ||
            at->apart != cases[i].apart)
            fail_msg("exact %d, anywhere %d, apart %d: %s", at->exact, at->anywhere, at->apart,
                     body);
        int64_t first = at->value[0];
        assert_int_equal(affine_warp(a.affines, atom, 1)->value[0] - first, cases[i].moved);
        struct affine_all_warps places = affine_all_warps(a.affines, atom);
        assert_true(places.known && places.alike);
        assert_int_equal(places.same, cases[i].exact && !cases[i].moved);
        program_free(&a.program);
    }
}

static void test_nvcc(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "4*%tid.x + 4*%ntid.x*%ctaid.x + [plain_param_1] + 4",
        "4*%tid.x + 4*%ntid.x*%ctaid.x + [plain_param_0]",
        "4*u32([without_sign_param_2])*%tid.x + 4*u32([without_sign_param_2])*%ntid.x*%ctaid.x + "
        "[without_sign_param_1]",
        "4*%tid.x + 4*%ntid.x*%ctaid.x + [without_sign_param_0]",
        "4*[matrix_param_2]*%tid.x + 4*%tid.y + 128*[matrix_param_2]*%ctaid.x + 32*%ctaid.y + "
        "[matrix_param_1]",
        "4*%tid.x + 4*[matrix_param_2]*%tid.y + 128*%ctaid.x + 32*[matrix_param_2]*%ctaid.y + "
        "[matrix_param_0]",
        "16*%tid.x + 16*%ntid.x*%ctaid.x + [structures_param_0] + 12",
        "4*%tid.x + 4*%ntid.x*%ctaid.x + [structures_param_1]",
        "4*%tid.x + 4096*i@175 + [rows_param_1]",
        "4*%tid.x + [rows_param_0]",
        "4*%tid.x + [shared_param_0]",
        "4*%tid.x + 132*%tid.y + _ZZ6sharedE4tile",
        "132*%tid.x + 4*%tid.y + _ZZ6sharedE4tile",
        "4*%tid.y + [shared_param_0]",
    };
    struct test_program p;
    struct ir_module module;
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(SOURCE_ROOT "/tests/unit/passes/affine_nvcc.ptx", "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, 1 << 16, file), n = 0;
    fclose(file);
    program_parse(&p, text, length);
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    for (uint32_t i = 0; i < module.functions.n; i++) {
        const struct ir_function *fn = &module.functions.v[i];
        struct block_shape shape = {0};
        struct divergence *d = divergence_new(&p.arena, &module, fn, shape, SHAPE_ASSUMED);
        struct affines *affines = affines_new(&p.arena, &module, fn, d, shape);
        for (uint32_t inst = 0; inst < fn->insts.n; inst++) {
            struct affine found;
            uint16_t space = fn->insts.v[inst].space;
            if ((space != W_global && space != W_shared) ||
                !affine_of_address(affines, inst, &found))
                continue;
            assert_true(n < sizeof expected / sizeof *expected);
            assert_string_equal(affine_text(affines, &p.arena, &found), expected[n++]);
        }
    }
    assert_int_equal(n, sizeof expected / sizeof *expected);
    program_free(&p);
    free(text);
}

// A hundred thousand additions in sequence, which recursion could not handle.
static void test_long_chain(void **state)
{
    (void)state;
    enum { LENGTH = 100000 };
    struct test_program p;
    struct ir_module module;
    char *text = malloc(LENGTH * 24 + 1000);
    size_t n = (size_t)sprintf(text, ".version 7.8\n.target sm_80\n.address_size 64\n"
                                     ".entry k(.param .u64 p)\n{.reg .b64 %%a; .reg .b32 %%r;\n"
                                     "ld.param.u64 %%a, [p];\n");
    for (int i = 0; i < LENGTH; i++)
        n += (size_t)sprintf(text + n, "add.s64 %%a, %%a, 3;\n");
    n += (size_t)sprintf(text + n, "ld.global.u32 %%r, [%%a]; ret;\n}\n");
    program_parse(&p, text, n);
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    const struct ir_function *fn = &module.functions.v[0];
    struct divergence *d =
        divergence_new(&p.arena, &module, fn, (struct block_shape){0}, SHAPE_ASSUMED);
    struct affines *affines = affines_new(&p.arena, &module, fn, d, (struct block_shape){0});
    struct affine found;
    assert_true(affine_of_address(affines, LENGTH + 1, &found));
    assert_string_equal(affine_text(affines, &p.arena, &found), "[p] + 300000");
    program_free(&p);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index),      cmocka_unit_test(test_bases),
        cmocka_unit_test(test_widening),   cmocka_unit_test(test_bits),
        cmocka_unit_test(test_choices),    cmocka_unit_test(test_loops),
        cmocka_unit_test(test_nests),      cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_lanes),      cmocka_unit_test(test_unknown_lanes),
        cmocka_unit_test(test_warps),      cmocka_unit_test(test_nvcc),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
