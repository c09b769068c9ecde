// mov: every type, packing and unpacking, whole vectors and their elements, addresses, special
// registers.
#include "tests/unit/runtime-sim/conform.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void same(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0];
}

static void all_ones(const uint64_t *in, uint64_t *out)
{
    (void)in;
    out[0] = 1;
    out[1] = 0;
}

static void negated(const uint64_t *in, uint64_t *out)
{
    out[0] = !in[0];
    out[1] = in[0];
}

static void numbers(const uint64_t *in, uint64_t *out)
{
    (void)in;
    out[0] = 0xfffb;
    out[1] = UINT64_C(0xfffffffffffffffb);
}

static void float_numbers(const uint64_t *in, uint64_t *out)
{
    (void)in;
    out[0] = 0x3dcccccd; // 0.1
    out[1] = UINT64_C(0x3fb999999999999a);
}

static void test_one(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"mov.b16 %d, %a;", "b16=b16", same},
        {"mov.u16 %d, %a;", "u16=u16", same},
        {"mov.s16 %d, %a;", "s16=s16", same},
        {"mov.b32 %d, %a;", "b32=b32", same},
        {"mov.u32 %d, %a;", "u32=u32", same},
        {"mov.s32 %d, %a;", "s32=s32", same},
        {"mov.f32 %d, %a;", "f32=f32", same},
        {"mov.b64 %d, %a;", "b64=b64", same},
        {"mov.u64 %d, %a;", "u64=u64", same},
        {"mov.s64 %d, %a;", "s64=s64", same},
        {"mov.f64 %d, %a;", "f64=f64", same},
        {"mov.pred %d, %a;", "pred=pred", same},
        {"mov.pred %d, 1; mov.pred %e, 0;", "pred,pred=b32", all_ones},
        {"mov.pred %d, !%a; mov.pred %e, %a;", "pred,pred=pred", negated},
        {"mov.s16 %d, -5; mov.s64 %e, -5;", "s16,s64=b32", numbers},
        {"mov.f32 %d, 0.1; mov.f64 %e, 0.1;", "f32,f64=b32", float_numbers},
    };
    conform(cases, COUNT(cases));
}

// Packing

static void pack_2_8(const uint64_t *in, uint64_t *out)
{
    out[0] = (in[0] & 0xff) + (in[1] & 0xff) * 256;
}

static void pack_4_8(const uint64_t *in, uint64_t *out)
{
    for (int i = 3; i >= 0; i--)
        out[0] = out[0] * 256 + (in[i] & 0xff);
}

static void pack_2_16(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] + in[1] * 65536;
}

static void pack_4_16(const uint64_t *in, uint64_t *out)
{
    for (int i = 3; i >= 0; i--)
        out[0] = out[0] * 65536 + in[i];
}

static void pack_2_32(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] + in[1] * (UINT64_C(1) << 32);
}

static void pack_number(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] + UINT64_C(0xffffffff00000000);
}

static void pack_twice(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] * UINT64_C(0x100000001);
}

static void through_128(const uint64_t *in, uint64_t *out)
{
    out[0] = in[1];
    out[1] = in[0];
}

static void words_of_128(const uint64_t *in, uint64_t *out)
{
    out[0] = in[1] + in[2] * (UINT64_C(1) << 32);
    out[1] = in[3] + in[0] * (UINT64_C(1) << 32);
}

static void keep_unless(const uint64_t *in, uint64_t *out)
{
    out[0] = in[3] ? in[0] + in[1] * (UINT64_C(1) << 32) : in[2];
}

#define BYTES                                                                                      \
    "{ .reg .b8 %q<4>; cvt.u8.u16 %q0, %a; cvt.u8.u16 %q1, %b; cvt.u8.u16 %q2, %c; "               \
    "cvt.u8.u16 %q3, %g; "

static void test_pack(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {BYTES "mov.b16 %d, {%q0, %q1}; }", "b16=b16,b16,b16,b16", pack_2_8},
        {BYTES "mov.b32 %d, {%q0, %q1, %q2, %q3}; }", "b32=b16,b16,b16,b16", pack_4_8},
        {"mov.b32 %d, {%a, %b};", "b32=b16,b16", pack_2_16},
        {"mov.b64 %d, {%a, %b, %c, %g};", "b64=b16,b16,b16,b16", pack_4_16},
        {"mov.b64 %d, {%a, %b};", "b64=b32,b32", pack_2_32},
        {"mov.b64 %d, {%a, %b};", "f64=f32,f32", pack_2_32},
        {"mov.b64 %d, {%a, -1};", "b64=b32", pack_number},
        {"mov.b64 %d, {%a, %a};", "b64=b32", pack_twice},
        {"{ .reg .b128 %q; mov.b128 %q, {%a, %b}; mov.b128 {%e, %d}, %q; }", "b64,b64=b64,b64",
         through_128},
        {"{ .reg .b128 %q, %w; .reg .b32 %z<4>; mov.b128 %q, {%a, %b, %c, %g}; mov.b128 %w, %q;\n"
         "mov.b128 {%z0, %z1, %z2, %z3}, %w; mov.b64 %d, {%z1, %z2}; mov.b64 %e, {%z3, %z0}; }",
         "b64,b64=b32,b32,b32,b32", words_of_128},
        {"mov.b64 %d, %c; @%g mov.b64 %d, {%a, %b};", "b64=b32,b32,b64,pred", keep_unless},
    };
    conform(cases, COUNT(cases));
}

// Unpacking

static void halves(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] % (UINT64_C(1) << 32);
    out[1] = in[0] / (UINT64_C(1) << 32);
}

static void halves_of_32(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] / 65536;
    out[1] = in[0] % 65536;
}

static void high_only(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] / (UINT64_C(1) << 32);
}

static void second_and_fourth(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] / 65536 % 65536;
    out[1] = in[0] / 65536 / 65536 / 65536;
}

static void second_byte(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] / 256 % 256;
    out[1] = in[1] / 256;
}

static void guarded_halves(const uint64_t *in, uint64_t *out)
{
    out[0] = in[1] ? in[0] % (UINT64_C(1) << 32) : 7;
    out[1] = in[1] ? in[0] / (UINT64_C(1) << 32) : 8;
}

static void test_unpack(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"mov.b64 {%d, %e}, %a;", "b32,b32=b64", halves},
        {"mov.b64 {%d, %e}, %a;", "f32,b32=f64", halves},
        {"mov.b32 {%e, %d}, %a;", "b16,b16=b32", halves_of_32},
        {"mov.b64 {_, %d}, %a;", "b32=b64", high_only},
        {"{ .reg .b16 %q; mov.b64 {%q, %d, _, %e}, %a; }", "b16,b16=b64", second_and_fourth},
        {"{ .reg .b8 %q<4>; mov.b32 {%q0, %q1, %q2, _}, %a; cvt.u16.u8 %d, %q1;\n"
         "mov.b16 {_, %q3}, %b; cvt.u16.u8 %e, %q3; }",
         "b16,b16=b32,b16", second_byte},
        {"mov.b32 %d, 7; mov.b32 %e, 8; @%b mov.b64 {%d, %e}, %a;", "b32,b32=b64,pred",
         guarded_halves},
    };
    conform(cases, COUNT(cases));
}

// Whole vectors

static void swapped(const uint64_t *in, uint64_t *out)
{
    out[0] = in[1];
    out[1] = in[0];
}

static void number_second(const uint64_t *in, uint64_t *out)
{
    out[0] = 5;
    out[1] = in[0];
}

static void sum_and_first(const uint64_t *in, uint64_t *out)
{
    out[0] = (uint32_t)(in[0] + in[1]);
    out[1] = in[3] ? in[0] : in[2];
}

static void test_vectors(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"mov.b32 %d, %a; mov.b32 %e, %b; mov.v2.b32 {%d, %e}, {%e, %d};", "b32,b32=b32,b32",
         swapped},
        {"mov.v2.f64 {%e, %d}, {%a, %b};", "f64,f64=f64,f64", swapped},
        {"mov.v2.u32 {%d, %e}, {5, %a};", "b32,b32=b32", number_second},
        {"{ .reg .b16 %q<4>; mov.v4.b16 {%q0, %q1, %q2, %q3}, {%a, %b, %b, %a};\n"
         "mov.v2.u16 {%d, %e}, {%q1, %q3}; }",
         "b16,b16=b16,b16", swapped},
        // Registers that are vectors, and their elements.
        {"{ .reg .v2 .b64 %v, %w; mov.v2.b64 %v, {%a, %b}; mov.v2.b64 %w, %v;\n"
         "mov.b64 %d, %w.y; mov.b64 %e, %w.x; }",
         "b64,b64=b64,b64", swapped},
        {"{ .reg .v4 .u32 %v; mov.v4.u32 %v, {%a, %a, %b, %c}; @%g mov.u32 %v.w, %v.y;\n"
         "add.u32 %d, %v.x, %v.z; mov.u32 %e, %v.w; }",
         "u32,u32=u32,u32,u32,pred", sum_and_first},
    };
    conform(cases, COUNT(cases));
}

// Addresses and special registers, in a kernel of two CTAs of 64 threads

enum { THREADS = 64, CTAS = 2, RESULTS = 8 };

static uint32_t *run(struct kernel *k, const char *text, uint32_t dynamic_shared)
{
    kernel_load(k, text, NULL);
    uint32_t *out = kernel_buffer(k, 4 * RESULTS * THREADS * CTAS);
    kernel_u32(k, 1234);
    kernel_u32(k, 5678);
    kernel_run(k, "k", CTAS, THREADS, dynamic_shared);
    if (k->result.fault.happened)
        fail_msg("%s", k->result.fault.text);
    return out;
}

#define ENTRY                                                                                      \
    ".entry k(.param .u64 out, .param .u32 p, .param .u32 q)\n{\n"                                 \
    ".reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<4>;\n"                     \
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;\n"                          \
    "mad.lo.u32 %r0, %r0, %r2, %r1; ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r0, 32;\n"         \
    "add.u64 %d0, %d0, %d1;\n"

static void test_addresses(void **state)
{
    (void)state;
    struct kernel k;
    const uint32_t *out =
        run(&k,
            HEAD("8.8",
                 "sm_90") ".global .align 16 .b32 g[4] = {10, 20, 30, 40};\n"
                          ".const .b32 c[3] = {7, 8, 9};\n"
                          ".extern .shared .align 16 .b8 more[];\n"
                          ".func (.reg .u32 r) square(.reg .u32 x)\n"
                          "{ mul.lo.u32 r, x, x; ret; }\n" ENTRY
                          ".shared .b32 s[96]; .local .b32 l[4];\n"
                          "mov.u64 %d2, g+8; ld.global.u32 %r3, [%d2];\n"
                          "mov.u64 %d3, g; ld.global.u32 %r4, [%d3+4];\n"
                          "mov.u64 %d4, c; ld.const.u32 %r5, [%d4+8];\n"
                          "mov.b64 %d5, p; ld.param.u32 %r6, [%d5+4];\n"
                          "mov.u32 %r10, s; shl.b32 %r11, %r1, 2; add.u32 %r10, %r10, %r11;\n"
                          "st.shared.u32 [%r10], %r1; mov.u32 %r12, s+4;\n"
                          "add.u32 %r12, %r12, %r11; bar.sync 0; ld.shared.u32 %r7, [%r12];\n"
                          "mov.u32 %r13, more; st.shared.u32 [%r13+16], %r2; bar.sync 0;\n"
                          "ld.shared.u32 %r8, [more+16];\n"
                          "mov.u64 %d6, l; st.local.u32 [%d6+12], %r0; ld.local.u32 %r9, [l+12];\n"
                          "mov.u64 %d7, square; call (%r14), %d7, (%r1), proto;\n"
                          "st.global.v4.u32 [%d0], {%r3, %r4, %r5, %r6};\n"
                          "st.global.v4.u32 [%d0+16], {%r7, %r8, %r9, %r14}; ret;\n"
                          "proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n}\n",
            64);
    for (uint32_t i = 0; i < THREADS * CTAS; i++, out += RESULTS) {
        uint32_t thread = i % THREADS;
        assert_int_equal(out[0], 30);
        assert_int_equal(out[1], 20);
        assert_int_equal(out[2], 9);
        assert_int_equal(out[3], 5678);
        if (thread + 1 < THREADS)
            assert_int_equal(out[4], thread + 1);
        assert_int_equal(out[5], THREADS);
        assert_int_equal(out[6], i);
        assert_int_equal(out[7], thread * thread);
    }
    kernel_free(&k);
}

static void test_specials(void **state)
{
    (void)state;
    struct kernel k;
    const uint32_t *out =
        run(&k,
            HEAD("8.8", "sm_90") ENTRY
            "mov.u16 %h0, %tid.x; cvt.u32.u16 %r3, %h0;\n"
            "mov.v4.u32 {%r4, %r5, %r6, %r7}, %nctaid; mul.lo.u32 %r5, %r5, %r6;\n"
            "mov.u32 %r8, %laneid; mov.u32 %r9, %lanemask_lt; mov.u32 %r10, %dynamic_smem_size;\n"
            "mov.u32 %r11, WARP_SZ; add.u32 %r10, %r10, %r11;\n"
            "mov.u32 %r12, %clock; mov.u32 %r13, %clock; setp.gt.u32 %p1, %r13, %r12;\n"
            "mov.u64 %d2, %clock64; mov.u64 %d3, %globaltimer; setp.gt.u64 %p2, %d2, 0;\n"
            "mov.pred %p3, %is_explicit_cluster; selp.u32 %r14, 100, 0, %p3;\n"
            "selp.u32 %r15, 1, 0, %p1; @%p2 add.u32 %r15, %r15, 2; add.u32 %r15, %r15, %r14;\n"
            "st.global.v4.u32 [%d0], {%r3, %r4, %r5, %r7};\n"
            "st.global.v4.u32 [%d0+16], {%r8, %r9, %r10, %r15}; ret;\n}\n",
            48);
    for (uint32_t i = 0; i < THREADS * CTAS; i++, out += RESULTS) {
        assert_int_equal(out[0], i % THREADS);
        assert_int_equal(out[1], CTAS);
        assert_int_equal(out[2], 1);
        assert_int_equal(out[3], 0);
        assert_int_equal(out[4], i % 32);
        assert_int_equal(out[5], (1u << i % 32) - 1);
        assert_int_equal(out[6], 48 + 32);
        assert_int_equal(out[7], 3);
    }
    kernel_free(&k);
}

// A special register of several parts goes into a register that is a vector, as a whole.
static void test_whole_specials(void **state)
{
    (void)state;
    struct kernel k;
    const uint32_t *out = run(&k,
                              HEAD("8.8", "sm_90") ENTRY
                              ".reg .v4 .u32 %v, %w; .reg .v4 .u16 %u;\n"
                              "mov.v4.u32 %v, %tid; mov.v4.u32 %w, %ntid; mov.v4.u16 %u, %ctaid;\n"
                              "cvt.u32.u16 %r3, %u.x; cvt.u32.u16 %r4, %u.y;\n"
                              "st.global.v4.u32 [%d0], {%v.x, %v.y, %v.z, %v.w};\n"
                              "st.global.v4.u32 [%d0+16], {%w.x, %w.y, %r3, %r4}; ret;\n}\n",
                              0);
    for (uint32_t i = 0; i < THREADS * CTAS; i++, out += RESULTS) {
        const uint32_t expected[] = {i % THREADS, 0, 0, 0, THREADS, 1, i / THREADS, 0};
        assert_memory_equal(out, expected, sizeof expected);
    }
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_pack),
        cmocka_unit_test(test_unpack),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_specials),
        cmocka_unit_test(test_whole_specials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
