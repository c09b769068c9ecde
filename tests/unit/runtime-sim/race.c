// Races and reads of unwritten bytes: they are found, without false reports.
#include "tests/unit/runtime-sim/kernel.h"
#include "runtime-sim/exec/check/check_memory.h"

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

static uint32_t line_of(const struct kernel *k, const struct access_site *place)
{
    const struct ir_function *fn =
        &k->module.functions.v[k->program.functions.v[place->function].function];
    return source_position_at(&k->source, k->tree.nodes.v[fn->insts.v[place->inst].node].begin)
        .line;
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
    struct grid_options options = {.threads = 2, .max_idle = 1000};
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

// One lane after the other, ordered by the code before the second access.
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

// Races between CTAs; a barrier within one does not help.
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

// A lock and a flag order the accesses around them.
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

// An order of the lanes of one warp is not an order with another warp's.
static void test_warps(void **state)
{
    (void)state;
    // The second warp comes last, and reads what the first has written before its own barrier.
    static const char split[] =
        BODY("setp.lt.u32 %p1, %r1, 32;\n@%p1 st.shared.u32 [%r7], %r1;\nbar.warp.sync -1;\n"
             "@!%p1 ld.shared.u32 %r9, [%r7+-128];");
    struct finding found = look(split, 1, 64, FILLED, 100);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.times, 32);
    assert_int_equal(found.lines[0], FIRST_LINE + 1);
    assert_int_equal(found.lines[1], FIRST_LINE + 3);
    assert_string_equal(found.report.nearest, "0 bytes into 's' (4096 bytes)");
    // Through one lane of each there is an order: it sets a flag that the other waits for.
    static const char flag[] =
        BODY("setp.lt.u32 %p1, %r1, 32; @!%p1 bra R;\nst.shared.u32 [%r7+256], %r1;\n"
             "bar.warp.sync -1;\n@!%p7 st.release.cta.shared.u32 [s], %r8;\nret;\n"
             "R: setp.eq.u32 %p2, %r1, 32;\n"
             "W: @%p2 ld.acquire.cta.shared.u32 %r9, [s];\n"
             "@!%p2 mov.u32 %r9, 1; setp.eq.u32 %p3, %r9, 0; @%p3 bra W;\n"
             "bar.warp.sync -1;\nld.shared.u32 %r10, [%r7+128];");
    assert_int_equal(look(flag, 1, 64, FILLED, 100).count, 0);
}

#define CLUSTER_BODY(text)                                                                         \
    HEAD("8.0", "sm_90")                                                                           \
    ".shared .align 16 .b8 s[256]; .shared .align 8 .b64 m;\n"                                     \
    ".entry k(.param .u64 at) .reqnctapercluster 2\n{\n"                                           \
    ".reg .pred %p<8>; .reg .b16 %h<2>; .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"                    \
    "ld.param.u64 %rd1, [at]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; xor.b32 %r3, %r2, 1;\n"  \
    "and.b32 %r3, %r3, 1; and.b32 %r2, %r2, 1;\n"                                                  \
    "shl.b32 %r4, %r1, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; mov.u32 %r6, m;\n"                \
    "setp.eq.u32 %p1, %r1, 0; setp.eq.and.u32 %p2, %r2, 0, %p1; mov.u16 %h1, 3;\n" text            \
    "\nret;\n}\n"
#define MEET "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define OTHER "mapa.shared::cluster.u32 %r7, %r4, %r3;\nld.shared::cluster.u32 %r8, [%r7];\n"

static void test_clusters(void **state)
{
    (void)state;
    static const char met[] = CLUSTER_BODY("st.shared.u32 [%r4], %r1;\n" MEET OTHER MEET);
    assert_int_equal(look(met, 6, 64, FILLED, 100).count, 0);
    assert_int_equal(look(met, 6, 64, FILLED | UNINIT, 100).count, 0);
    static const char missed[] = CLUSTER_BODY("st.shared.u32 [%r4], %r1;\n" OTHER MEET);
    assert_int_not_equal(look(missed, 2, 32, FILLED, 100).count, 0);
    // A copy to the shared memory of both CTAs.
    static const char copied[] =
        CLUSTER_BODY("@%p1 mbarrier.init.shared.b64 [m], 1;\n"
                     "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd2, [m], 16;\n" MEET
                     "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%r5], [%rd1], 16, [%r6], %h1;\n"
                     "W: mbarrier.test_wait.parity.shared.b64 %p3, [m], 0; @!%p3 bra W;\n"
                     "ld.shared.u32 %r8, [s];\n" MEET);
    assert_int_equal(look(copied, 4, 32, FILLED, 100).count, 0);
    assert_int_equal(look(copied, 4, 32, FILLED | UNINIT, 100).count, 0);
}

// The shared memory of CTAs is independent, with many CTAs.
static void test_again(void **state)
{
    (void)state;
    static const char reads[] = BODY("setp.eq.u32 %p1, %r2, 0;\n@%p1 st.shared.u32 [%r7], %r1;\n"
                                     "@%p1 st.local.u32 [l], %r1;\nld.shared.u32 %r9, [%r7];\n"
                                     "ld.local.u32 %r9, [l];");
    struct finding found = look(reads, 9, 32, UNINIT | FILLED, 100);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.times, 8 * 32);
    assert_int_equal(found.report.second.cta[0], 1);
    static const char tiles[] =
        BODY("mov.u32 %r11, 0;\nL: st.shared.u32 [%r7], %r11; bar.sync 0;\n"
             "sub.u32 %r9, %r3, %r1; shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r5;\n"
             "ld.shared.u32 %r10, [%r9+-4]; bar.warp.sync -1; bar.sync 0;\n"
             "add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 3; @%p1 bra L;");
    assert_int_equal(look(tiles, 300, 64, FILLED, 100).count, 0);
    assert_int_equal(look(tiles, 300, 64, FILLED | UNINIT, 100).count, 0);
}

// Loads of matrices are reads like others.
static void test_matrices(void **state)
{
    (void)state;
    static const char lines[] =
        BODY("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r5];\n"
             "add.u32 %r6, %r5, 1024; mov.u32 %r8, 16;\n"
             "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13, %r14,\n"
             "%r15, %r16, %r17}, [%r6], %r8;");
    struct finding found = look(lines, 1, 32, UNINIT | FILLED, 100);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.lines[1], FIRST_LINE);
    assert_string_equal(found.report.nearest, "0 bytes into 's' (4096 bytes)");
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
        cmocka_unit_test(test_warps),           cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_again),           cmocka_unit_test(test_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
