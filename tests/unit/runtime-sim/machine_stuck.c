// Launches that never end: the run stops within the watchdog's limit, and the report names warp,
// line and reason.
#include "tests/unit/runtime-sim/machine_fixture.h"

#define KERNEL(body)                                                                               \
    HEAD("8.0", "sm_90")                                                                           \
    ".global .u32 flag[2];\n"                                                                      \
    ".visible .entry k()\n{\n"                                                                     \
    ".reg .b32 %r<8>; .reg .pred %p<8>;\n"                                                         \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r1, 5;\n" body "ret;\n}\n"

enum { WATCHDOG = 30000 };

static const struct stalls *stuck(struct rig *r, const char *text, uint32_t grid, uint32_t block)
{
    rig_load(r, text, 1, SETTINGS("machine.watchdog=30000"));
    rig_add(r, "k", grid, block);
    rig_go(r);
    assert_false(r->result.fault.happened);
    assert_int_equal(r->end, MACHINE_STUCK);
    assert_true(r->result.stuck);
    assert_true(machine_cycle(r->machine) < 2 * WATCHDOG);
    return &r->result.stalls;
}

// Returns the line; line 9 is the first after the registers.
static uint32_t line(const struct rig *r, uint32_t inst)
{
    const struct ir_function *fn = &r->k.module.functions.v[0];
    return source_position_at(&r->k.source, r->k.tree.nodes.v[fn->insts.v[inst].node].begin).line;
}

static const struct stall *of_kind(const struct stalls *stalls, enum stall_kind kind)
{
    for (uint32_t i = 0; i < stalls->count; i++)
        if (stalls->list[i].kind == kind)
            return &stalls->list[i];
    fail_msg("nothing waits like this");
    return NULL;
}

// A barrier for 96 threads, one warp of which has exited.
static void barrier(void **state)
{
    (void)state;
    static struct rig r;
    const struct stalls *stalls = stuck(&r,
                                        KERNEL("setp.eq.u32 %p1, %r3, 2;\n"
                                               "@%p1 bra END;\n"
                                               "bar.sync 3, 96;\n"
                                               "END:\n"),
                                        1, 96);
    const struct stall *stall = of_kind(stalls, STALL_BARRIER);
    assert_int_equal(stall->warps, 2);
    assert_int_equal(stall->number, 3);
    assert_int_equal(line(&r, stall->at.inst), 11);
    assert_true(stall->threads);
    assert_int_equal(stall->come, 64);
    assert_int_equal(stall->expected, 96);
    assert_int_equal(stall->missing[0].warp, 2);
    assert_true(stall->missing[0].ended);
    // Nothing is under way, so that it is known at once.
    assert_true(machine_cycle(r.machine) < WATCHDOG);
    rig_check_slots(&r);
    rig_free(&r);
}

// One warp computes for ever; the others wait for it.
static void spin(void **state)
{
    (void)state;
    static struct rig r;
    const struct stalls *stalls = stuck(&r,
                                        KERNEL("setp.ne.u32 %p1, %r3, 1;\n"
                                               "@%p1 bra W;\n"
                                               "L: add.u32 %r4, %r1, 1;\n"
                                               "bra L;\n"
                                               "W: bar.sync 0;\n"),
                                        2, 96);
    const struct stall *loop = of_kind(stalls, STALL_LOOP), *bar = of_kind(stalls, STALL_BARRIER);
    assert_int_equal(loop->warps, 2);
    assert_int_equal(loop->ctas, 2);
    assert_int_equal(loop->warp, 1);
    assert_int_equal(line(&r, loop->first), 11);
    assert_int_equal(line(&r, loop->last), 12);
    assert_int_equal(bar->warps, 4);
    assert_int_equal(bar->come, 2);
    assert_int_equal(bar->expected, 3);
    assert_int_equal(bar->missing[0].warp, 1);
    assert_int_equal(line(&r, bar->at.inst), 13);
    rig_check_slots(&r);
    rig_free(&r);
}

// A core has room for 8 of 12 CTAs, which wait for a later one. The report has the address, and
// says that CTAs are not resident.
static void not_there(void **state)
{
    (void)state;
    static struct rig r;
    const struct stalls *stalls = stuck(&r,
                                        KERNEL("setp.eq.u32 %p1, %r2, 11;\n"
                                               "@%p1 st.volatile.global.u32 [flag+4], 1;\n"
                                               "L: ld.volatile.global.u32 %r4, [flag+4];\n"
                                               "setp.eq.u32 %p2, %r4, 0;\n"
                                               "@%p2 bra L;\n"),
                                        12, 32);
    const struct stall *loop = of_kind(stalls, STALL_LOOP);
    assert_int_equal(loop->warps, 8);
    assert_int_equal(loop->ctas, 8);
    assert_int_equal(line(&r, loop->first), 11);
    assert_int_equal(line(&r, loop->last), 13);
    assert_true(loop->has_address);
    assert_int_equal(loop->space, W_global);
    assert_string_equal(loop->nearest, "4 bytes into 'flag' (8 bytes)");
    assert_int_equal(stalls->there, 8);
    assert_int_equal(stalls->ended, 0);
    assert_int_equal(stalls->ctas, 12);
    rig_check_slots(&r);
    rig_free(&r);
}

// A lock that is tried with compare-and-swap: its holder has exited without releasing it.
static void lost_lock(void **state)
{
    (void)state;
    static struct rig r;
    const struct stalls *stalls = stuck(&r,
                                        KERNEL("setp.ne.u32 %p1, %r1, 0;\n"
                                               "@%p1 bra END;\n"
                                               "L: atom.global.cas.b32 %r4, [flag], 0, 1;\n"
                                               "setp.ne.u32 %p2, %r4, 0;\n"
                                               "@%p2 bra L;\n"
                                               "END:\n"),
                                        12, 32);
    const struct stall *loop = of_kind(stalls, STALL_LOOP);
    assert_true(loop->warps >= 7);
    assert_int_equal(loop->lanes, 1);
    assert_int_equal(line(&r, loop->first), 11);
    assert_true(loop->has_address);
    assert_string_equal(loop->nearest, "0 bytes into 'flag' (8 bytes)");
    assert_int_equal(stalls->ended, 1);
    assert_int_equal(stalls->there, 8);
    rig_free(&r);
}

// A loop that runs for longer than the watchdog's limit but stores something is not stopped.
static void progress(void **state)
{
    (void)state;
    static struct rig r;
    rig_load(&r,
             KERNEL("L: st.volatile.global.u32 [flag], %r4; add.u32 %r4, %r4, 1;\n"
                    "setp.lt.u32 %p2, %r4, 16000;\n"
                    "@%p2 bra L;\n"),
             1, SETTINGS("machine.watchdog=30000"));
    assert_true(rig_run(&r, "k", 1, 32) > 6 * WATCHDOG);
    rig_free(&r);
}

// A loop that only counts ends by itself. An endless one is stopped later than one that repeats its
// registers.
static void counts(void **state)
{
    (void)state;
    static struct rig r;
    rig_load(&r,
             KERNEL("L: ld.global.u32 %r5, [flag]; add.u32 %r4, %r4, 1;\n"
                    "setp.lt.u32 %p2, %r4, 4000;\n"
                    "@%p2 bra L;\n"),
             1, SETTINGS("machine.watchdog=30000"));
    assert_true(rig_run(&r, "k", 1, 32) > 2 * WATCHDOG);
    rig_free(&r);
    rig_load(&r, KERNEL("L: add.u32 %r4, %r4, 1;\nbra L;\n"), 1,
             SETTINGS("machine.watchdog=30000"));
    rig_add(&r, "k", 1, 32);
    rig_go(&r);
    assert_int_equal(r.end, MACHINE_STUCK);
    assert_true(machine_cycle(r.machine) > 64 * WATCHDOG);
    assert_true(r.result.stalls.idle > 64 * WATCHDOG);
    rig_free(&r);
}

// Warps that the cycle limit stops are reported, too.
static void cycle_limit(void **state)
{
    (void)state;
    static struct rig r;
    rig_load(&r, KERNEL("L: add.u32 %r4, %r4, 1;\nbra L;\n"), 1, NULL);
    r.max_cycles = 5000;
    rig_add(&r, "k", 1, 32);
    rig_go(&r);
    assert_int_equal(r.end, MACHINE_CYCLES);
    assert_true(r.result.limited);
    assert_int_equal(machine_cycle(r.machine), 5000);
    rig_check_slots(&r);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier),   cmocka_unit_test(spin),     cmocka_unit_test(not_there),
        cmocka_unit_test(lost_lock), cmocka_unit_test(progress), cmocka_unit_test(cycle_limit),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests_name("machine_stuck", tests, NULL, NULL);
}
