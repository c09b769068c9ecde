// Schemes of a machine, tested with a small one that is registered here only (toll.h).
#include "runtime-sim/gpu/machine/machine_state.h"
#include "tests/unit/runtime-sim/machine_fixture.h"
#include "tests/unit/runtime-sim/toll.h"

enum { WARPS = 6, TOLLS = 2 };

// c[i] = 2^(2^a[i]), with two approximations.
static const char text[] =
    HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 a, .param .u64 c)\n{\n"
                         ".reg .b32 %r<4>; .reg .b64 %d<6>; .reg .f32 %f<4>;\n"
                         "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [c];\n"
                         "mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;\n"
                         "add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n"
                         "ld.global.f32 %f1, [%d1];\n"
                         "ex2.approx.f32 %f2, %f1;\nex2.approx.f32 %f3, %f2;\n"
                         "st.global.f32 [%d2], %f3;\nret;\n}\n";

static const struct scheme_ops *const none[] = {NULL};
static const struct scheme_ops *const toll_alone[] = {&toll, NULL};

// Runs one CTA. Returns its cycles.
static uint64_t run(struct rig *r, const struct scheme_ops *const *known,
                    const char *const *settings)
{
    rig_configure_with(r, text, 1, settings, known);
    rig_build_planned(r, NULL);
    float *a = kernel_buffer(&r->k, WARPS * LANES * 4),
          *c = kernel_buffer(&r->k, WARPS * LANES * 4);
    for (uint32_t i = 0; i < WARPS * LANES; i++)
        a[i] = (float)(i % 3);
    uint64_t cycles = rig_run(r, "k", 1, WARPS * LANES);
    static const float powers[] = {2, 4, 16};
    for (uint32_t i = 0; i < WARPS * LANES; i++)
        assert_true(c[i] == powers[i % 3]);
    return cycles;
}

// Checks that every slot is counted under one reason in each cycle, including those of schemes.
static void check_slots(const struct rig *r)
{
    static const char *const reasons[] = {
        "issued",      "stall_empty", "stall_fetch",       "stall_result",  "stall_load",
        "stall_toll",  "stall_fence", "stall_lanes",       "stall_barrier", "stall_not_selected",
        "stall_ended", "stall_unit",  "stall_memory_queue"};
    double sum = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        sum += rig_of(r, "core", reasons[i]);
    assert_true(sum == rig_stat(r, "machine.cycles") * (double)r->config.core.warps);
}

// A disabled scheme has its rows and nothing else.
static void registered_and_off(void **state)
{
    (void)state;
    struct rig r;
    double value;
    uint64_t usual = run(&r, none, NULL);
    assert_false(stats_find(&r.stats, NULL, "core.stall_toll", &value));
    rig_free(&r);
    assert_int_equal(run(&r, toll_alone, NULL), usual);
    assert_true(rig_stat(&r, "core.stall_toll") == 0);
    assert_true(rig_stat(&r, "memory.toll.requests") == 0);
    assert_false(stats_find(&r.stats, NULL, "toll.paid", &value));
    assert_null(machine_scheme(r.machine, &toll));
    assert_string_equal(machine_policy(&r.k.arena, &r.config), "baseline");
    rig_free(&r);
}

// Each instruction of the scheme leaves the core as a message of its class, and is issued once,
// when the reply has arrived.
static void instructions_migrate(void **state)
{
    (void)state;
    struct rig r;
    uint64_t usual = run(&r, none, NULL);
    double instructions = rig_stat(&r, "machine.warp_instructions");
    rig_free(&r);
    assert_true(run(&r, toll_alone, SETTINGS("toll.policy=toll")) > usual);
    assert_true(rig_stat(&r, "toll.paid") == WARPS * TOLLS);
    assert_true(rig_stat(&r, "memory.toll.answers") == WARPS * TOLLS);
    assert_true(rig_stat(&r, "request.class1.packets") == WARPS * TOLLS);
    assert_true(rig_stat(&r, "reply.class1.packets") == WARPS * TOLLS);
    assert_true(rig_stat(&r, "machine.warp_instructions") == instructions);
    // A message is under way for at least two routers and a slice.
    assert_true(rig_stat(&r, "core.stall_toll") >= WARPS * TOLLS * 14);
    assert_string_equal(machine_policy(&r.k.arena, &r.config), "toll");
    check_slots(&r);
    rig_free(&r);
}

// A scheme that serves no L1 miss of a load before a certain cycle.
static uint64_t opens, turned_back;

static uint64_t next(const struct machine *machine, const void *state)
{
    (void)state;
    return machine->now < opens ? opens : UINT64_MAX;
}

static enum memsys_served admit(struct machine *machine, void *state,
                                const struct memsys_request *request)
{
    bool waits =
        request->requester == REQUESTER_L1 && request->kind == MEMSYS_READ && machine->now < opens;
    (void)state;
    turned_back += waits;
    return waits ? MEMSYS_WAIT : MEMSYS_SERVED;
}

static const struct scheme_ops gate = {.name = "gate", .memory = {.next = next, .admit = admit}};

// Requests that a scheme holds are served later; the program computes the same.
static void requests_wait(void **state)
{
    (void)state;
    enum { OPENS = 20000 };
    static const struct scheme_ops *const both[] = {&toll, &gate, NULL};
    struct rig r;
    opens = turned_back = 0;
    assert_true(run(&r, both, SETTINGS("toll.policy=toll")) < OPENS);
    assert_int_equal(turned_back, 0);
    rig_free(&r);
    opens = OPENS;
    assert_true(run(&r, both, SETTINGS("toll.policy=toll")) > OPENS);
    assert_true(turned_back > 1000);
    check_slots(&r);
    rig_free(&r);
}

// A scheme that claims all instructions that it is offered.
static uint64_t followed, asked;

static enum issue_as follow(struct core *core, void *own, uint64_t now, uint32_t slot)
{
    (void)own;
    (void)now;
    asked++;
    followed += core->slots[slot].next->class == TIMING_sfu;
    return ISSUE_AS_FOLLOWED;
}

static const struct scheme_issue follower_issue = {.issue_as = follow};
static const struct scheme_ops follower = {.name = "follower", .issue = &follower_issue};

// Of several schemes that claim an instruction, the one that is registered first gets it.
static void first_one_has_it(void **state)
{
    (void)state;
    static const struct scheme_ops *const toll_first[] = {&toll, &follower, NULL};
    static const struct scheme_ops *const toll_last[] = {&follower, &toll, NULL};
    struct rig r;
    followed = asked = 0;
    run(&r, toll_first, SETTINGS("toll.policy=toll"));
    assert_true(rig_stat(&r, "toll.paid") == WARPS * TOLLS);
    assert_int_equal(followed, WARPS * TOLLS); // when they have paid
    rig_free(&r);
    followed = asked = 0;
    run(&r, toll_last, SETTINGS("toll.policy=toll"));
    assert_true(rig_stat(&r, "toll.paid") == 0);
    assert_int_equal(followed, WARPS * TOLLS);
    assert_true((double)asked == rig_stat(&r, "machine.warp_instructions"));
    rig_free(&r);
}

// With all schemes of the program: policies of all, each with its setting; a value that a scheme
// does not have turns it off.
static void policies(void **state)
{
    (void)state;
    static const struct scheme_ops *const both[] = {&llc_omni, &toll, NULL};
    struct rig r;
    rig_configure_with(&r, text, 1, NULL, both);
    const char *const *names = scheme_policies(&r.k.arena, both);
    const char *const expected[] = {"baseline", "llc", "omni", "adaptive", "toll"};
    for (uint32_t i = 0; i < 5; i++)
        assert_string_equal(names[i], expected[i]);
    assert_null(names[5]);
    assert_string_equal(scheme_policy_setting(&r.k.arena, &llc_omni, "omni"),
                        "offload.policy=omni");
    assert_string_equal(scheme_policy_setting(&r.k.arena, &llc_omni, "toll"),
                        "offload.policy=baseline");
    assert_string_equal(scheme_policy_setting(&r.k.arena, &toll, "toll"), "toll.policy=toll");
    assert_null(scheme_policy_setting(&r.k.arena, &follower, "toll"));
    rig_free(&r);
}

// Results do not depend on the order of evaluation.
static void shuffled(void **state)
{
    (void)state;
    struct rig r;
    uint64_t usual = run(&r, toll_alone, SETTINGS("toll.policy=toll"));
    rig_free(&r);
    for (uint64_t seed = 1; seed < 4; seed++) {
        memset(&r, 0, sizeof r);
        rig_configure_with(&r, text, 1, SETTINGS("toll.policy=toll"), toll_alone);
        rig_build_planned(&r, NULL);
        r.shuffle = seed;
        float *a = kernel_buffer(&r.k, WARPS * LANES * 4);
        kernel_buffer(&r.k, WARPS * LANES * 4);
        for (uint32_t i = 0; i < WARPS * LANES; i++)
            a[i] = (float)(i % 3);
        assert_int_equal(rig_run(&r, "k", 1, WARPS * LANES), usual);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_and_off), cmocka_unit_test(instructions_migrate),
        cmocka_unit_test(requests_wait),      cmocka_unit_test(first_one_has_it),
        cmocka_unit_test(policies),           cmocka_unit_test(shuffled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
