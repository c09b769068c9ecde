// Chains that are captured at issue and computed later: the results are the same as if each
// instruction is executed in its turn.
#include "runtime-sim/exec/warp/shadow.h"
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 i)\n{\n"                    \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .f32 %f<9>; .reg .b64 %rd<20>;\n"   \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];\n"                    \
    "ld.param.u32 %r9, [i]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4;\n"                     \
    "add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; add.u64 %rd7, %rd3, %rd4;\n"              \
    "setp.lt.u32 %p1, %r1, 11;\n" text "ret;\n}\n"

struct by_hand {
    struct kernel k;
    struct launch launch;
    struct grid_result result;
    struct cta *cta;
    struct reg_slots_used slots;
    struct held *held[4];
    struct shadow *shadow;
    uint32_t *a, *b, *c;
};

static void *room(size_t bytes)
{
    assert_int_equal(bytes % 64, 0);
    void *at = aligned_alloc(64, bytes);
    assert_non_null(at);
    return at;
}

static void begin(struct by_hand *h, const char *text)
{
    kernel_load(&h->k, text, NULL);
    h->a = kernel_buffer(&h->k, 4096);
    h->b = kernel_buffer(&h->k, 4096);
    h->c = kernel_buffer(&h->k, 4096);
    kernel_u32(&h->k, 1000);
    for (uint32_t i = 0; i < 1024; i++) {
        h->a[i] = i * 3 + 1;
        h->b[i] = i * 5 + 2;
        h->c[i] = i;
    }
    h->launch = (struct launch){.program = &h->k.program,
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .params = h->k.params,
                                .image = &h->k.image};
    h->result = (struct grid_result){0};
    assert_true(grid_begin(&h->launch, &h->k.arena, &h->result.fault));
    reg_slots_used_build(&h->slots, &h->k.arena, &h->k.program);
    h->cta = cta_new(&h->k.arena, &h->launch, NULL, &h->result.fault);
    cta_start(h->cta, 0);
    for (uint32_t i = 0; i < 4; i++)
        h->held[i] = room(held_bytes(&h->k.program));
    h->shadow = room(shadow_bytes(&h->k.program, &h->slots));
}

static void end(struct by_hand *h)
{
    for (uint32_t i = 0; i < 4; i++)
        free(h->held[i]);
    free(h->shadow);
    grid_end(&h->launch);
    kernel_free(&h->k);
}

static const struct code *next(struct by_hand *h)
{
    uint32_t mask;
    return issue_next(&h->cta->warps[0], &mask);
}

// Executes the first warp up to its next access to memory, which goes to `held`.
static void advance(struct by_hand *h, struct held *held)
{
    enum issue_result result = ISSUE_DONE;
    while (result == ISSUE_DONE && next(h))
        result = issue_execute(&h->cta->warps[0], held);
    assert_int_equal(result, ISSUE_HELD);
}

static void capture_load(struct by_hand *h, struct held *held)
{
    advance(h, held);
    shadow_capture_load(h->shadow, held);
}

static void capture(struct by_hand *h)
{
    const struct code *code = next(h);
    assert_int_equal(shadow_kind(code), SHADOW_COMPUTES);
    assert_int_equal(issue_capture(&h->cta->warps[0], h->shadow), ISSUE_DONE);
}

static void capture_store(struct by_hand *h, struct held *held)
{
    const struct code *code = next(h);
    assert_int_equal(shadow_kind(code), SHADOW_STORE);
    assert_int_equal(issue_capture_store(&h->cta->warps[0], h->shadow, held), ISSUE_HELD);
}

static void execute(struct by_hand *h, uint32_t count)
{
    while (count-- && next(h))
        assert_int_equal(issue_execute(&h->cta->warps[0], h->held[3]), ISSUE_DONE);
}

// c = a + b, in two parts; there is no result before.
static void test_store(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h, BODY("ld.global.u32 %r2, [%rd5]; ld.global.u32 %r3, [%rd6];\n"
                   "add.u32 %r4, %r2, %r3; st.global.u32 [%rd7], %r4;\n"));
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    capture_load(&h, h.held[0]);
    capture_load(&h, h.held[1]);
    capture(&h);
    capture_store(&h, h.held[2]);
    for (uint32_t lanes = 0x00ff00ff, part = 0; part < 2; part++, lanes = ~lanes) {
        assert_true(held_serve(h.held[1], lanes));
        assert_true(held_serve(h.held[0], lanes));
        shadow_compute(h.shadow, lanes);
        assert_true(held_serve(h.held[2], lanes));
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(h.c[i], part || lanes >> i & 1 ? i * 8 + 3 : i);
    }
    assert_int_equal(h.held[2]->left, 0);
    execute(&h, 9);
    assert_int_equal(h.cta->warps[0].live, 0);
    end(&h);
}

// Returns the offset of the register that the instruction writes or reads.
static uint32_t offset_of(const struct by_hand *h, const struct code *code, bool written)
{
    const struct reg_slot_use *uses;
    uint32_t count = code_reg_slots_used(&h->slots, (uint32_t)(code - h->k.program.codes.v), &uses);
    for (uint32_t i = 0; i < count; i++)
        if (uses[i].written == written)
            return uses[i].offset;
    fail();
    return 0;
}

// Sources may change once they are captured, and results may share places with other registers by
// then: %r5 has the place of %r2, which the last instruction of the chain reads.
static void test_places(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h, BODY("ld.global.u32 %r2, [%rd5]; mad.lo.u32 %r3, %r2, %r9, %r1;\n"
                   "mul.lo.u32 %r5, %r1, 7; mov.u32 %r9, 0; add.u32 %r6, %r3, %r5;\n"
                   "mov.u32 %r5, 0; mov.u32 %r1, 0; st.global.u32 [%rd7], %r6;\n"
                   "mov.u64 %rd7, 0; mov.u32 %r7, 1; mov.u32 %r8, 2; add.u32 %r7, %r7, %r8;\n"
                   "st.global.u32 [%rd6], %r7; st.global.u32 [%rd6+1024], %r5;\n"));
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    capture_load(&h, h.held[0]);
    uint32_t loaded = offset_of(&h, h.held[0]->access.code, true);
    capture(&h);
    assert_int_equal(offset_of(&h, next(&h), true), loaded);
    execute(&h, 2);
    capture(&h);
    execute(&h, 2);
    capture_store(&h, h.held[1]);
    execute(&h, 4);
    assert_true(held_serve(h.held[0], FULL_MASK));
    shadow_compute(h.shadow, FULL_MASK);
    assert_true(held_serve(h.held[1], FULL_MASK));
    advance(&h, h.held[0]);
    assert_true(held_serve(h.held[0], FULL_MASK));
    advance(&h, h.held[0]);
    assert_true(held_serve(h.held[0], FULL_MASK));
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(h.c[i], (i * 3 + 1) * 1000 + i + i * 7);
        assert_int_equal(h.b[i], 3);
        assert_int_equal(h.b[256 + i], 0);
    }
    end(&h);
}

// Where the guard is false, a register keeps its value, and other instructions may write it there.
static void test_guards(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h, BODY("mov.u32 %r2, 50; mov.u32 %r3, 60; @%p1 ld.global.u32 %r2, [%rd5];\n"
                   "add.u32 %r4, %r2, 1; @%p1 add.u32 %r3, %r4, %r4; @!%p1 mov.u32 %r3, 70;\n"
                   "st.global.u32 [%rd7], %r3; st.global.u32 [%rd7+1024], %r4;\n"));
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    capture_load(&h, h.held[0]);
    assert_int_equal(h.held[0]->mask, 0x7ff);
    uint64_t lanes = h.cta->warps[0].thread_instructions;
    capture(&h);
    uint8_t width;
    uint32_t mask;
    union lanes *sum = shadow_result(h.shadow, &width, &mask);
    assert_int_equal(width, 4);
    assert_int_equal(mask, FULL_MASK);
    capture(&h);
    assert_int_equal(h.cta->warps[0].thread_instructions - lanes, 32 + 11);
    assert_non_null(shadow_result(h.shadow, &width, &mask));
    assert_int_equal(mask, 0x7ff);
    execute(&h, 1);
    assert_true(held_serve(h.held[0], 0x7fe));
    shadow_compute(h.shadow, 0xfffffffe);
    shadow_finish(h.shadow, 0xfffffffe);
    assert_true(held_serve(h.held[0], 1));
    shadow_compute(h.shadow, 1);
    shadow_finish(h.shadow, FULL_MASK);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(sum->u32[i], i < 11 ? i * 3 + 2 : 51);
    advance(&h, h.held[0]);
    assert_true(held_serve(h.held[0], FULL_MASK));
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(h.c[i], i < 11 ? (i * 3 + 2) * 2 : 70);
    end(&h);
}

// A load returns to the warp, with its served and unserved lanes.
static void test_give(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h,
          BODY("ld.global.u32 %r2, [%rd5]; ld.global.v2.u32 {%r3, %r4}, [%rd2];\n"
               "add.u32 %r5, %r3, 4; st.global.u32 [%rd7], %r2; st.global.u32 [%rd7+1024], %r5;\n"
               "st.global.u32 [%rd7+2048], %r4;\n"));
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    capture_load(&h, h.held[0]);
    capture_load(&h, h.held[1]);
    capture(&h);
    assert_true(held_serve(h.held[0], 0xff00));
    assert_false(shadow_give_load(h.shadow, h.held[1])); // one of its registers is read
    assert_true(shadow_give_load(h.shadow, h.held[0]));
    assert_true(held_serve(h.held[1], FULL_MASK));
    shadow_compute(h.shadow, FULL_MASK);
    shadow_finish(h.shadow, FULL_MASK);
    assert_true(held_serve(h.held[0], 0xffff00ff));
    for (uint32_t i = 0; i < 3; i++) {
        advance(&h, h.held[0]);
        assert_true(held_serve(h.held[0], FULL_MASK));
    }
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(h.c[i], i * 3 + 1);
        assert_int_equal(h.c[256 + i], 6);
        assert_int_equal(h.c[512 + i], 7);
    }
    end(&h);
}

// The last instruction that writes a register determines its value, whenever the others were
// served.
static void test_overwritten(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h, BODY("ld.global.u32 %r2, [%rd5]; add.u32 %r2, %r9, %r1;\n"
                   "st.global.u32 [%rd7], %r2;\n"));
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    capture_load(&h, h.held[0]);
    capture(&h);
    assert_false(shadow_give_load(h.shadow, h.held[0]));
    assert_true(held_serve(h.held[0], FULL_MASK));
    shadow_compute(h.shadow, FULL_MASK);
    shadow_finish(h.shadow, FULL_MASK);
    advance(&h, h.held[0]);
    assert_true(held_serve(h.held[0], FULL_MASK));
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(h.c[i], 1000 + i);
    end(&h);
}

// A predicate computed elsewhere replaces the chain's own.
static void test_result(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h, BODY("ld.global.u32 %r2, [%rd5]; setp.gt.u32 %p2, %r2, %r9; mov.u32 %r3, 1;\n"
                   "@%p2 st.global.u32 [%rd7], %r3;\n"));
    h.a[3] = 2000;
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    uint8_t width;
    uint32_t mask;
    assert_null(shadow_result(h.shadow, &width, &mask));
    capture_load(&h, h.held[0]);
    capture(&h);
    assert_true(held_serve(h.held[0], FULL_MASK));
    shadow_compute(h.shadow, FULL_MASK);
    union lanes *result = shadow_result(h.shadow, &width, &mask);
    assert_int_equal(width, WIDTH_PREDICATE);
    assert_int_equal(result->mask, 1u << 3);
    result->mask = 1u << 5;
    shadow_finish(h.shadow, FULL_MASK);
    advance(&h, h.held[0]);
    assert_int_equal(h.held[0]->mask, 1u << 5);
    assert_true(held_serve(h.held[0], 1u << 5));
    end(&h);
}

// A bad address is reported when it is served, with its place.
static void test_fault(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h, BODY("ld.global.u32 %r2, [%rd5]; add.u32 %r3, %r2, 1; mov.u64 %rd7, 64;\n"
                   "st.global.u32 [%rd7], %r3; mov.u32 %r3, 1;\n"));
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    capture_load(&h, h.held[0]);
    capture(&h);
    execute(&h, 1);
    uint32_t store = next(&h)->inst;
    capture_store(&h, h.held[1]);
    execute(&h, 1);
    assert_true(held_serve(h.held[0], FULL_MASK));
    shadow_compute(h.shadow, FULL_MASK);
    assert_false(held_serve(h.held[1], FULL_MASK));
    assert_true(h.result.fault.happened);
    assert_int_equal(h.result.fault.inst, store);
    end(&h);
}

#define KIND(text, kind)                                                                           \
    {                                                                                              \
        text, BODY(".shared .b32 s; " text "\nL:\n"), kind                                         \
    }
static const struct {
    const char *text, *kernel;
    enum shadow_kind kind;
} kinds[] = {
    KIND("ld.global.u32 %r2, [%rd1];", SHADOW_LOAD),
    KIND("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", SHADOW_LOAD),
    KIND("ld.shared.s8 %r2, [s];", SHADOW_LOAD),
    KIND("st.global.v2.b32 [%rd1], {%r2, 5};", SHADOW_STORE),
    KIND("st.u8 [%rd1], %r2;", SHADOW_STORE),
    KIND("mad.lo.s32 %r2, %r3, %r4, %r5;", SHADOW_COMPUTES),
    KIND("mul.hi.u32 %r2, %r3, %r4;", SHADOW_COMPUTES),
    KIND("add.sat.s32 %r2, %r3, %r4;", SHADOW_COMPUTES),
    KIND("fma.rp.ftz.sat.f32 %f1, %f2, %f3, %f4;", SHADOW_COMPUTES),
    KIND("min.NaN.f32 %f1, %f2, %f3;", SHADOW_COMPUTES),
    KIND("max.s32 %r2, %r3, -7;", SHADOW_COMPUTES),
    KIND("lop3.b32 %r2, %r3, %r4, %r5, 0x1b;", SHADOW_COMPUTES),
    KIND("xor.b32 %r2, %r3, 1;", SHADOW_COMPUTES),
    KIND("xor.pred %p2, %p1, %p3;", SHADOW_COMPUTES),
    KIND("not.b32 %r2, %r3;", SHADOW_COMPUTES),
    KIND("cnot.b32 %r2, %r3;", SHADOW_COMPUTES),
    KIND("shf.l.wrap.b32 %r2, %r3, %r4, %r5;", SHADOW_COMPUTES),
    KIND("shr.s32 %r2, %r3, %r4;", SHADOW_COMPUTES),
    KIND("abs.f32 %f1, %f2;", SHADOW_COMPUTES),
    KIND("neg.s32 %r2, %r3;", SHADOW_COMPUTES),
    KIND("cvt.rzi.s32.f32 %r2, %f2;", SHADOW_COMPUTES),
    KIND("cvt.u32.u8 %r2, %r3;", SHADOW_COMPUTES),
    KIND("setp.lt.and.s32 %p2|%p3, %r2, %r3, %p1;", SHADOW_COMPUTES),
    KIND("setp.neu.f32 %p2, %f2, 0f3F800000;", SHADOW_COMPUTES),
    KIND("set.ge.f32.u32 %f1, %r3, %r4;", SHADOW_COMPUTES),
    KIND("div.rn.f32 %f1, %f2, %f3;", SHADOW_COMPUTES),
    KIND("sqrt.approx.f32 %f1, %f2;", SHADOW_COMPUTES),
    KIND("ex2.approx.f32 %f1, %f2;", SHADOW_COMPUTES),
    KIND("atom.global.add.u32 %r2, [%rd1], %r3;", SHADOW_NOTHING),
    KIND("red.global.add.u32 [%rd1], %r3;", SHADOW_NOTHING),
    KIND("bar.sync 0;", SHADOW_NOTHING),
    KIND("bra L;", SHADOW_NOTHING),
    KIND("membar.gl;", SHADOW_NOTHING),
    KIND("shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;", SHADOW_NOTHING),
    KIND("cp.async.ca.shared.global [s], [%rd1], 4;", SHADOW_NOTHING),
};

// Instructions that can be in a chain, and others.
static void test_kinds(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct by_hand h;
        begin(&h, kinds[i].kernel);
        const struct program_function *at = &h.k.program.functions.v[0];
        const struct ir_function *fn = &h.k.module.functions.v[0];
        bool found = false;
        for (uint32_t k = at->begin; k < at->end; k++) {
            const struct code *code = &h.k.program.codes.v[k];
            if (code->inst != fn->insts.n - 2 || (k && !code[-1].ends))
                continue;
            if (shadow_kind(code) != kinds[i].kind)
                fail_msg("%s: %u", kinds[i].text, shadow_kind(code));
            found = true;
            break;
        }
        assert_true(found);
        end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store),  cmocka_unit_test(test_places),
        cmocka_unit_test(test_guards), cmocka_unit_test(test_give),
        cmocka_unit_test(test_result), cmocka_unit_test(test_fault),
        cmocka_unit_test(test_kinds),  cmocka_unit_test(test_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
