// Two active schemes in one machine: chains that are offloaded, and approximations that pay a toll
// (toll.h).
#include "tests/unit/runtime-sim/offload_fixture.h"
#include "tests/unit/runtime-sim/toll.h"

static struct offload_rig o;

// One approximation before the chain.
static const struct form form = {
    .before = "cvt.rn.f32.u32 %f1, %r3; ex2.approx.f32 %f1, %f1;\n"
              "setp.lt.f32 %p2, %f1, 0f00000000; @%p2 bra END;",
    .shape = {SIDE_BY_SIDE, SIDE_BY_SIDE, SIDE_BY_SIDE},
    .line = {0, 8, 16},
    .stride = 24,
};

static void load(const struct scheme_ops *const *known)
{
    offload_load_with(&o, &form,
                      SETTINGS("offload.policy=omni", "toll.policy=toll", "request_network.vcs=8"),
                      known);
}

// Each scheme gets the instructions that it claims, and its own message class, whatever the order
// of registration.
static void both_at_work(void **state)
{
    (void)state;
    static const struct scheme_ops *const orders[][3] = {{&llc_omni, &toll, NULL},
                                                         {&toll, &llc_omni, NULL}};
    enum { WARPS = 4 };
    for (uint32_t i = 0; i < 2; i++) {
        load(orders[i]);
        offload_run(&o, WARPS * LANES);
        offload_check(&o, WARPS * LANES, FULL_MASK);
        const char *packets = i ? "request.class2.packets" : "request.class1.packets";
        const char *tolls = i ? "request.class1.packets" : "request.class2.packets";
        assert_true(rig_stat(&o.r, "offload.chains_offloaded") > 0);
        assert_true(rig_stat(&o.r, "offload.packets") == rig_stat(&o.r, packets));
        assert_true(rig_stat(&o.r, "toll.paid") == WARPS);
        assert_true(rig_stat(&o.r, "toll.paid") == rig_stat(&o.r, tolls));
        assert_true(rig_stat(&o.r, "core.stall_chain") > 0);
        assert_true(rig_stat(&o.r, "core.stall_toll") > 0);
        rig_free(&o.r);
    }
}

// A scheme that counts chains (chain_count.c) changes nothing.
static void counted(void **state)
{
    (void)state;
    enum { WARPS = 4 };
    extern const struct scheme_ops chain_count;
    static const struct scheme_ops *const known[] = {&llc_omni, &chain_count, NULL};
    double cycles = 0;
    for (uint32_t i = 0; i < 2; i++) {
        offload_load_with(&o, &form,
                          SETTINGS("offload.policy=baseline",
                                   i ? "chain_count.enabled=true" : "chain_count.enabled=false"),
                          known);
        offload_run(&o, WARPS * LANES);
        double now = rig_stat(&o.r, "machine.cycles");
        assert_true(!i || now == cycles);
        assert_true(!i || rig_stat(&o.r, "chain_count.begun") == WARPS);
        cycles = now;
        rig_free(&o.r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_at_work), cmocka_unit_test(counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
