// Cores with more than 64 warp slots.
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { CTAS = 12, BLOCK = 1024, THREADS = CTAS * BLOCK };

// Sums of a[i] and its neighbour, through shared memory and a barrier, with special functions; and
// the start and end of the CTA.
static const char text[] =
    HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 a, .param .u64 c, .param .u64 t)\n{\n"
                         ".reg .b32 %r<12>; .reg .b64 %d<12>; .reg .f32 %f<8>; .reg .pred %p<4>;\n"
                         ".shared .b32 s[1024];\n"
                         "mov.u64 %d8, %clock64; mov.u32 %r3, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                         "mad.lo.u32 %r1, %r2, 1024, %r3; mul.wide.u32 %d4, %r1, 4;\n"
                         "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [c]; ld.param.u64 %d3, [t];\n"
                         "add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4;\n"
                         "ld.global.f32 %f1, [%d1]; ex2.approx.f32 %f1, %f1;\n"
                         "mov.u32 %r4, s; shl.b32 %r5, %r3, 2; add.u32 %r5, %r4, %r5;\n"
                         "st.shared.f32 [%r5], %f1; bar.sync 0;\n"
                         "xor.b32 %r6, %r3, 33; shl.b32 %r6, %r6, 2; add.u32 %r6, %r4, %r6;\n"
                         "ld.shared.f32 %f2, [%r6]; add.f32 %f1, %f1, %f2;\n"
                         "st.global.f32 [%d2], %f1; mov.u64 %d9, %clock64;\n"
                         "mul.wide.u32 %d5, %r2, 16; add.u64 %d3, %d3, %d5;\n"
                         "setp.ne.u32 %p1, %r3, 0; @!%p1 st.global.v2.u64 [%d3], {%d8, %d9};\n"
                         "ret;\n}\n";

struct cta_residence {
    uint64_t begun, ended;
};

// A scheme that observes issue: in a cycle, one slot of each remainder modulo the schedulers.
static uint64_t issued_at, issued_together;
static uint32_t remainders;

static enum issue_as see(struct core *core, void *own, uint64_t now, uint32_t slot)
{
    (void)own;
    uint32_t remainder = 1u << slot % core->kind->config->schedulers;
    remainders = now == issued_at ? remainders : 0;
    issued_together += now == issued_at;
    issued_at = now;
    assert_false(remainders & remainder);
    remainders |= remainder;
    return ISSUE_AS_NORMAL;
}

static const struct scheme_issue observer_issue = {.issue_as = see};
static const struct scheme_ops observer = {.name = "observer", .issue = &observer_issue};

static uint64_t run(struct rig *r, uint64_t seed, uint32_t together, const char *const *settings)
{
    static const struct scheme_ops *const known[] = {&observer, NULL};
    rig_configure_with(r, text, 1, settings, known);
    rig_build_planned(r, NULL);
    float *a = kernel_buffer(&r->k, THREADS * 4), *c = kernel_buffer(&r->k, THREADS * 4);
    const struct cta_residence *stays = kernel_buffer(&r->k, CTAS * sizeof *stays);
    for (uint32_t i = 0; i < THREADS; i++)
        a[i] = (float)(i % 7);
    r->shuffle = seed;
    uint64_t cycles = rig_run(r, "k", CTAS, BLOCK);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t other = (i & ~1023u) | ((i & 1023u) ^ 33u);
        assert_true(c[i] == (float)(1u << i % 7) + (float)(1u << other % 7));
    }
    assert_int_equal(r->runs[0].room, together);
    uint32_t max = 0;
    for (uint32_t i = 0; i < CTAS; i++) {
        uint32_t there = 0;
        for (uint32_t k = 0; k < CTAS; k++)
            there += stays[k].begun <= stays[i].begun && stays[i].begun < stays[k].ended;
        max = there > max ? there : max;
    }
    if (r->config.core.scheduler ==
        SCHEDULER_LRR) // greedy, young warps do not even begin beside old ones
        assert_int_equal(max, together);
    return cycles;
}

#define ROOM "core.ctas=12", "core.registers=1048576", "core.shared_bytes=65536"

// Checks that the reasons add up to slots times cycles.
static void check_slots(const struct rig *r)
{
    static const char *const reasons[] = {
        "issued",      "stall_empty", "stall_fetch",        "stall_result",
        "stall_load",  "stall_fence", "stall_lanes",        "stall_barrier",
        "stall_ended", "stall_unit",  "stall_memory_queue", "stall_not_selected"};
    double sum = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        sum += rig_of(r, "core", reasons[i]);
    assert_true(sum == rig_stat(r, "machine.cycles") * (double)r->config.core.warps);
}

static void schedulers(void **state)
{
    (void)state;
    static const char *const counts[] = {"core.schedulers=1", "core.schedulers=2",
                                         "core.schedulers=3", "core.schedulers=4"};
    static const char *const kinds[] = {"core.scheduler=gto", "core.scheduler=lrr"};
    struct rig r;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 2; k++) {
            run(&r, 0, 2,
                SETTINGS(counts[i], kinds[k], ROOM, "core.warps=64", "core.threads=2048",
                         "core.alu_units=4"));
            check_slots(&r);
            rig_free(&r);
            run(&r, 0, 8,
                SETTINGS(counts[i], kinds[k], ROOM, "core.warps=256", "core.threads=8192",
                         "core.alu_units=4"));
            check_slots(&r);
            rig_free(&r);
            run(&r, 0, 3,
                SETTINGS(counts[i], kinds[k], ROOM, "core.warps=100", "core.threads=3200"));
            check_slots(&r);
            assert_true(i == 0 || issued_together > 1000);
            rig_free(&r);
            issued_together = 0;
        }
}

// With 64 of 65 warp slots unused, nothing changes.
static void one_word_or_two(void **state)
{
    (void)state;
    static const char *const kinds[] = {"core.scheduler=gto", "core.scheduler=lrr"};
    struct rig r;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t one = run(
            &r, 0, 2,
            SETTINGS(kinds[i], ROOM, "core.warps=64", "core.threads=2048", "core.schedulers=2"));
        rig_free(&r);
        assert_int_equal(run(&r, 0, 2,
                             SETTINGS(kinds[i], ROOM, "core.warps=65", "core.threads=2048",
                                      "core.schedulers=2")),
                         one);
        rig_free(&r);
    }
}

static void shuffled(void **state)
{
    (void)state;
    struct rig r;
    const char *const *settings = SETTINGS(ROOM, "core.warps=256", "core.threads=8192",
                                           "core.schedulers=3", "core.scheduler=lrr");
    uint64_t usual = run(&r, 0, 8, settings);
    rig_free(&r);
    assert_int_equal(run(&r, 5, 8, settings), usual);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedulers),
        cmocka_unit_test(one_word_or_two),
        cmocka_unit_test(shuffled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
