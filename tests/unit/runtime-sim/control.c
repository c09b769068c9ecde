// Divergence, calls and barriers: the lanes that execute, and that all finally have executed.
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".entry k(.param .u64 out, .param .u32 n)\n{\n"                                                \
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"                                      \
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"                                           \
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"                          \
    "mad.lo.u32 %r5, %r3, %r4, %r2; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n" text   \
    "st.global.u32 [%rd3], %r10; ret;\n}\n"

static uint32_t *run(struct kernel *k, const char *text, uint32_t grid, uint32_t block, uint32_t n)
{
    kernel_load(k, text, NULL);
    uint32_t *out = kernel_buffer(k, 4ull * grid * block);
    kernel_u32(k, n);
    kernel_succeeds(k, "k", grid, block);
    return out;
}

// The last warp of a CTA may have fewer lanes; missing lanes do not write.
static void test_partial_warps(void **state)
{
    (void)state;
    struct kernel k;
    uint32_t *out = run(&k, BODY("add.u32 %r10, %r5, %r1;\n"), 3, 45, 7);
    for (uint32_t i = 0; i < 3 * 45; i++)
        assert_int_equal(out[i], i + 7);
    assert_int_equal(k.result.warp_instructions, 3 * 2 * 11);
    assert_int_equal(k.result.thread_instructions, 3 * 45 * 11);
    kernel_free(&k);
}

static void test_both_sides(void **state)
{
    (void)state;
    struct kernel k;
    uint32_t *out = run(&k,
                        BODY("and.b32 %r6, %r2, 3; setp.eq.u32 %p1, %r6, 1; @%p1 bra A;\n"
                             "setp.eq.u32 %p2, %r6, 2; @%p2 bra B; mov.u32 %r10, 30; bra C;\n"
                             "A: mov.u32 %r10, 10; bra C;\nB: mov.u32 %r10, 20;\nC:\n"
                             "add.u32 %r10, %r10, %r2;\n"),
                        1, 64, 0);
    static const uint32_t expected[] = {30, 10, 20, 30};
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], expected[i & 3] + i);
    // All lanes are together again behind C: its instructions are counted once for each warp.
    assert_int_equal(k.result.warp_instructions, 2 * (8 + 3 + 2 + 2 + 2 + 1 + 3));
    kernel_free(&k);
}

// Every lane executes as many iterations as its number.
static void test_loops(void **state)
{
    (void)state;
    struct kernel k;
    uint32_t *out = run(&k,
                        BODY("mov.u32 %r10, 0; mov.u32 %r6, 0;\n"
                             "L: setp.ge.u32 %p1, %r6, %r2; @%p1 bra E;\n"
                             "mov.u32 %r7, 0;\nM: add.u32 %r10, %r10, 1; add.u32 %r7, %r7, 1;\n"
                             "setp.lt.u32 %p2, %r7, %r6; @%p2 bra M;\n"
                             "add.u32 %r6, %r6, 1; bra L;\nE:\n"),
                        2, 100, 0);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t expected = 0;
        for (uint32_t a = 0; a < i % 100; a++)
            expected += a ? a : 1;
        assert_int_equal(out[i], expected);
    }
    kernel_free(&k);
}

static void test_indexed_branch(void **state)
{
    (void)state;
    struct kernel k;
    uint32_t *out = run(&k,
                        BODY("and.b32 %r6, %r2, 3; T: .branchtargets A, B, C, A;\n"
                             "brx.idx %r6, T;\nA: mov.u32 %r10, 1; bra D;\n"
                             "B: mov.u32 %r10, 2; bra D;\nC: mov.u32 %r10, 3;\nD:\n"),
                        1, 32, 0);
    static const uint32_t expected[] = {1, 2, 3, 1};
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], expected[i & 3]);
    kernel_free(&k);
}

// Lanes that exit early do not hold up a barrier; shared memory passes values between warps.
static void test_barrier(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".shared .align 4 .b8 s[1024];\n"
                                     ".entry k(.param .u64 out, .param .u32 n)\n{\n"
                                     ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"
                                     "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"
                                     "mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1;\n"
                                     "@%p1 exit;\n"
                                     "mov.u32 %r3, s; shl.b32 %r4, %r2, 2; add.u32 %r5, %r3, %r4;\n"
                                     "mul.lo.u32 %r6, %r2, 3; st.shared.u32 [%r5], %r6;\n"
                                     "bar.sync 0;\n"
                                     "sub.u32 %r7, %r1, %r2; shl.b32 %r8, %r7, 2;\n"
                                     "add.u32 %r9, %r3, %r8; ld.shared.u32 %r10, [%r9+-4];\n"
                                     "cvt.u64.u32 %rd2, %r4; add.u64 %rd3, %rd1, %rd2;\n"
                                     "st.global.u32 [%rd3], %r10; ret;\n}\n",
                NULL);
    uint32_t *out = kernel_buffer(&k, 256 * 4);
    kernel_u32(&k, 230);
    kernel_succeeds(&k, "k", 1, 256);
    for (uint32_t i = 0; i < 230; i++)
        assert_int_equal(out[i], 3 * (229 - i));
    for (uint32_t i = 230; i < 256; i++)
        assert_int_equal(out[i], 0);
    kernel_free(&k);
}

// Lanes may exit at the reconvergence point of a branch while the others wait at a barrier before
// it, repeatedly.
static void test_barrier_before_the_end(void **state)
{
    (void)state;
    struct kernel k;
    uint32_t *out = run(&k,
                        BODY("mov.u32 %r10, 1; setp.ge.u32 %p1, %r2, 70; @%p1 bra E;\n"
                             "bar.sync 0; setp.eq.u32 %p2, %r2, 9; @%p2 bra E; bar.sync 0;\n"
                             "add.u32 %r10, %r10, %r2; and.b32 %r6, %r2, 1;\n"
                             "setp.eq.u32 %p3, %r6, 0; @%p3 bra F; bar.sync 1, 96; bra G;\n"
                             "F: add.u32 %r10, %r10, 1000; bar.sync 1, 96;\n"
                             "G: bar.sync 0;\nE:\n"),
                        1, 96, 0);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(out[i], i >= 70 || i == 9 ? 1 : 1 + i + (i & 1 ? 0 : 1000));
    kernel_free(&k);
}

// A warp waits at a barrier that opens when another warp arrives, which waits for a lane of the
// first.
static void test_lanes_behind_a_barrier(void **state)
{
    (void)state;
    struct kernel k;
    uint32_t *out =
        run(&k,
            BODY(".shared .b32 word[2];\nmov.u32 %r10, 3; setp.ge.u32 %p1, %r2, 32; @%p1 bra W;\n"
                 "setp.eq.u32 %p2, %r2, 5; @%p2 bra M; bar.sync 1, 64;\n"
                 "M: mov.u32 %r6, 1; st.volatile.shared.u32 [word], %r6;\n"
                 "@%p2 bar.sync 1, 64; bra E;\n"
                 "W: ld.volatile.shared.u32 %r6, [word]; setp.eq.u32 %p2, %r6, 0;\n"
                 "@%p2 bra W; bar.sync 1, 64;\nE:\n"),
            1, 64, 0);
    assert_int_equal(out[5], 3);
    kernel_free(&k);
}

// Lanes are in two functions with frames of different sizes at the same time, and each function
// calls a third. Some lanes wait in the first one while the second is called.
static void test_calls_of_two_functions(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0", "sm_80") ".func (.param .b64 r) next(.param .b64 x)\n{\n"
                             ".reg .b64 %rd<3>; ld.param.u64 %rd1, [x]; add.u64 %rd2, %rd1, 1;\n"
                             "st.param.b64 [r], %rd2; ret;\n}\n"
                             ".func (.param .b64 r) wide(.param .b64 x)\n{\n"
                             ".reg .b64 %rd<5>; .reg .pred %p<2>; ld.param.u64 %rd1, [x];\n"
                             "mul.lo.u64 %rd2, %rd1, 5; setp.lt.u64 %p1, %rd1, 20; @%p1 bra S;\n"
                             "add.u64 %rd2, %rd2, 900;\nS:\n"
                             "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd2;\n"
                             "call.uni (b), next, (a); ld.param.b64 %rd3, [b]; }\n"
                             "mad.lo.u64 %rd4, %rd2, %rd1, %rd3; st.param.b64 [r], %rd4; ret;\n}\n"
                             ".func (.param .b64 r) narrow(.param .b64 x)\n{\n"
                             ".reg .b32 %r<6>; .reg .b64 %rd<2>; ld.param.u32 %r1, [x];\n"
                             "mul.lo.u32 %r2, %r1, 3; xor.b32 %r3, %r1, 77;\n"
                             "{ .param .b64 a; .param .b64 b; cvt.u64.u32 %rd1, %r2;\n"
                             "st.param.b64 [a], %rd1; call.uni (b), next, (a);\n"
                             "ld.param.b32 %r4, [b]; }\n"
                             "mad.lo.u32 %r5, %r2, %r3, %r4; cvt.u64.u32 %rd1, %r5;\n"
                             "st.param.b64 [r], %rd1; ret;\n}\n"
                             ".global .u64 table[2] = {wide, narrow};\n"
                             ".entry k(.param .u64 out)\n{\n"
                             ".reg .b32 %r<4>; .reg .b64 %rd<12>;\n"
                             "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;\n"
                             "mov.u64 %rd2, table; mul.wide.u32 %rd3, %r2, 8;\n"
                             "add.u64 %rd4, %rd2, %rd3; ld.global.u64 %rd5, [%rd4];\n"
                             "cvt.u64.u32 %rd6, %r1;\n"
                             "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd6;\n"
                             "P: .callprototype (.param .b64 _) _ (.param .b64 _);\n"
                             "call (b), %rd5, (a), P; ld.param.b64 %rd7, [b]; }\n"
                             "mul.wide.u32 %rd8, %r1, 8; add.u64 %rd9, %rd1, %rd8;\n"
                             "st.global.u64 [%rd9], %rd7; ret;\n}\n",
        NULL);
    uint64_t *out = kernel_buffer(&k, 8 * 64);
    kernel_succeeds(&k, "k", 1, 64);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t wide = 5 * i + (i < 20 ? 0 : 900);
        assert_int_equal(out[i], i & 1 ? 3 * i * (i ^ 77) + 3 * i + 1 : wide * i + wide + 1);
    }
    kernel_free(&k);
}

// Arguments of a variadic function, in calls with different numbers of them and in recursion.
static void test_variadic(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0",
             "sm_80") ".func (.param .b32 r) sum(.param .b32 n, .param .align 8 .b8 list[])\n{\n"
                      ".local .b32 own; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p;\n"
                      "ld.param.u32 %r1, [n]; mov.u64 %rd1, list; st.local.u32 [own], %r1;\n"
                      "ld.local.u32 %r2, [%rd1]; setp.eq.u32 %p, %r1, 1; @%p bra E;\n"
                      "{ .param .b32 m; .param .align 8 .b8 l[8]; .param .b32 s;\n"
                      "sub.u32 %r3, %r1, 1; ld.local.u32 %r4, [%rd1+4];\n"
                      "st.param.b32 [m], %r3; st.param.b32 [l], %r4; st.param.b32 [l+4], 5;\n"
                      "call (s), sum, (m, l); ld.param.b32 %r5, [s]; }\n"
                      "add.u32 %r2, %r2, %r5; ld.local.u32 %r6, [%rd1+4];\n"
                      "mad.lo.u32 %r2, %r6, 100, %r2;\nE: ld.local.u32 %r7, [own];\n"
                      "mad.lo.u32 %r2, %r7, 1000, %r2; st.param.b32 [r], %r2; ret;\n}\n"
                      ".entry k(.param .u64 out)\n{\n"
                      ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
                      "{ .param .b32 m; .param .align 8 .b8 l[12]; .param .b32 s;\n"
                      "and.b32 %r2, %r1, 1; add.u32 %r2, %r2, 1; st.param.b32 [m], %r2;\n"
                      "st.param.b32 [l], %r1; st.param.b32 [l+4], 7; st.param.b32 [l+8], 9;\n"
                      "call (s), sum, (m, l); ld.param.b32 %r3, [s]; }\n"
                      "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                      "st.global.u32 [%rd3], %r3; ret;\n}\n",
        NULL);
    uint32_t *out = kernel_buffer(&k, 4 * 64);
    kernel_succeeds(&k, "k", 1, 64);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i & 1 ? i + 7 + 1000 + 700 + 2000 : i + 1000);
    kernel_free(&k);
}

// Lanes that call a function at two places reconverge at the same depth of its recursion.
static void test_meet_in_recursion(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0",
             "sm_80") ".func (.param .b32 r) deep(.param .b32 x, .param .b32 n)\n{\n"
                      ".reg .pred %p<2>; .reg .b32 %r<8>;\n"
                      "ld.param.u32 %r1, [x]; ld.param.u32 %r2, [n];\n"
                      "setp.eq.u32 %p1, %r2, 0; @%p1 bra S; sub.u32 %r3, %r2, 1;\n"
                      "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r1;\n"
                      "st.param.b32 [b], %r3; call (c), deep, (a, b);\n"
                      "ld.param.b32 %r4, [c]; }\nadd.u32 %r4, %r4, %r1; bra T;\n"
                      "S: shfl.sync.bfly.b32 %r4, %r1, 16, 31, -1;\n"
                      "T: st.param.b32 [r], %r4; ret;\n}\n"
                      ".entry k(.param .u64 out)\n{\n"
                      ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
                      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 9;\n"
                      "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                      "setp.lt.u32 %p1, %r1, 16; @%p1 bra L;\n"
                      "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r1;\n"
                      "st.param.b32 [b], 2; call (c), deep, (a, b);\n"
                      "ld.param.b32 %r3, [c]; }\nbra M;\n"
                      "L: { .param .b32 a; .param .b32 b; .param .b32 c;\n"
                      "st.param.b32 [a], %r2; st.param.b32 [b], 2; call (c), deep, (a, b);\n"
                      "ld.param.b32 %r3, [c]; }\n"
                      "M: st.global.u32 [%rd3], %r3; ret;\n}\n",
        NULL);
    uint32_t *out = kernel_buffer(&k, 4 * 32);
    kernel_succeeds(&k, "k", 1, 32);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(out[i], 18 * i + i + 16);
        assert_int_equal(out[i + 16], 2 * (i + 16) + 9 * i);
    }
    kernel_free(&k);
}

// Recursive fib, to a different depth in each lane, also through a table of functions.
static void test_recursion(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0", "sm_80") ".func (.param .b32 r) fib(.param .b32 x)\n{\n"
                             ".reg .pred %p<2>; .reg .b32 %r<8>;\nld.param.u32 %r1, [x];\n"
                             "setp.lt.u32 %p1, %r1, 2; @%p1 bra S;\n"
                             "add.u32 %r2, %r1, -1; add.u32 %r3, %r1, -2;\n"
                             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"
                             "call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }\n"
                             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;\n"
                             "call.uni (b), fib, (a); ld.param.b32 %r5, [b]; }\n"
                             "add.u32 %r6, %r4, %r5; st.param.b32 [r], %r6; ret;\n"
                             "S: st.param.b32 [r], %r1; ret;\n}\n"
                             ".func (.param .b32 r) twice(.param .b32 x)\n{\n"
                             ".reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r2, %r1, %r1;\n"
                             "st.param.b32 [r], %r2; ret;\n}\n"
                             ".global .u64 table[2] = {fib, twice};\n"
                             ".entry k(.param .u64 out)\n{\n"
                             ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
                             "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;\n"
                             "mov.u64 %rd2, table; mul.wide.u32 %rd3, %r2, 8;\n"
                             "add.u64 %rd4, %rd2, %rd3; ld.global.u64 %rd5, [%rd4];\n"
                             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
                             "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                             "call (b), %rd5, (a), P; ld.param.b32 %r3, [b]; }\n"
                             "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd7, %rd1, %rd6;\n"
                             "st.global.u32 [%rd7], %r3; ret;\n}\n",
        NULL);
    uint32_t *out = kernel_buffer(&k, 20 * 4), fib[20] = {0, 1};
    for (uint32_t i = 2; i < 20; i++)
        fib[i] = fib[i - 1] + fib[i - 2];
    kernel_succeeds(&k, "k", 1, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(out[i], i & 1 ? 2 * i : fib[i]);
    kernel_free(&k);
}

// Functions called by name, from a table and by address, declared first and defined at the end.
static void test_declared_first(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0", "sm_80") ".func (.param .b32 r) half(.param .b32 x);\n"
                             ".func (.param .b32 r) twice(.param .b32 x);\n"
                             ".global .u64 table[2] = {half, twice};\n"
                             ".entry k(.param .u64 out)\n{\n"
                             ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<9>;\n"
                             "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;\n"
                             "mov.u64 %rd2, table; mul.wide.u32 %rd3, %r2, 8;\n"
                             "add.u64 %rd4, %rd2, %rd3; ld.global.u64 %rd5, [%rd4];\n"
                             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
                             "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                             "call (b), %rd5, (a), P; ld.param.b32 %r3, [b]; }\n"
                             "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;\n"
                             "call (b), twice, (a); ld.param.b32 %r4, [b]; }\n"
                             "mov.u64 %rd8, twice; setp.eq.u64 %p1, %rd8, %rd5;\n"
                             "@%p1 add.u32 %r4, %r4, 1000;\n"
                             "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd7, %rd1, %rd6;\n"
                             "st.global.u32 [%rd7], %r4; ret;\n}\n"
                             ".func (.param .b32 r) twice(.param .b32 x)\n{\n"
                             ".reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r2, %r1, %r1;\n"
                             "st.param.b32 [r], %r2; ret;\n}\n"
                             ".func (.param .b32 r) half(.param .b32 x)\n{\n"
                             ".reg .b32 %r<3>; ld.param.u32 %r1, [x]; shr.u32 %r2, %r1, 1;\n"
                             "st.param.b32 [r], %r2; ret;\n}\n",
        NULL);
    uint32_t *out = kernel_buffer(&k, 20 * 4);
    kernel_succeeds(&k, "k", 1, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(out[i], i & 1 ? 4 * i + 1000 : i);
    kernel_free(&k);
}

// A call by address may reach code that depends on the order of CTAs, also indirectly.
static void test_order_through_address(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".global .u32 count;\n"
                                     ".func g()\n{\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                                     "mov.u64 %rd1, count;\n"
                                     "atom.global.inc.u32 %r1, [%rd1], 9; ret;\n}\n"
                                     ".func f()\n{\ncall g, (); ret;\n}\n"
                                     ".entry k()\n{\n.reg .b64 %rd<2>; mov.u64 %rd1, f;\n"
                                     "P: .callprototype _ ();\ncall %rd1, (), P; ret;\n}\n"
                                     ".entry other()\n{\nret;\n}\n",
                NULL);
    assert_true(program_find(&k.program, "k")->alone);
    assert_true(program_find(&k.program, "k")->ordered);
    assert_false(program_find(&k.program, "other")->alone);
    kernel_succeeds(&k, "k", 3, 32);
    kernel_free(&k);
}

// Arguments and results in registers, as before the ABI; a result may replace an argument.
static void test_register_parameters(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0",
             "sm_80") ".func (.reg .u32 %s, .reg .u64 %w) f(.reg .u32 %a, .reg .u64 %b, .param "
                      ".b32 c)\n"
                      "{\n.reg .u32 %t<2>;\nld.param.u32 %t1, [c]; add.u32 %s, %a, %t1;\n"
                      "add.u64 %w, %b, %b; ret;\n}\n"
                      ".entry k(.param .u64 out)\n{\n.reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
                      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1;\n"
                      "{ .param .b32 p; st.param.b32 [p], 1000; call (%r1, %rd2), f, (%r1, %rd2, "
                      "p); }\n"
                      "mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 16; add.u64 %rd4, %rd1, %rd3;\n"
                      "st.global.u32 [%rd4], %r1; st.global.u64 [%rd4+8], %rd2; ret;\n}\n",
        NULL);
    uint64_t *out = kernel_buffer(&k, 33 * 16);
    kernel_succeeds(&k, "k", 1, 33);
    for (uint32_t i = 0; i < 33; i++) {
        assert_int_equal(out[2 * i], 1000 + i);
        assert_int_equal(out[2 * i + 1], 2 * i);
    }
    kernel_free(&k);
}

// A result that is ignored.
static void test_result_to_nowhere(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".func (.reg .u32 %s, .reg .u32 %t) f(.reg .u32 %a)\n"
                                     "{\nadd.u32 %s, %a, 1; add.u32 %t, %a, 2; ret;\n}\n"
                                     ".entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n"
                                     ".reg .b64 %rd<8>; ld.param.u64 %rd1, [out];\n"
                                     "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n"
                                     "add.u64 %rd4, %rd1, %rd3; call (_, %r2), f, (%r1);\n"
                                     "st.global.u32 [%rd4], %r2; ret;\n}\n",
                NULL);
    uint32_t *out = kernel_buffer(&k, 33 * 4);
    kernel_succeeds(&k, "k", 1, 33);
    for (uint32_t i = 0; i < 33; i++)
        assert_int_equal(out[i], i + 2);
    kernel_free(&k);
}

static void test_end(const char *text, const char *why)
{
    struct kernel k;
    kernel_load(&k, text, NULL);
    kernel_buffer(&k, 64 * 4);
    kernel_run(&k, "k", 1, 64, 0);
    assert_true(k.result.fault.happened);
    assert_int_equal(k.result.fault.thread[0], 40);
    assert_non_null(strstr(k.result.fault.text, why));
    kernel_free(&k);
}

// trap and brkpt end the run where the guard is true, and only there.
static void test_trap_and_breakpoint(void **state)
{
    (void)state;
    test_end(BODY("setp.eq.u32 %p1, %r5, 99; @%p1 trap; setp.eq.u32 %p1, %r5, 40; @%p1 trap;\n"),
             "trapped");
    test_end(BODY("setp.eq.u32 %p1, %r5, 99; @%p1 brkpt; setp.eq.u32 %p1, %r5, 40; @%p1 brkpt;\n"),
             "breakpoint");
}

// A hint that changes no value.
static void test_register_hint(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_90a") ".entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n"
                                      ".reg .b64 %rd<8>; ld.param.u64 %rd1, [out];\n"
                                      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n"
                                      "setmaxnreg.dec.sync.aligned.u32 40;\n"
                                      "add.u64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r1;\n"
                                      "setmaxnreg.inc.sync.aligned.u32 232; ret;\n}\n",
                NULL);
    uint32_t *out = kernel_buffer(&k, 64 * 4);
    kernel_succeeds(&k, "k", 1, 64);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i);
    kernel_free(&k);
}

static void test_endless_recursion(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".func f()\n{\n.local .b8 room[4096]; call f, (); ret;\n}\n"
                                     ".entry k()\n{\ncall f, (); ret;\n}\n",
                NULL);
    kernel_run(&k, "k", 1, 32, 0);
    assert_true(k.result.fault.happened);
    assert_non_null(strstr(k.result.fault.text, "stack"));
    kernel_free(&k);
}

static void test_out_of_bounds(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                BODY("add.u64 %rd3, %rd3, 4; setp.eq.u32 %p1, %r5, 70; @!%p1 bra D;\n"
                     "ld.global.u32 %r10, [%rd3];\nD:\n"),
                NULL);
    kernel_buffer(&k, 71 * 4);
    kernel_run(&k, "k", 2, 64, 0);
    assert_true(k.result.fault.happened);
    assert_int_equal(k.result.fault.cta[0], 1);
    assert_int_equal(k.result.fault.thread[0], 6);
    assert_non_null(strstr(k.result.fault.text, "in no allocation"));
    kernel_free(&k);
}

// Every CTA of a cluster reads what the others have put into their shared memory; the cluster's
// barrier opens when all have written.
static void test_cluster(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0",
             "sm_90") ".entry k(.param .u64 out) .reqnctapercluster 4, 1, 1\n{\n.shared .b32 s;\n"
                      ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<8>;\n"
                      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                      "setp.ne.u32 %p1, %r1, 70; @%p1 bra W; add.u32 %r3, %r2, 100;\n"
                      "mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 5000;\n"
                      "@%p2 bra L; st.shared.u32 [s], %r3;\n"
                      "W: barrier.cluster.arrive.release.aligned; "
                      "barrier.cluster.wait.acquire.aligned;\n"
                      "mov.u32 %r4, %cluster_ctarank; add.u32 %r4, %r4, 1; and.b32 %r4, %r4, 3;\n"
                      "mov.u32 %r5, s; mapa.shared::cluster.u32 %r6, %r5, %r4;\n"
                      "ld.shared::cluster.u32 %r7, [%r6]; barrier.cluster.arrive;\n"
                      "mov.u32 %r8, %ntid.x; mad.lo.u32 %r8, %r2, %r8, %r1;\n"
                      "mul.wide.u32 %rd2, %r8, 4; add.u64 %rd3, %rd1, %rd2; barrier.cluster.wait;\n"
                      "st.global.u32 [%rd3], %r7; ret;\n}\n",
        NULL);
    uint32_t *out = kernel_buffer(&k, 8 * 96 * 4);
    kernel_succeeds(&k, "k", 8, 96);
    for (uint32_t i = 0; i < 8 * 96; i++) {
        uint32_t cta = i / 96;
        assert_int_equal(out[i], 100 + (cta & ~3u) + ((cta + 1) & 3));
    }
    kernel_free(&k);
}

// Several threads give the same results. Of several faults, that of the first CTA is reported.
static void test_threads(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k, BODY("mul.lo.u32 %r10, %r5, %r5;\n"), NULL);
    uint32_t *out = kernel_buffer(&k, 4 * 1000 * 50);
    kernel_u32(&k, 0);
    k.threads = 4;
    kernel_succeeds(&k, "k", 1000, 50);
    for (uint32_t i = 0; i < 50000; i++)
        assert_int_equal(out[i], i * i);
    assert_int_equal(k.result.thread_instructions, 50000 * 11);
    kernel_free(&k);
    for (uint32_t round = 0; round < 10; round++) {
        kernel_load(&k, BODY("setp.ge.u32 %p1, %r3, %r1; @%p1 ld.global.u32 %r10, [%rd3+1];\n"),
                    NULL);
        kernel_buffer(&k, 4 * 1000 * 50);
        kernel_u32(&k, 17);
        k.threads = 4;
        kernel_run(&k, "k", 1000, 50, 0);
        assert_true(k.result.fault.happened);
        assert_int_equal(k.result.fault.cta[0], 17);
        kernel_free(&k);
    }
}

// Lanes and warps that wait for their turn get it in the same order on several threads: each takes
// the next number, after loops of different lengths.
static void test_turns_on_threads(void **state)
{
    (void)state;
    uint32_t first[4 * 96];
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct kernel k;
        kernel_load(&k,
                    BODY(".shared .b32 turn; .shared .b32 number;\n"
                         "setp.ge.u32 %p3, %r2, 32; mov.u32 %r9, 30000; @%p3 mov.u32 %r9, 10;\n"
                         "N: sub.u32 %r9, %r9, 1; setp.gt.s32 %p3, %r9, 0; @%p3 bra N;\n"
                         "atom.shared.add.u32 %r10, [number], 1; and.b32 %r7, %r2, 31;\n"
                         "L: ld.volatile.shared.u32 %r6, [turn]; setp.lt.u32 %p1, %r6, %r7;\n"
                         "@%p1 bra L; setp.lt.u32 %p2, %r2, 64; @%p2 bra M;\n"
                         "add.u32 %r6, %r6, 1; st.volatile.shared.u32 [turn], %r6;\nM:\n"),
                    NULL);
        uint32_t *out = kernel_buffer(&k, sizeof first);
        kernel_u32(&k, 0);
        k.threads = threads;
        k.max_idle = 1000;
        kernel_succeeds(&k, "k", 4, 96);
        if (threads == 1)
            memcpy(first, out, sizeof first);
        assert_memory_equal(out, first, sizeof first);
        assert_int_equal(out[0], 64); // 64 threads had less to do
        kernel_free(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partial_warps),
        cmocka_unit_test(test_both_sides),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_indexed_branch),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_barrier_before_the_end),
        cmocka_unit_test(test_lanes_behind_a_barrier),
        cmocka_unit_test(test_calls_of_two_functions),
        cmocka_unit_test(test_variadic),
        cmocka_unit_test(test_meet_in_recursion),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_declared_first),
        cmocka_unit_test(test_order_through_address),
        cmocka_unit_test(test_endless_recursion),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_turns_on_threads),
        cmocka_unit_test(test_cluster),
        cmocka_unit_test(test_register_parameters),
        cmocka_unit_test(test_result_to_nowhere),
        cmocka_unit_test(test_trap_and_breakpoint),
        cmocka_unit_test(test_register_hint),
        cmocka_unit_test(test_out_of_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
