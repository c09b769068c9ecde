// Tests the contracts of issue.h one by one: one CTA of one launch, executed by hand.
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/warp/slots_used.h"
#include "tests/unit/runtime-sim/issue_drive.h"
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".entry k(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"        \
    ".shared .align 16 .b8 s[512]; .local .b32 l[4];\n"                                            \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"                  \
    "add.u64 %rd3, %rd1, %rd2;\n" text "ret;\n}\n"

struct by_hand {
    struct kernel k;
    struct launch launch;
    struct grid_result result;
    struct cta *cta;
    struct reg_slots_used slots;
    struct held *held[3];
    uint32_t *out;
};

static void begin(struct by_hand *h, const char *text, uint32_t block)
{
    kernel_load(&h->k, text, NULL);
    h->out = kernel_buffer(&h->k, 4096);
    h->launch = (struct launch){.program = &h->k.program,
                                .grid = {1, 1, 1},
                                .block = {block, 1, 1},
                                .params = h->k.params,
                                .image = &h->k.image};
    h->result = (struct grid_result){0};
    assert_true(grid_begin(&h->launch, &h->k.arena, &h->result.fault));
    reg_slots_used_build(&h->slots, &h->k.arena, &h->k.program);
    h->cta = cta_new(&h->k.arena, &h->launch, NULL, &h->result.fault);
    cta_start(h->cta, 0);
    for (uint32_t i = 0; i < 3; i++) {
        h->held[i] = aligned_alloc(64, held_bytes(&h->k.program));
        assert_non_null(h->held[i]);
    }
}

static void end(struct by_hand *h)
{
    free(h->held[2]);
    free(h->held[0]);
    free(h->held[1]);
    grid_end(&h->launch);
    kernel_free(&h->k);
}

// Executes the first warp up to its next access, which goes to `held`. Returns false if it has
// ended or waits.
static bool advance(struct by_hand *h, struct held *held)
{
    uint32_t mask;
    while (issue_next(&h->cta->warps[0], &mask)) {
        enum issue_result result = issue_execute(&h->cta->warps[0], held);
        assert_int_not_equal(result, ISSUE_FAULT);
        if (result == ISSUE_HELD)
            return true;
    }
    return false;
}

// Sources are captured: later writes of the kernel to them do not matter.
static void test_captured(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h,
          BODY("mov.u32 %r2, 7; st.global.u32 [%rd3], %r2; mov.u32 %r2, 8; mov.u64 %rd3, 0;\n"
               "mov.u32 %r3, 5; red.global.add.u32 [%rd1+512], %r3; mov.u32 %r3, 1000;\n"),
          32);
    assert_true(advance(&h, h.held[0]));
    assert_int_equal(h.held[0]->kind, HELD_STORE);
    assert_true(advance(&h, h.held[1]));
    assert_int_equal(h.held[1]->kind, HELD_REDUCE);
    assert_false(advance(&h, h.held[2]));
    assert_int_equal(h.out[0], 0);
    assert_true(held_serve(h.held[0], 0x0000ffff));
    assert_int_equal(h.out[15], 7);
    assert_int_equal(h.out[16], 0);
    assert_true(held_serve(h.held[0], 0xffff0000));
    assert_int_equal(h.out[31], 7);
    assert_int_equal(h.held[0]->left, 0);
    assert_true(held_serve(h.held[1], FULL_MASK));
    assert_int_equal(h.out[128], 32 * 5);
    end(&h);
}

// Each lane gets the value at the time when it is served, and only served lanes do.
static void test_bound_when_served(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h,
          BODY("ld.global.v2.u32 {%r2, %r3}, [%rd1]; add.u32 %r2, %r2, %r3;\n"
               "st.global.u32 [%rd3], %r2;\n"),
          32);
    assert_true(advance(&h, h.held[0]));
    assert_int_equal(h.held[0]->bytes, 8);
    h.out[0] = 1, h.out[1] = 2;
    assert_true(held_serve(h.held[0], 0x55555555));
    h.out[0] = 10, h.out[1] = 20;
    assert_true(held_serve(h.held[0], 0xaaaaaaaa));
    assert_true(advance(&h, h.held[0]));
    assert_true(held_serve(h.held[0], FULL_MASK));
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(h.out[i], i & 1 ? 30 : 3);
    end(&h);
}

// A path whose load is in flight yields to another path, which proceeds and has its own access.
static void test_two_paths(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h,
          BODY("setp.lt.u32 %p1, %r1, 8; @%p1 bra A;\n"
               "ld.global.u32 %r2, [%rd1]; bra.uni M;\nA: ld.global.u32 %r2, [%rd1+4];\n"
               "M: st.global.u32 [%rd3], %r2;\n"),
          32);
    h.out[0] = 100, h.out[1] = 200;
    assert_true(advance(&h, h.held[0]));
    assert_int_equal(h.held[0]->mask, 0xff);
    assert_true(advance(&h, h.held[1]));
    assert_int_equal(h.held[1]->mask, 0xffffff00);
    assert_true(held_serve(h.held[1], 0xffffff00));
    assert_true(held_serve(h.held[0], 0xff));
    assert_true(advance(&h, h.held[0]));
    assert_int_equal(h.held[0]->mask, FULL_MASK); // they have met
    assert_true(held_serve(h.held[0], FULL_MASK));
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(h.out[i], i < 8 ? 200 : 100);
    end(&h);
}

// Generic addresses access three spaces at once.
static void test_spaces(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h,
          BODY("mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; mov.u64 %rd5, l;\n"
               "cvta.local.u64 %rd5, %rd5; rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1;\n"
               "setp.eq.u32 %p2, %r2, 2; add.u64 %rd4, %rd4, 16; add.u64 %rd5, %rd5, 4;\n"
               "selp.b64 %rd6, %rd4, %rd3, %p1; selp.b64 %rd6, %rd5, %rd6, %p2;\n"
               "st.u32 [%rd6], %r1; ld.u32 %r3, [%rd6]; st.global.u32 [%rd3], %r3;\n"),
          32);
    assert_true(advance(&h, h.held[0]));
    assert_int_equal(h.held[0]->global, 0x49249249);
    assert_int_equal(h.held[0]->shared, 0x92492492);
    assert_int_equal(h.held[0]->local, 0x24924924);
    assert_int_equal(h.held[0]->address[0], h.k.image.list.v[h.k.image.list.n - 2].address);
    assert_int_equal(h.held[0]->address[1], 16);
    assert_int_equal(h.held[0]->address[2], 4);
    end(&h);
}

// Instructions that access memory themselves report the addresses.
static void test_touched(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h,
          BODY("mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 16, %r4; mul.wide.u32 %rd4, %r1, 16;\n"
               "add.u64 %rd4, %rd4, %rd1; cp.async.ca.shared.global [%r4], [%rd4], 16;\n"
               "cp.async.wait_all; bar.warp.sync 0xffffffff;\n"
               "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r4];\n"),
          32);
    assert_true(advance(&h, h.held[0]));
    const struct held *held = h.held[0];
    assert_true(held->served);
    assert_int_equal(held->left, 0);
    assert_int_equal(held->touched.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct touched_part *part = &held->touched.parts[i];
        assert_int_equal(part->space,
                         part->use == TOUCHED_WRITTEN ? TOUCHED_SHARED : TOUCHED_GLOBAL);
        assert_int_equal(part->mask, FULL_MASK);
        assert_int_equal(part->bytes[3], 16);
        assert_int_equal(part->address[3] - part->address[0], 48);
    }
    assert_int_not_equal(held->touched.parts[0].use, held->touched.parts[1].use);
    assert_true(advance(&h, h.held[0]));
    assert_int_equal(held->touched.count, 1);
    assert_int_equal(held->touched.parts[0].space, TOUCHED_SHARED);
    assert_int_equal(held->touched.parts[0].mask, 0xffff); // a lane for each row
    assert_false(advance(&h, h.held[0]));
    end(&h);
}

// A fault is reported when its lane is served, as in the engine that executes at once.
static void check_fault(const char *text)
{
    struct by_hand h;
    struct kernel k;
    kernel_load(&k, text, NULL);
    kernel_buffer(&k, 4096);
    kernel_run(&k, "k", 1, 32, 0);
    begin(&h, text, 32);
    assert_true(advance(&h, h.held[0]));
    assert_false(held_serve(h.held[0], h.held[0]->mask));
    const struct fault *want = &k.result.fault, *is = &h.result.fault;
    assert_true(want->happened && is->happened);
    assert_string_equal(is->text, want->text);
    assert_string_equal(is->nearest, want->nearest);
    assert_int_equal(is->inst, want->inst);
    assert_int_equal(is->function, want->function);
    assert_memory_equal(is->thread, want->thread, sizeof want->thread);
    assert_int_equal(is->address, want->address);
    kernel_free(&k);
    end(&h);
}

static void test_faults(void **state)
{
    (void)state;
    check_fault(BODY("ld.global.u32 %r2, [%rd3+4090];\n"));
    check_fault(BODY("mul.wide.u32 %rd2, %r1, 512; add.u64 %rd3, %rd1, %rd2;\n"
                     "st.global.u32 [%rd3], %r1;\n"));
    check_fault(BODY("mul.lo.u32 %r2, %r1, 32; st.shared.u32 [%r2], %r1;\n"));
    check_fault(BODY("mul.lo.u32 %r2, %r1, 2; st.local.u32 [%r2], %r1;\n"));
    check_fault(BODY("mov.u64 %rd4, 16; atom.global.add.u32 %r2, [%rd4], 1;\n"));
    check_fault(BODY("mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4; red.add.u32 [%rd4], 1;\n"));
}

// A lock between lanes, warps and CTAs, acquired by compare-and-swap and by volatile loads; the
// last one to try may be the one that the others wait for.
static void test_locks(void **state)
{
    (void)state;
    static const char text[] =
        BODY("add.u64 %rd5, %rd1, 4;\n"
             "L: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"
             "membar.gl; ld.volatile.global.u32 %r3, [%rd5]; add.u32 %r3, %r3, 1;\n"
             "st.volatile.global.u32 [%rd5], %r3; membar.gl; atom.global.exch.b32 %r2, [%rd1], 0;\n"
             "W: ld.volatile.global.u32 %r3, [%rd5]; setp.lt.u32 %p1, %r3, 64; @%p1 bra W;\n"
             "bar.sync 0;\n");
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct kernel k;
        kernel_load(&k, text, NULL);
        uint32_t *out = kernel_buffer(&k, 64);
        struct launch launch = {.program = &k.program,
                                .grid = {2, 1, 1},
                                .block = {64, 1, 1},
                                .params = k.params,
                                .image = &k.image};
        struct drive drive = {.seed = seed, .ctas = 2, .max_delay = 9, .checked = true};
        drive_run(&drive, &launch, &k.arena, &k.result);
        assert_false(k.result.fault.happened || k.result.stuck);
        assert_int_equal(out[1], 128);
        kernel_free(&k);
    }
}

// A deadlock is detected.
static void test_stuck(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k, BODY("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64;\n"), NULL);
    kernel_buffer(&k, 64);
    struct launch launch = {.program = &k.program,
                            .grid = {1, 1, 1},
                            .block = {96, 1, 1},
                            .params = k.params,
                            .image = &k.image};
    struct drive drive = {.ctas = 1, .checked = true};
    drive_run(&drive, &launch, &k.arena, &k.result);
    assert_true(k.result.stuck);
    kernel_free(&k);
}

// Slot uses, from which a scoreboard is built.
static uint32_t find(const struct by_hand *h, const char *what, const struct reg_slot_use **uses)
{
    const struct program *program = &h->k.program;
    for (uint32_t i = 0; i < program->codes.n; i++) {
        const struct ir_function *fn = &h->k.module.functions.v[0];
        uint32_t inst = program->codes.v[i].inst;
        if (!program->codes.v[i].counted)
            continue;
        const struct node *node = &h->k.tree.nodes.v[fn->insts.v[inst].node];
        if (!strncmp(h->k.source.text + node->begin, what, strlen(what))) {
            *uses = NULL;
            code_reg_slots_used(&h->slots, i, uses);
            return i;
        }
    }
    fail_msg("no %s", what);
    return 0;
}

static void test_slots(void **state)
{
    (void)state;
    struct by_hand h;
    const struct reg_slot_use *uses, *others;
    begin(&h,
          BODY("ld.global.v2.u32 {%r2, %r3}, [%rd3+8]; @%p1 add.u32 %r4, %r2, %r1;\n"
               "atom.shared.add.u32 %r5, [s], %r4; st.volatile.global.u32 [%rd3], %r5;\n"
               "bar.sync 0; add.u32 %r6, %r3, %r4; st.global.u32 [%rd3], %r6;\n"),
          32);
    uint32_t at = find(&h, "ld.global", &uses);
    assert_int_equal(h.slots.codes[at].count, 3);
    assert_false(h.slots.codes[at].drains || h.slots.codes[at].orders);
    uint32_t late = 0;
    for (uint32_t i = 0; i < 3; i++) {
        late += uses[i].late;
        assert_int_equal(uses[i].late, uses[i].written);
        assert_int_equal(uses[i].bytes, uses[i].written ? 128 : 256);
    }
    assert_int_equal(late, 2);
    at = find(&h, "@%p1 add.u32", &others);
    assert_int_equal(h.slots.codes[at].count, 4); // and the guard
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 4; k++)
            shared += uses[i].slot == others[k].slot;
    assert_int_equal(shared, 1);
    at = find(&h, "st.volatile", &uses);
    assert_true(h.slots.codes[at].orders && !h.slots.codes[at].drains);
    at = find(&h, "bar.sync", &uses);
    assert_true(h.slots.codes[at].orders);
    assert_int_equal(h.slots.codes[at].count, 0);
    end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured),  cmocka_unit_test(test_bound_when_served),
        cmocka_unit_test(test_two_paths), cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_touched),   cmocka_unit_test(test_faults),
        cmocka_unit_test(test_locks),     cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
