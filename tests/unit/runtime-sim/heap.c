// malloc and free of kernels: results, limits, and faults of free.
#include "tests/unit/runtime-sim/kernel.h"
#include "runtime-sim/exec/memory/heap.h"

#define MALLOC(to, bytes)                                                                          \
    "{ .param .b64 n; .param .b64 r; st.param.b64 [n], " bytes "; call (r), malloc, (n);\n"        \
    "ld.param.b64 " to ", [r]; }\n"
#define FREE(what) "{ .param .b64 p; st.param.b64 [p], " what "; call free, (p); }\n"
#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                                       \
    ".extern .func free(.param .b64 p);\n"                                                         \
    ".entry k(.param .u64 buffer)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"      \
    "ld.param.u64 %rd1, [buffer]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5;\n"                 \
    "setp.ge.u32 %p2, %r1, 5; mov.u64 %rd7, 0; mov.u32 %r7, 0;\n" text "\nret;\n}\n"

static void run(struct kernel *k, const char *text, uint32_t block)
{
    kernel_load(k, text, NULL);
    kernel_buffer(k, 4096);
    kernel_run(k, "k", 1, block, 0);
}

// malloc returns NULL beyond the limit and does not end the run; freed memory can be allocated
// again.
static void test_limit(void **state)
{
    (void)state;
    static const char *const texts[] = {
        BODY(MALLOC("%rd2", "-1") "st.global.u64 [%rd1], %rd2;"),
        BODY(MALLOC("%rd2", "1000000000000000000") "st.global.u64 [%rd1], %rd2;"),
        BODY(MALLOC("%rd2", "8388609") "st.global.u64 [%rd1], %rd2;"),
    };
    uint64_t got[4] = {1}, address;
    uint32_t hint = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kernel one;
        run(&one, texts[i], 1);
        assert_false(one.result.fault.happened);
        memcpy(&address, one.params, 8);
        memcpy(got, image_at(&one.image, address, 8, &hint), 8);
        assert_true(got[0] == 0);
        assert_true(one.image.heap_left == HEAP_BYTES);
        kernel_free(&one);
    }
    // 3 MiB at a time: the third does not fit; a thousand that are given back again do.
    struct kernel k;
    run(&k,
        BODY(MALLOC("%rd2", "3145728") MALLOC("%rd3", "3145728") MALLOC("%rd4", "3145728")
                 FREE("%rd2") MALLOC("%rd5", "3145728") FREE("%rd3") "L:" MALLOC(
                     "%rd6",
                     "3145728") "ld.u64 %rd8, [%rd6];\n"
                                "or.b64 %rd7, %rd7, %rd8; st.u64 [%rd6], %rd1;\n" FREE(
                                    "%rd6") "add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 1000;\n"
                                            "@%p3 bra L;\n"
                                            "st.global.v2.u64 [%rd1], {%rd4, %rd7};\n"
                                            "st.global.v2.u64 [%rd1+16], {%rd5, %rd6};"),
        1);
    if (k.result.fault.happened)
        fail_msg("%s", k.result.fault.text);
    memcpy(&address, k.params, 8);
    memcpy(got, image_at(&k.image, address, 32, &hint), 32);
    assert_true(got[0] == 0); // there were 2 MiB left
    assert_true(got[1] == 0); // what comes again is zeroed
    assert_true(got[2] && got[3]);
    assert_int_equal(k.image.heap_left, HEAP_BYTES - 3145728);
    assert_true(k.memory.peak < 32 << 20);
    kernel_free(&k);
}

// Each report names the thread with the bad address, and its place.
static void test_bad_free(void **state)
{
    (void)state;
    static const struct {
        const char *text, *nearest;
    } rows[] = {
        {BODY(MALLOC("%rd2", "64") FREE("%rd2") "@!%p2 mov.u64 %rd2, 0;\n" FREE("%rd2")),
         "inside 'malloc', which was freed"},
        {BODY(MALLOC("%rd2", "64") "@%p1 add.u64 %rd2, %rd2, 8;\n" FREE("%rd2")),
         "8 bytes into 'malloc' (64 bytes)"},
        {BODY("@%p2 mov.u64 %rd7, %rd1;\n" FREE("%rd7")), "0 bytes into 'buffer' (4096 bytes)"},
        {BODY("mov.u64 %rd8, buffer; cvta.param.u64 %rd8, %rd8;\n"
              "@%p2 mov.u64 %rd7, %rd8;\n" FREE("%rd7")),
         "0 bytes into 'kernel parameters' (8 bytes)"},
        {BODY("@%p2 mov.u64 %rd7, 16;\n" FREE("%rd7")), "not near any allocation"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernel k;
        run(&k, rows[i].text, 32);
        assert_true(k.result.fault.happened);
        assert_string_equal(
            k.result.fault.text,
            "free of an address that malloc did not return, or that was already freed");
        assert_string_equal(k.result.fault.nearest, rows[i].nearest);
        assert_int_equal(k.result.fault.thread[0], 5);
        assert_true(k.result.fault.has_address);
        kernel_free(&k);
    }
}

// Arguments and results that are registers or numbers, which ptxas accepts too.
static void test_registers(void **state)
{
    (void)state;
    struct kernel k;
    run(&k,
        BODY("cvt.u64.u32 %rd5, %r1; add.u64 %rd5, %rd5, 1; mul.lo.u64 %rd5, %rd5, 4194304;\n"
             "call (%rd2), malloc, (%rd5); call (%rd3), malloc, (1000); st.u64 [%rd3+992], %rd5;\n"
             "call free, (%rd3); setp.ne.u64 %p3, %rd2, 0; @%p3 st.u64 [%rd2+4194296], %rd5;\n"
             "selp.u32 %r2, 1, 2, %p3; mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd6, %rd1;\n"
             "st.global.u32 [%rd6], %r2;\n"),
        2);
    if (k.result.fault.happened)
        fail_msg("%s", k.result.fault.text);
    uint32_t got[2], hint = 0; // 4 MiB, then there are no 8
    uint64_t address;
    memcpy(&address, k.params, 8);
    memcpy(got, image_at(&k.image, address, 8, &hint), 8);
    assert_int_equal(got[0], 1);
    assert_int_equal(got[1], 2);
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_bad_free),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
