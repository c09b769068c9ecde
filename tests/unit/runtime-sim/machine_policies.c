// Keys of a core for choices that papers leave open: lines between launches, lanes of a branch, the
// stages before an access and after a fill.
#include "tests/unit/runtime-sim/machine_fixture.h"

static const char reader[] =
    HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a)\n{\n"
                         ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
                         "ld.param.u64 %d1, [a]; ld.global.u32 %r1, [%d1];\n"
                         "st.global.u32 [%d1+1024], %r1;\nret;\n}\n";

// With flush_l1 each launch misses in the L1, without it only the first one does.
static void lines_between_launches(void **state)
{
    (void)state;
    for (int flush = 0; flush < 2; flush++) {
        static struct rig r;
        rig_load(&r, reader, 1, flush ? NULL : SETTINGS("machine.flush_l1=false"));
        kernel_buffer(&r.k, 4096);
        for (int i = 0; i < 3; i++)
            rig_run(&r, "k", 1, LANES);
        assert_true(rig_stat(&r, "l1.reads") == 3);
        assert_true(rig_stat(&r, "l1.read_hits") == (flush ? 0 : 2));
        rig_free(&r);
    }
}

// Lanes below 8 branch in the first half of the warp slots, lanes from 8 on in the second. Each
// path takes a number.
static const char brancher[] =
    HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 to, .param .u64 count, "
                         ".param .u32 low)\n{\n"
                         ".reg .b32 %r<8>; .reg .b64 %d<6>; .reg .pred %p, %q;\n"
                         "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [count];\n"
                         "ld.param.u32 %r5, [low]; mov.u32 %r1, %tid.x;\n"
                         "setp.lt.u32 %p, %r1, 8; setp.eq.u32 %q, %r5, 0;\n"
                         "xor.pred %p, %p, %q;\n"
                         "@%p bra T;\n"
                         "atom.global.add.u32 %r2, [%d2], 1; bra J;\n"
                         "T: atom.global.add.u32 %r2, [%d2], 100;\n"
                         "J: mul.wide.u32 %d3, %r1, 4; add.u64 %d1, %d1, %d3;\n"
                         "st.global.u32 [%d1], %r2;\nret;\n}\n";

// Returns which lanes have taken a number first; 0: those below 8.
static uint32_t first_lanes(bool low_branch, const char *const *settings)
{
    static struct rig r;
    rig_load(&r, brancher, 1, settings);
    const uint32_t *to = kernel_buffer(&r.k, 4 * LANES);
    kernel_buffer(&r.k, 8);
    kernel_u32(&r.k, low_branch);
    rig_run(&r, "k", 1, LANES);
    uint32_t low = 0, high = 0; // the least that lanes of either part have drawn
    for (uint32_t i = 1; i < 8; i++)
        low = i == 1 || to[i] < low ? to[i] : low;
    for (uint32_t i = 8; i < LANES; i++)
        high = i == 8 || to[i] < high ? to[i] : high;
    uint32_t result = high == 0 || high < low;
    for (uint32_t i = 0; i < 8; i++)
        result &= to[i] != 0;
    rig_free(&r);
    return result;
}

static void lanes_of_a_branch(void **state)
{
    (void)state;
    assert_int_equal(first_lanes(true, NULL), 0); // those that branch
    assert_int_equal(first_lanes(false, NULL), 1);
    assert_int_equal(first_lanes(true, SETTINGS("core.divergence=low_lanes")), 0);
    assert_int_equal(first_lanes(false, SETTINGS("core.divergence=low_lanes")), 0);
}

// The L1's own fill port must be as wide as a line, because nothing waits for it.
static void faults(void **state)
{
    (void)state;
    static struct rig r;
    rig_configure(&r, reader, 1, SETTINGS("l1.fill_port=own"));
    r.config.l1.port_bytes = 32;
    assert_non_null(strstr(machine_check(&r.k.arena, &r.config), "l1.fill_port"));
    rig_free(&r);
    rig_configure(&r, reader, 1, NULL);
    r.config.l1.allocate_writes = true;
    assert_null(machine_check(&r.k.arena, &r.config));
    r.config.l1.partial = CACHE_FETCH;
    assert_non_null(strstr(machine_check(&r.k.arena, &r.config), "l1.partial: mask"));
    r.config.l1.partial = CACHE_MASK;
    r.config.l1.write = CACHE_EVICT;
    assert_non_null(strstr(machine_check(&r.k.arena, &r.config), "l1.write: evict needs"));
    r.config.l1.write = CACHE_THROUGH;
    r.config.memsys.memory.sectors = r.config.memsys.memory.sector_replies = true;
    assert_non_null(strstr(machine_check(&r.k.arena, &r.config), "multiple of l1.sector_bytes"));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_between_launches),
        cmocka_unit_test(lanes_of_a_branch),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
