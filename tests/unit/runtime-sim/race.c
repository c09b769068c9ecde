// Races and reads of what was never written: found where they are, and not where there are none.
#include "tests/unit/runtime-sim/kernel.h"
#include "runtime-sim/exec/check_memory.h"

#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".shared .align 16 .b8 s[4096];\n.entry k(.param .u64 at)\n{\n"                                \
    ".reg .pred %p<8>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .local .align 8 .b8 l[32];\n"          \
    "ld.param.u64 %rd1, [at]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"                       \
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4;\n"            \
    "add.u64 %rd3, %rd1, %rd2; mov.u32 %r5, s; shl.b32 %r6, %r1, 2; add.u32 %r7, %r5, %r6;\n"      \
    "setp.ne.u32 %p7, %r1, 0; mov.u32 %r8, 1;\n" text "\nret;\n}\n"
enum { FIRST_LINE = 12, FILLED = 1, UNINIT = 2 };

struct finding {
    uint32_t count, times; // reports, and how often the first
    struct check_report report;
    uint32_t lines[2];
    uint64_t base;
};

static uint32_t line_of(const struct kernel *k, const struct check_place *place)
{
    const struct ir_function *fn =
        &k->module.functions.v[k->program.functions.v[place->function].function];
    return source_place(&k->source, k->tree.nodes.v[fn->insts.v[place->inst].node].begin).line;
}

static struct finding look(const char *text, uint32_t grid, uint32_t block, uint32_t flags,
                           uint32_t limit)
{
    struct kernel k;
    struct check check;
    struct finding finding = {0};
    kernel_load(&k, text, NULL);
    check_init(&check, &k.arena, !(flags & UNINIT), flags & UNINIT, limit);
    kernel_buffer(&k, 8192);
    memcpy(&finding.base, k.params, 8);
    if (flags & FILLED)
        image_filled(&k.image, finding.base);
    const struct program_function *function = program_find(&k.program, "k");
    assert_null(function->refusal);
    struct launch launch = {.program = &k.program,
                            .function = (uint32_t)(function - k.program.functions.v),
                            .grid = {grid, 1, 1},
                            .block = {block, 1, 1},
                            .params = k.params,
                            .image = &k.image,
                            .check = &check};
    struct grid_options options = {.threads = 2, .most_idle = 1000};
    grid_run(&launch, &k.arena, &options, &k.result);
    if (k.result.fault.happened)
        fail_msg("%s", k.result.fault.text);
    assert_false(k.result.stuck);
    finding.count = check.reports.n;
    if (check.reports.n) {
        finding.report = check.reports.v[0];
        finding.times = (uint32_t)check.reports.v[0].times;
        finding.lines[0] = line_of(&k, &finding.report.first);
        finding.lines[1] = line_of(&k, &finding.report.second);
    }
    kernel_free(&k);
    return finding;
}

// One lane after the other, by what stands in front of the second access.
#define REVERSED(between)                                                                          \
    "st.shared.u32 [%r7], %r1;\n" between "\nsub.u32 %r9, %r3, %r1; shl.b32 %r9, %r9, 2;\n"        \
    "add.u32 %r9, %r9, %r5;\nld.shared.u32 %r10, [%r9+-4];\nst.global.u32 [%rd3], %r10;"

static void test_missing_barrier(void **state)
{
    (void)state;
    struct finding found = look(BODY(REVERSED("")), 1, 128, FILLED, 100);
    assert_int_equal(found.count, 2); // read behind write, and the other way round
    assert_int_equal(found.report.kind, CHECK_RACE);
    assert_int_equal(found.report.space, W_shared);
    assert_true(found.report.first.writes != found.report.second.writes);
    uint32_t low = found.lines[0] < found.lines[1] ? found.lines[0] : found.lines[1];
    uint32_t high = found.lines[0] < found.lines[1] ? found.lines[1] : found.lines[0];
    assert_int_equal(low, FIRST_LINE);
    assert_int_equal(high, FIRST_LINE + 4);
    assert_int_equal(found.report.first.thread[0] + found.report.second.thread[0], 127);
    assert_int_equal(look(BODY(REVERSED("bar.sync 0;")), 4, 128, FILLED, 100).count, 0);
    assert_int_equal(look(BODY(REVERSED("barrier.sync 3, 128;")), 4, 128, FILLED, 100).count, 0);
    // Half the threads are not at the barrier.
    assert_int_not_equal(look(BODY("setp.lt.u32 %p1, %r1, 64;\n" REVERSED(
                                  "@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 2, 64;")),
                              1, 128, FILLED, 100)
                             .count,
                         0);
}

static void test_warp_barrier(void **state)
{
    (void)state;
    assert_int_equal(look(BODY(REVERSED("bar.warp.sync -1;")), 1, 32, FILLED, 100).count, 0);
    assert_int_equal(look(BODY(REVERSED("")), 1, 32, FILLED, 100).count, 1);
    assert_int_not_equal(look(BODY(REVERSED("bar.warp.sync -1;")), 1, 64, FILLED, 100).count, 0);
}

// Between CTAs; a barrier within one does not help.
static void test_global(void **state)
{
    (void)state;
    struct finding found =
        look(BODY("bar.sync 0;\nst.global.u32 [%rd1+64], %r4;\nbar.sync 0;"), 3, 1, FILLED, 100);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.times, 2);
    assert_int_equal(found.report.space, W_global);
    assert_true(found.report.address == found.base + 64);
    assert_non_null(strstr(found.report.nearest, "64 bytes into 'buffer'"));
    assert_int_equal(found.lines[0], FIRST_LINE + 1);
    assert_int_equal(found.lines[1], FIRST_LINE + 1);
    assert_int_equal(found.report.first.cta[0], 0);
    assert_int_equal(found.report.second.cta[0], 1);
    // The same value by all, other bytes of a word, atomics.
    assert_int_equal(look(BODY("st.global.u32 [%rd1+64], %r8;"), 3, 64, FILLED, 100).count, 0);
    assert_int_equal(look(BODY("cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4;\n"
                               "st.global.u8 [%rd5], %r4; ld.global.u8 %r9, [%rd5];"),
                          3, 64, FILLED, 100)
                         .count,
                     0);
    assert_int_equal(look(BODY("red.global.add.u32 [%rd1], 1;"), 3, 64, FILLED, 100).count, 0);
    assert_int_equal(look(BODY("red.global.add.u32 [%rd1], 1;\nld.global.u32 %r9, [%rd1];\n"), 1,
                          32, FILLED, 100)
                         .count,
                     1);
}

// A lock, and a flag, order what stands around them.
static void test_locks(void **state)
{
    (void)state;
    static const char body[] =
        BODY("L: atom.global.cas.b32 %r9, [%rd1], 0, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra L;\n"
             "ld.global.u32 %r10, [%rd1+4]; add.u32 %r10, %r10, 1; st.global.u32 [%rd1+4], %r10;\n"
             "atom.global.exch.b32 %r9, [%rd1], 0;");
    assert_int_equal(look(body, 1, 64, FILLED, 100).count, 0);
    assert_int_equal(look(body, 20, 32, FILLED, 100).count, 0);
    static const char flag[] =
        BODY("setp.eq.u32 %p1, %r2, 0; @%p1 bra W; st.global.u32 [%rd1+4], %r3;\n"
             "st.release.gpu.global.u32 [%rd1], %r8; ret;\n"
             "W: ld.acquire.gpu.global.u32 %r9, [%rd1]; setp.eq.u32 %p2, %r9, 0; @%p2 bra W;\n"
             "ld.global.u32 %r10, [%rd1+4];");
    assert_int_equal(look(flag, 2, 1, FILLED, 100).count, 0);
}

static void test_unwritten(void **state)
{
    (void)state;
    static const char global[] = BODY("ld.global.u32 %r9, [%rd3];");
    struct finding found = look(global, 2, 32, UNINIT, 100);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.times, 64);
    assert_int_equal(found.report.kind, CHECK_UNWRITTEN);
    assert_true(found.report.address == found.base);
    assert_int_equal(found.lines[1], FIRST_LINE);
    assert_int_equal(look(global, 2, 32, UNINIT | FILLED, 100).count, 0);
    assert_int_equal(
        look(BODY("st.global.u32 [%rd3], %r1; ld.global.u32 %r9, [%rd3];"), 2, 32, UNINIT, 100)
            .count,
        0);
    // One byte of four is missing.
    assert_int_equal(look(BODY("st.global.u16 [%rd3], %r1; st.global.u8 [%rd3+2], %r1;\n"
                               "ld.global.u32 %r9, [%rd3];"),
                          1, 1, UNINIT, 100)
                             .report.address -
                         look(global, 1, 1, UNINIT, 100).report.address,
                     3);
    found = look(BODY("@!%p7 st.shared.u32 [s], %r1;\nbar.sync 0;\n"
                      "ld.shared.u32 %r9, [s];\nld.shared.u32 %r9, [s+4];"),
                 1, 64, UNINIT, 100);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.report.space, W_shared);
    assert_int_equal(found.lines[1], FIRST_LINE + 3);
    found = look(BODY("st.local.u32 [l], %r1; ld.local.u32 %r9, [l];\nld.local.u32 %r9, [l+8];"), 1,
                 32, UNINIT, 100);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.report.space, W_local);
    assert_int_equal(found.lines[1], FIRST_LINE + 1);
}

static void test_limit(void **state)
{
    (void)state;
    static const char many[] = BODY("ld.global.u32 %r9, [%rd3];\nld.global.u32 %r9, [%rd3+4];\n"
                                    "ld.global.u32 %r9, [%rd3+8];\n");
    assert_int_equal(look(many, 1, 32, UNINIT, 100).count, 3);
    assert_int_equal(look(many, 1, 32, UNINIT, 2).count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_barrier), cmocka_unit_test(test_warp_barrier),
        cmocka_unit_test(test_global),          cmocka_unit_test(test_locks),
        cmocka_unit_test(test_unwritten),       cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
