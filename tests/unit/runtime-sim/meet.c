// Instructions that lanes execute together, on one path and on several.
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.6", "sm_100a")                                                                         \
    ".entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"                                \
    ".reg .pred %p<8>; .reg .b32 %r<30>; .reg .b64 %rd<8>;\n"                                      \
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"                  \
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 16; add.u64 %rd3, %rd0, %rd2;\n"                 \
    "mul.wide.u32 %rd4, %r2, 8; add.u64 %rd5, %rd1, %rd4;\n"                                       \
    "ld.global.u32 %r3, [%rd3]; ld.global.u32 %r4, [%rd3+4]; ld.global.u32 %r5, [%rd3+8];\n"       \
    "mov.u32 %r10, 0; mov.u32 %r11, 0;\n" text                                                     \
    "st.global.u32 [%rd5], %r10; st.global.u32 [%rd5+4], %r11; ret;\n}\n"

struct lane_in {
    uint32_t a, b, c, unused;
};

struct lane_out {
    uint32_t d, e;
};

struct setup {
    struct kernel k;
    struct lane_in *in;
    struct lane_out *out;
};

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void start(struct setup *s, const char *text, uint32_t threads)
{
    kernel_load(&s->k, text, NULL);
    s->in = kernel_buffer(&s->k, threads * sizeof *s->in);
    s->out = kernel_buffer(&s->k, threads * sizeof *s->out);
    uint32_t state = 7;
    for (uint32_t i = 0; i < threads; i++)
        s->in[i] = (struct lane_in){next(&state), next(&state), next(&state), 0};
}

static void run(struct setup *s, uint32_t threads)
{
    kernel_succeeds(&s->k, "k", 1, threads);
}

// shfl, computed by segments: a lane reads only lanes of its own segment, up to the clamp.

static int expected_lane(char mode, int lane, uint32_t b, uint32_t c)
{
    int mask = (int)(c >> 8 & 31), clamp = (int)(c & 31), value = (int)(b & 31);
    int last = (lane & mask) + (clamp & ~mask), first = lane & mask;
    switch (mode) {
    case 'u': return lane - value >= last ? lane - value : -1;
    case 'd': return lane + value <= last ? lane + value : -1;
    case 'x': return (lane ^ value) <= last ? lane ^ value : -1;
    default: return first + (value & ~mask) <= last ? first + (value & ~mask) : -1;
    }
}

static void check_shuffle(const char *word, char mode)
{
    struct setup s;
    static const char frame[] = BODY("\n");
    char text[sizeof frame + 128], *at = text;
    const char *line = strstr(frame, "\n\n") + 1; // where the instruction goes
    at = mempcpy(at, frame, (size_t)(line - frame));
    at += sprintf(
        at, "shfl.sync.%s.b32 %%r10|%%p1, %%r3, %%r4, %%r5, -1; @%%p1 mov.u32 %%r11, 1;\n", word);
    strcpy(at, line);
    start(&s, text, 256);
    for (uint32_t i = 0; i < 256; i++)
        if (i < 128) // widths of a power of two, as compilers ask for
            s.in[i].c = ((32u - (1u << i / 22 % 6)) << 8) | (mode == 'u' ? 0 : 31);
    run(&s, 256);
    for (uint32_t i = 0; i < 256; i++) {
        int from = expected_lane(mode, (int)i & 31, s.in[i].b, s.in[i].c);
        assert_int_equal(s.out[i].e, from >= 0);
        uint32_t lane = from >= 0 ? (uint32_t)from : i & 31;
        assert_int_equal(s.out[i].d, s.in[(i & ~31u) + lane].a);
    }
    kernel_free(&s.k);
}

static void test_shuffle(void **state)
{
    (void)state;
    check_shuffle("up", 'u');
    check_shuffle("down", 'd');
    check_shuffle("bfly", 'x');
    check_shuffle("idx", 'i');
}

// Half of the lanes arrive on another path, and still all exchange their values.
static void test_warp_sync(void **state)
{
    (void)state;
    struct setup s;
    start(&s,
          BODY("and.b32 %r6, %r2, 1; setp.eq.u32 %p1, %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 5;\n"
               "@%p1 bra L; mov.u32 %r8, 9;\n"
               "L: add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r8; @%p2 bra L;\n"
               "bar.warp.sync -1; shfl.sync.bfly.b32 %r10, %r3, 1, 31, -1;\n"
               "vote.sync.ballot.b32 %r11, %p1, -1;\n"),
          64);
    run(&s, 64);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(s.out[i].d, s.in[i ^ 1].a);
        assert_int_equal(s.out[i].e, 0x55555555);
    }
    kernel_free(&s.k);
}

// Each side of a branch has its own warp barrier; what one side writes before it the other reads
// after it.
static void test_two_barriers(void **state)
{
    (void)state;
    struct setup s;
    start(&s,
          BODY("setp.lt.u32 %p1, %r2, 16; @%p1 bra A;\n"
               "bar.warp.sync -1; ld.global.u32 %r10, [%rd5+-124]; bra B;\n"
               "A: st.global.u32 [%rd5+4], %r3; bar.warp.sync -1; mov.u32 %r11, %r3;\nB:\n"),
          32);
    run(&s, 32);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(s.out[i + 16].d, s.in[i].a);
    kernel_free(&s.k);
}

// Lanes may be at different places if the instruction is the same except for its registers: here on
// two sides of a branch and in a function. The results are the same as in one place.
// D, P: results; A: a value; W: it with 64 bits; Q: a predicate.
#define MAKE(D, P, A, W, Q)                                                                        \
    "mov.u32 " D ", 0; setp.ne.u32 " P ", " D ", 0; and.b32 " A ", " A ", 0x3f00001f;\n"           \
    "cvt.u64.u32 " W ", " A "; setp.gt.u32 " Q ", " A ", 0x1fffffff;\n"
#define PLACES(I)                                                                                  \
    HEAD("8.6", "sm_100a")                                                                         \
    ".func (.reg .u32 d, .reg .u32 e) away(.reg .u32 v)\n"                                         \
    "{ .reg .b32 %q<20>; .reg .b64 %w<9>; .reg .pred %o<9>;\nmov.u32 %q11, v;\n" MAKE(             \
        "%q12", "%o5", "%q11", "%w3", "%o6")                                                       \
        I("%q12", "%o5", "%q11", "%w3",                                                            \
          "%o6") "\nmov.u32 d, %q12; selp.u32 e, 1, 0, %o5; ret; }\n"                              \
                 ".entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"                   \
                 ".reg .pred %p<8>; .reg .b32 %r<30>; .reg .b64 %rd<8>; .reg .u32 %s<2>;\n"        \
                 "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"     \
                 "mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 16; add.u64 %rd3, %rd0, %rd2;\n"    \
                 "mul.wide.u32 %rd4, %r2, 8; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r3, "        \
                 "[%rd3];\n"                                                                       \
                 "setp.eq.u32 %p5, %r1, 0; and.b32 %r4, %r2, 5; @%p5 mov.u32 %r4, 9;\n"            \
                 "setp.eq.u32 %p1, %r4, 0; @%p1 bra A; setp.eq.u32 %p1, %r4, 1; @%p1 bra B;\n"     \
                 "setp.eq.u32 %p1, %r4, 4; @%p1 bra B;\n" MAKE("%r10", "%p3", "%r3", "%rd6",       \
                                                               "%p2")                              \
                     I("%r10", "%p3", "%r3", "%rd6",                                               \
                       "%p2") "\nselp.u32 %r11, 1, 0, %p3; bra E;\nA:\n" MAKE("%r20", "%p7",       \
                                                                              "%r3", "%rd7",       \
                                                                              "%p6")               \
                         I("%r20", "%p7", "%r3", "%rd7",                                           \
                           "%p6") "\nmov.u32 %r10, %r20; selp.u32 %r11, 1, 0, %p7; bra E;\n"       \
                                  "B: call (%s0, %s1), away, (%r3); mov.u32 %r10, %s0; mov.u32 "   \
                                  "%r11, %s1;\n"                                                   \
                                  "E: st.global.u32 [%rd5], %r10; st.global.u32 [%rd5+4], %r11; "  \
                                  "ret;\n}\n"

#define SHFL(D, P, A, W, Q) "shfl.sync.bfly.b32 " D "|" P ", " A ", 21, 31, -1;"
#define BALLOT(D, P, A, W, Q) "vote.sync.ballot.b32 " D ", " Q ", -1;"
#define ANY(D, P, A, W, Q) "vote.sync.any.pred " P ", !" Q ", -1;"
#define MATCH(D, P, A, W, Q) "match.any.sync.b64 " D ", " W ", -1;"
#define MATCH_ALL(D, P, A, W, Q) "match.all.sync.b32 " D "|" P ", " A ", -1;"
#define REDUX(D, P, A, W, Q) "redux.sync.max.s32 " D ", " A ", -1;"
#define REDUX_F32(D, P, A, W, Q) "redux.sync.min.abs.f32 " D ", " A ", -1;"
#define ELECT(D, P, A, W, Q) "elect.sync " D "|" P ", -1;"

static void check_places(const char *text)
{
    struct setup apart, together;
    struct setup *setups[] = {&together, &apart};
    for (uint32_t i = 0; i < 2; i++) {
        start(setups[i], text, 64);
        kernel_u32(&setups[i]->k, i);
        run(setups[i], 64);
    }
    assert_memory_equal(apart.out, together.out, 64 * sizeof *apart.out);
    kernel_free(&apart.k);
    kernel_free(&together.k);
}

static void test_places(void **state)
{
    (void)state;
    check_places(PLACES(SHFL));
    check_places(PLACES(BALLOT));
    check_places(PLACES(ANY));
    check_places(PLACES(MATCH));
    check_places(PLACES(MATCH_ALL));
    check_places(PLACES(REDUX));
    check_places(PLACES(REDUX_F32));
    check_places(PLACES(ELECT));
}

// Different instructions do not match: the lanes wait for each other for ever.
static void test_other_kind(void **state)
{
    (void)state;
    struct setup s;
    start(
        &s,
        BODY("setp.lt.u32 %p1, %r2, 16; @%p1 bra A; shfl.sync.up.b32 %r10, %r3, 1, 0, -1; bra B;\n"
             "A: shfl.sync.down.b32 %r10, %r3, 1, 31, -1;\nB:\n"),
        32);
    kernel_run(&s.k, "k", 1, 32, 0);
    assert_true(s.k.result.stuck);
    kernel_free(&s.k);
}

// Some of the lanes synchronise; lanes that exited are not waited for.
static void test_some_lanes(void **state)
{
    (void)state;
    struct setup s;
    start(&s,
          BODY("setp.ge.u32 %p1, %r2, 20; @%p1 exit;\n"
               "setp.lt.u32 %p2, %r2, 8; @%p2 bra A;\n"
               "redux.sync.add.u32 %r10, %r2, 0xffffff00; activemask.b32 %r11; bra B;\n"
               "A: redux.sync.add.u32 %r10, %r2, 0xff; activemask.b32 %r11;\nB:\n"),
          32);
    run(&s, 32);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(s.out[i].d, i < 8 ? 28 : 19 * 20 / 2 - 28);
        assert_int_equal(s.out[i].e, i < 8 ? 0xff : 0x000fff00);
    }
    kernel_free(&s.k);
}

static void test_votes(void **state)
{
    (void)state;
    struct setup s;
    start(&s,
          BODY("setp.lt.u32 %p1, %r2, %r1; setp.lt.u32 %p2, %r2, 99;\n"
               "vote.sync.all.pred %p3, %p1, -1; mov.u32 %r10, 0; @%p3 mov.u32 %r10, 1;\n"
               "vote.sync.any.pred %p3, %p1, -1; mov.u32 %r12, 0; @%p3 mov.u32 %r12, 2;\n"
               "vote.sync.uni.pred %p3, %p1, -1; mov.u32 %r13, 0; @%p3 mov.u32 %r13, 4;\n"
               "vote.sync.uni.pred %p3, !%p2, -1; mov.u32 %r14, 0; @%p3 mov.u32 %r14, 8;\n"
               "or.b32 %r10, %r10, %r12; or.b32 %r10, %r10, %r13; or.b32 %r10, %r10, %r14;\n"
               "elect.sync %r11|%p4, 0xfffffff0; @%p4 add.u32 %r11, %r11, 100;\n"),
          96);
    kernel_u32(&s.k, 40);
    for (uint32_t i = 0; i < 96; i++)
        s.in[i].a = i;
    kernel_run(&s.k, "k", 1, 96, 0);
    assert_true(s.k.result.fault.happened); // lanes 0 to 3 are not in elect's mask
    assert_non_null(strstr(s.k.result.fault.text, "not in the mask"));
    kernel_free(&s.k);
}

static void test_all_any_uni(void **state)
{
    (void)state;
    struct setup s;
    start(&s,
          BODY("setp.lt.u32 %p1, %r2, %r1;\n"
               "vote.sync.all.pred %p3, %p1, -1; mov.u32 %r10, 0; @%p3 mov.u32 %r10, 1;\n"
               "vote.sync.any.pred %p3, %p1, -1; mov.u32 %r12, 0; @%p3 mov.u32 %r12, 2;\n"
               "vote.sync.uni.pred %p3, %p1, -1; mov.u32 %r13, 0; @%p3 mov.u32 %r13, 4;\n"
               "or.b32 %r10, %r10, %r12; or.b32 %r10, %r10, %r13;\n"
               "elect.sync %r11|%p4, -1; @%p4 add.u32 %r11, %r11, 100;\n"),
          96);
    kernel_u32(&s.k, 40);
    run(&s, 96);
    static const uint32_t expected[] = {7, 2, 4};
    for (uint32_t i = 0; i < 96; i++) {
        assert_int_equal(s.out[i].d, expected[i / 32]);
        assert_int_equal(s.out[i].e, i % 32 ? 0 : 100);
    }
    kernel_free(&s.k);
}

static void test_match(void **state)
{
    (void)state;
    struct setup s;
    start(&s,
          BODY("and.b32 %r6, %r3, 7; match.any.sync.b32 %r10, %r6, -1;\n"
               "match.all.sync.b32 %r11|%p1, %r1, -1; @!%p1 mov.u32 %r11, 77;\n"),
          64);
    kernel_u32(&s.k, 40);
    run(&s, 64);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < 32; k++)
            same |= (uint32_t)((s.in[(i & 32) + k].a & 7) == (s.in[i].a & 7)) << k;
        assert_int_equal(s.out[i].d, same);
        assert_int_equal(s.out[i].e, 0xffffffff);
    }
    kernel_free(&s.k);
}

static int32_t reduce_s32(const struct setup *s, uint32_t warp, bool greatest)
{
    int64_t best = greatest ? INT64_MIN : INT64_MAX;
    for (uint32_t i = 0; i < 32; i++) {
        int64_t value = (int32_t)s->in[32 * warp + i].a;
        best = (greatest ? value > best : value < best) ? value : best;
    }
    return (int32_t)best;
}

static void test_redux(void **state)
{
    (void)state;
    struct setup s;
    start(&s, BODY("redux.sync.min.s32 %r10, %r3, -1; redux.sync.max.s32 %r11, %r3, -1;\n"), 64);
    for (uint32_t i = 0; i < 64; i++)
        s.in[i].a <<= 8;
    run(&s, 64);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal((int32_t)s.out[i].d, reduce_s32(&s, i / 32, false));
        assert_int_equal((int32_t)s.out[i].e, reduce_s32(&s, i / 32, true));
    }
    kernel_free(&s.k);
}

// -0 is less than +0; NaN is ignored without .NaN.
static void test_redux_float(void **state)
{
    (void)state;
    struct setup s;
    start(&s, BODY("redux.sync.min.f32 %r10, %r3, -1; redux.sync.max.abs.NaN.f32 %r11, %r4, -1;\n"),
          32);
    for (uint32_t i = 0; i < 32; i++) {
        s.in[i].a = i == 9 ? 0x7fc00000 : i == 10 ? 0x80000000 : i == 11 ? 0 : 0x3f800000 + i;
        s.in[i].b = i == 9 ? 0xff800001 : 0x40000000;
    }
    run(&s, 32);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(s.out[i].d, 0x80000000);
        assert_int_equal(s.out[i].e, 0x7fffffff);
    }
    kernel_free(&s.k);
}

// Groups of lanes that name only each other execute the same instruction at the same time, each
// with its own mask, as the tiles of cooperative groups do.
static void test_groups(void **state)
{
    (void)state;
    for (uint32_t size = 1; size <= 32; size *= 2) {
        struct setup s;
        start(&s,
              BODY("mov.u32 %r20, %laneid; sub.u32 %r21, 0, %r1; and.b32 %r22, %r20, %r21;\n"
                   "mov.u32 %r23, 1; shl.b32 %r23, %r23, %r1; sub.u32 %r23, %r23, 1;\n"
                   "setp.eq.u32 %p1, %r1, 32; @%p1 mov.u32 %r23, -1; shl.b32 %r23, %r23, %r22;\n"
                   "and.b32 %r24, %r3, 3; setp.eq.u32 %p2, %r24, 0;\n"
                   "vote.sync.ballot.b32 %r10, %p2, %r23;\n"
                   "redux.sync.add.u32 %r11, %r4, %r23;\n"),
              64);
        kernel_u32(&s.k, size);
        run(&s, 64);
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t ballot = 0, sum = 0;
            for (uint32_t k = i / size * size; k < i / size * size + size; k++) {
                ballot |= (uint32_t)(s.in[k].a % 4 == 0) << k % 32;
                sum += s.in[k].b;
            }
            assert_int_equal(s.out[i].d, ballot);
            assert_int_equal(s.out[i].e, sum);
        }
        kernel_free(&s.k);
    }
}

// Pairs of lanes whose halves are at different barriers: one writes before it, the other reads
// after it. A complete group does not release lanes that still wait.
static void test_groups_on_paths(void **state)
{
    (void)state;
    struct setup s;
    start(&s,
          BODY("mov.u32 %r20, %laneid; and.b32 %r21, %r20, 30; mov.u32 %r22, 3;\n"
               "shl.b32 %r22, %r22, %r21; and.b32 %r23, %r20, 1; setp.eq.u32 %p1, %r23, 0;\n"
               "@%p1 bra A;\n"
               "st.global.u32 [%rd5+4], %r3; bar.warp.sync %r22; mov.u32 %r11, 5; bra B;\n"
               "A: bar.warp.sync %r22; ld.global.u32 %r11, [%rd5+12];\n"
               "B: mov.u32 %r10, 77;\n"),
          32);
    run(&s, 32);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(s.out[i].d, 77);
        assert_int_equal(s.out[i].e, i % 2 ? 5 : s.in[i + 1].a);
    }
    kernel_free(&s.k);
}

// A lane that the mask leaves out is reported.
static void test_not_named(void **state)
{
    (void)state;
    struct setup s;
    start(&s, BODY("vote.sync.ballot.b32 %r10, 1, 0xfffffeff;\n"), 32);
    kernel_run(&s.k, "k", 1, 32, 0);
    assert_true(s.k.result.fault.happened);
    assert_int_equal(s.k.result.fault.thread[0], 8);
    kernel_free(&s.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffle),         cmocka_unit_test(test_warp_sync),
        cmocka_unit_test(test_places),          cmocka_unit_test(test_other_kind),
        cmocka_unit_test(test_two_barriers),    cmocka_unit_test(test_some_lanes),
        cmocka_unit_test(test_votes),           cmocka_unit_test(test_all_any_uni),
        cmocka_unit_test(test_match),           cmocka_unit_test(test_redux),
        cmocka_unit_test(test_redux_float),     cmocka_unit_test(test_groups),
        cmocka_unit_test(test_groups_on_paths), cmocka_unit_test(test_not_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
