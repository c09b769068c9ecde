// Asynchronous copies, and the barrier objects that report their completion.
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.7", "sm_100")                                                                          \
    ".shared .align 16 .b8 s[4096]; .shared .align 8 .b64 bar[4];\n"                               \
    ".entry k(.param .u64 in, .param .u64 out)\n{\n"                                               \
    ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"                    \
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;\n"                    \
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"                \
    "mul.wide.u32 %rd3, %r4, 16; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n"            \
    "mov.u32 %r5, s; shl.b32 %r6, %r1, 4; add.u32 %r7, %r5, %r6; setp.ne.u32 %p7, %r1, 0;\n" text  \
    "ret;\n}\n"

static void run_with(struct kernel *k, uint32_t grid, uint32_t block, uint32_t cluster)
{
    const struct program_function *function = program_find(&k->program, "k");
    if (function->refusal)
        fail_msg("%s", function->refusal);
    struct launch launch = {.program = &k->program,
                            .function = (uint32_t)(function - k->program.functions.v),
                            .grid = {grid, 1, 1},
                            .block = {block, 1, 1},
                            .cluster = {cluster, 1, 1},
                            .params = k->params,
                            .image = &k->image};
    struct grid_options options = {.max_idle = 1000};
    kernel_execute(&launch, &k->arena, &options, &k->result);
}

static uint8_t *run(struct kernel *k, const char *text, uint32_t grid, uint32_t block,
                    uint32_t cluster)
{
    kernel_load(k, text, NULL);
    uint8_t *in = kernel_buffer(k, 4096), *out = kernel_buffer(k, 16 * grid * block + 64);
    for (uint32_t i = 0; i < 4096; i++)
        in[i] = (uint8_t)(i * 31 + (i >> 8) + 7);
    memset(out, 0xee, 16 * grid * block + 64);
    run_with(k, grid, block, cluster);
    if (k->result.fault.happened)
        fail_msg("%s", k->result.fault.text);
    assert_false(k->result.stuck);
    return out;
}

static uint8_t given(uint32_t i)
{
    return (uint8_t)(i * 31 + (i >> 8) + 7);
}

// Sizes, numbers of bytes that are read, and copies that read none.
static void test_small_copies(void **state)
{
    (void)state;
    struct kernel k;
    const uint8_t *out =
        run(&k,
            BODY("mov.u32 %r9, -1; st.shared.v4.u32 [%r7], {%r9, %r9, %r9, %r9};\n"
                 "and.b32 %r8, %r1, 3; setp.eq.u32 %p1, %r8, 0; setp.eq.u32 %p2, %r8, 1;\n"
                 "setp.eq.u32 %p3, %r8, 2; setp.eq.u32 %p4, %r8, 3; and.b32 %r10, %r1, 15;\n"
                 "@%p1 cp.async.ca.shared.global [%r7], [%rd4], 4;\n"
                 "@%p2 cp.async.ca.shared.global.L2::128B [%r7], [%rd4], 8;\n"
                 "@%p3 cp.async.cg.shared::cta.global [%r7], [%rd4], 16, %r10;\n"
                 "and.b32 %r11, %r1, 4; setp.ne.u32 %p5, %r11, 0;\n"
                 "@%p4 cp.async.ca.shared.global [%r7], [%rd4], 16, %p5;\n"
                 "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; bar.sync 0;\n"
                 "ld.shared.v2.b64 {%rd6, %rd7}, [%r7]; st.global.v2.b64 [%rd5], {%rd6, %rd7};\n"),
            1, 64, 1);
    for (uint32_t i = 0; i < 64 * 16; i++) {
        uint32_t thread = i / 16, at = i % 16;
        static const uint32_t sizes[] = {4, 8, 16, 16};
        uint32_t read = thread % 4 == 2   ? thread % 16
                        : thread % 4 == 3 ? (thread & 4 ? 0 : 16)
                                          : sizes[thread % 4];
        uint8_t expected = at >= sizes[thread % 4] ? 0xff : at < read ? given(i) : 0;
        assert_int_equal(out[i], expected);
    }
    kernel_free(&k);
}

// In each phase every warp sees all writes before the arrivals.
static void test_phases(void **state)
{
    (void)state;
    struct kernel k;
    const uint8_t *out =
        run(&k,
            BODY("@!%p7 mbarrier.init.shared.b64 [bar], 160; bar.sync 0; mov.u32 %r8, 0;\n"
                 "mov.u32 %r9, 0; add.u32 %r20, %r1, 33; rem.u32 %r20, %r20, 160;\n"
                 "shl.b32 %r20, %r20, 2; add.u32 %r20, %r20, %r5; shl.b32 %r21, %r1, 2;\n"
                 "add.u32 %r21, %r21, %r5;\n"
                 "L: add.u32 %r10, %r1, %r9; st.shared.u32 [%r21], %r10;\n"
                 "mbarrier.arrive.shared.b64 %rd6, [bar];\n"
                 "W: mbarrier.test_wait.shared.b64 %p1, [bar], %rd6; @!%p1 bra W;\n"
                 "ld.shared.u32 %r11, [%r20]; add.u32 %r8, %r8, %r11;\n"
                 "mbarrier.arrive.release.cta.shared.b64 _, [bar]; mov.u32 %r12, 1;\n"
                 "V: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r12; @!%p2 bra V;\n"
                 "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 5; @%p3 bra L;\n"
                 "st.global.u32 [%rd5], %r8;\n"),
            1, 160, 1);
    for (uint32_t i = 0; i < 160; i++) {
        uint32_t sum;
        memcpy(&sum, out + 16 * i, 4);
        assert_int_equal(sum, 5 * ((i + 33) % 160) + 10);
    }
    kernel_free(&k);
}

// Counts, states, threads that leave, expected bytes.
static void test_counts(void **state)
{
    (void)state;
    struct kernel k;
    const uint8_t *bytes =
        run(&k,
            BODY("mbarrier.init.b64 [bar], 5; mbarrier.arrive.noComplete.b64 %rd6, [bar], 2;\n"
                 "mbarrier.pending_count.b64 %r8, %rd6; st.global.u32 [%rd5], %r8;\n"
                 "mbarrier.arrive_drop.noComplete.b64 %rd7, [bar], 1;\n"
                 "mbarrier.pending_count.b64 %r8, %rd7; st.global.u32 [%rd5+4], %r8;\n"
                 "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 100;\n"
                 "mbarrier.arrive.b64 %rd8, [bar], 2;\n"
                 "mbarrier.test_wait.b64 %p1, [bar], %rd8; selp.b32 %r9, 1, 0, %p1;\n"
                 "mbarrier.complete_tx.shared.b64 [bar], 60;\n"
                 "mbarrier.test_wait.parity.b64 %p1, [bar], 0; @%p1 add.u32 %r9, %r9, 2;\n"
                 "mbarrier.complete_tx.shared.b64 [bar], 40;\n"
                 "mbarrier.test_wait.b64 %p1, [bar], %rd8; @%p1 add.u32 %r9, %r9, 4;\n"
                 "mbarrier.test_wait.parity.b64 %p1, [bar], 0; @%p1 add.u32 %r9, %r9, 8;\n"
                 "mbarrier.test_wait.parity.b64 %p1, [bar], 1; @%p1 add.u32 %r9, %r9, 16;\n"
                 "st.global.u32 [%rd5+8], %r9; mbarrier.arrive.b64 %rd9, [bar];\n"
                 "mbarrier.pending_count.b64 %r8, %rd9; st.global.u32 [%rd5+12], %r8;\n"
                 "cp.async.mbarrier.arrive.b64 [bar];\n"
                 "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
                 "mbarrier.arrive.noComplete.b64 %rd9, [bar], 1;\n"
                 "mbarrier.pending_count.b64 %r8, %rd9; st.global.u32 [%rd5+16], %r8;\n"
                 "mbarrier.inval.b64 [bar];\n"),
            1, 1, 1);
    uint32_t out[5];
    memcpy(out, bytes, sizeof out);
    assert_int_equal(out[0], 5);
    assert_int_equal(out[1], 3);
    assert_int_equal(out[2], 4 + 8);
    assert_int_equal(out[3], 4); // one has left
    assert_int_equal(out[4], 2); // of 4: one arrived, one copy without .noinc, one with
    kernel_free(&k);
}

static void test_bulk(void **state)
{
    (void)state;
    struct kernel k;
    const uint8_t *out =
        run(&k,
            BODY("@!%p7 mbarrier.init.shared::cta.b64 [bar+8], 1; bar.sync 0; @%p7 bra W;\n"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar+8], 1024;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], "
                 "512, [bar+8];\n"
                 "mov.u32 %r9, 512; add.u64 %rd8, %rd1, 512;\n"
                 "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+512], [%rd8], "
                 "%r9, [bar+8];\n"
                 "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar+8], 0, 1000; @!%p1 bra W;\n"
                 "ld.shared.v2.b64 {%rd6, %rd7}, [%r7]; xor.b64 %rd6, %rd6, -1;\n"
                 "st.shared.b64 [%r7], %rd6; bar.sync 0; @%p7 ret;\n"
                 "fence.proxy.async.shared::cta;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [s], 1024;\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [s], 16;\n"),
            1, 64, 1);
    for (uint32_t i = 0; i < 1024; i++) {
        uint8_t value = i % 16 < 8 ? (uint8_t)~given(i) : given(i);
        if (i >= 16)
            assert_int_equal(out[i], value);
    }
    for (uint32_t i = 0; i < 16; i += 4) {
        uint32_t word = 0, found;
        for (uint32_t b = 0; b < 4; b++)
            word |= (uint32_t)(i < 8 ? (uint8_t)~given(i + b) : given(i + b)) << 8 * b;
        memcpy(&found, out + i, 4);
        assert_int_equal(found, word + word);
    }
    kernel_free(&k);
}

// Copies to every second CTA of the cluster, each waiting at its own barrier.
static void test_multicast(void **state)
{
    (void)state;
    struct kernel k;
    const uint8_t *out =
        run(&k,
            BODY("@%p7 bra W; mbarrier.init.shared.b64 [bar], 1;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"
                 "mov.u32 %r9, %cluster_ctarank; setp.lt.u32 %p1, %r9, 3; @%p1 bra W;\n"
                 "mov.u32 %r10, 0;\nS: add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 60000;\n"
                 "@%p2 bra S; mov.b16 %h1, 10; mul.wide.u32 %rd9, %r2, 64;\n"
                 "add.u64 %rd9, %rd9, %rd1;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [s], [%rd9], 64, [bar], %h1;\n"
                 "W: mov.u32 %r9, %cluster_ctarank; and.b32 %r10, %r9, 1;\n"
                 "setp.eq.u32 %p1, %r10, 0; @%p1 bra E; @%p7 bra E;\n"
                 "V: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra V;\n"
                 "E: @%p7 ret; ld.shared.v2.b64 {%rd6, %rd7}, [s];\n"
                 "st.global.v2.b64 [%rd5], {%rd6, %rd7};\n"),
            8, 1, 4);
    for (uint32_t cta = 0; cta < 8; cta++)
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(out[cta * 16 + i], cta % 2 ? given((cta / 4 * 4 + 3) * 64 + i) : 0);
    kernel_free(&k);
}

// The neighbour's barrier counts the arriving bytes.
static void test_async_stores(void **state)
{
    (void)state;
    struct kernel k;
    const uint8_t *out =
        run(&k,
            BODY("@!%p7 mbarrier.init.shared.b64 [bar], 1;\n"
                 "@!%p7 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
                 "mov.u32 %r10, 0;\nS: add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 20000;\n"
                 "@%p2 bra S; mov.u32 %r8, %cluster_ctarank; xor.b32 %r8, %r8, 1;\n"
                 "mov.u32 %r9, bar; mapa.shared::cluster.u32 %r11, %r9, %r8;\n"
                 "mapa.shared::cluster.u32 %r12, %r5, %r8; add.u32 %r13, %r2, 5;\n"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r12], "
                 "{%r13, %r2}, [%r11];\n"
                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%r12], 1000, [%r11];\n"
                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 "
                 "[%r12+4], 3, [%r11];\n"
                 "V: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra V;\n"
                 "ld.shared.v2.u32 {%r14, %r15}, [s]; st.bulk.shared::cta [s], 8, 0;\n"
                 "ld.shared.v2.u32 {%r16, %r17}, [s];\n"
                 "st.global.v4.u32 [%rd5], {%r14, %r15, %r16, %r17};\n"),
            6, 1, 2);
    for (uint32_t cta = 0; cta < 6; cta++) {
        uint32_t found[4], from = cta ^ 1;
        memcpy(found, out + cta * 16, 16);
        assert_int_equal(found[0], from + 5 + 1000);
        assert_int_equal(found[1], from > 3 ? from : 3);
        assert_int_equal(found[2], 0);
        assert_int_equal(found[3], 0);
    }
    kernel_free(&k);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what;
    } faults[] = {
        {BODY("mbarrier.arrive.shared.b64 %rd6, [bar];"), "there is no mbarrier"},
        {BODY("mbarrier.init.b64 [%rd1], 1;"), "not in shared memory"},
        {BODY("mbarrier.init.shared.b64 [bar], 0;"), "cannot count to 0"},
        {BODY("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.b64 %rd6, [bar], 2;"),
         "2 arrivals"},
        {BODY("cp.async.ca.shared.global [s], [%rd1+4092], 8;"), "is not aligned"},
        {BODY("cp.async.ca.shared.global [s], [%rd1+4096], 8;"), "in no allocation"},
        {BODY("mbarrier.init.shared.b64 [bar], 1;"
              "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1+4080], 32, "
              "[bar];"),
         "load of 32 bytes"},
        {BODY("mov.u32 %r8, 24; cp.async.bulk.global.shared::cta.bulk_group [%rd2], [s], %r8;"),
         "not a multiple of 16"},
    };
    for (uint32_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct kernel k;
        kernel_load(&k, faults[i].text, NULL);
        kernel_buffer(&k, 4096);
        kernel_buffer(&k, 4096);
        run_with(&k, 1, 1, 1);
        assert_true(k.result.fault.happened);
        if (!strstr(k.result.fault.text, faults[i].what))
            fail_msg("%u: %s", i, k.result.fault.text);
        kernel_free(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_copies), cmocka_unit_test(test_phases),
        cmocka_unit_test(test_counts),       cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_multicast),    cmocka_unit_test(test_async_stores),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
