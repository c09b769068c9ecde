// Energy events of chains, counted by hand, for a chain c = a + b in the 32 lanes of a warp.
#include "tests/unit/runtime-sim/offload_script.h"

static struct offload_rig o;

#define ALL_AT(a, b, c) .shape = {side_by_side, side_by_side, side_by_side}, .line = {a, b, c}

struct expected {
    const char *statistic;
    double count;
};

static const struct expected none[] = {
    {"offload.queue_write", 0},   {"offload.queue_read", 0},   {"offload.table_read", 0},
    {"offload.service_write", 0}, {"offload.service_read", 0}, {"offload.operand_write", 0},
    {"offload.operand_read", 0},  {"offload.shared_write", 0}, {"offload.shared_read", 0},
    {"offload.buffer_write", 0},  {"offload.buffer_read", 0},  {"offload.alu_int", 0},
    {"offload.alu_fp32", 0},
};

enum { EVENTS = sizeof none / sizeof *none };

static double expected_of(const struct expected *list, const char *statistic)
{
    for (uint32_t i = 0; list[i].statistic; i++)
        if (!strcmp(list[i].statistic, statistic))
            return list[i].count;
    return 0;
}

// Checks that one more run counts these events, up to one without a name, and no others.
static void expect_events(uint32_t threads, const struct expected *list)
{
    double before[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++)
        before[i] = rig_stat(&o.r, none[i].statistic);
    offload_run(&o, threads);
    for (uint32_t i = 0; i < EVENTS; i++)
        expect_number(none[i].statistic, rig_stat(&o.r, none[i].statistic) - before[i],
                      expected_of(list, none[i].statistic));
}

static void expect_in(const struct form *form, const char *const *settings,
                      const struct expected *list)
{
    offload_load(&o, form, settings);
    offload_run(&o, LANES);
    expect_events(LANES, list);
    offload_free(&o);
}

#define EVENTS_ARE(...) ((const struct expected[]){__VA_ARGS__, {NULL, 0}})

// Four instructions and a packet of one flit enter the offload queue; the packet is read, and its
// entry is read when the reply arrives. The service queue writes the packet, and twice the arrival
// of an operand; it is read for both requests, both reads in the slice, the addition and the store,
// which sends its acknowledgement to the core directly. Operands go from the slice to the buffer
// and from there to the ALU.
static void at_a_partition(void **state)
{
    (void)state;
    expect_in(&(struct form){ALL_AT(6, 14, 22)}, SETTINGS("offload.policy=omni"),
              EVENTS_ARE({"offload.queue_write", 4 + 1}, {"offload.queue_read", 1 + 1},
                         {"offload.service_write", 1 + 2}, {"offload.service_read", 2 + 2 + 1 + 1},
                         {"offload.buffer_write", 2}, {"offload.buffer_read", 2},
                         {"offload.alu_int", LANES}));
}

// The table gives the node; operands wait in shared memory, and are computed from there.
static void at_a_core(void **state)
{
    (void)state;
    expect_in(&(struct form){ALL_AT(5, 14, 23)}, SETTINGS("offload.policy=omni"),
              EVENTS_ARE({"offload.queue_write", 4 + 1}, {"offload.queue_read", 1 + 1},
                         {"offload.table_read", 1}, {"offload.service_write", 1 + 2},
                         {"offload.service_read", 2 + 1 + 1}, {"offload.shared_write", 2},
                         {"offload.shared_read", 2}, {"offload.alu_int", LANES}));
}

// Of two partitions the one on the route to the other computes: the other's operand comes through
// the network, waits in the queue's own memory and goes to the buffer from there.
static void from_elsewhere(void **state)
{
    uint32_t found = 0;
    (void)state;
    for (uint32_t a = 0; a < PARTITIONS; a++)
        for (uint32_t b = 0; b < PARTITIONS; b++) {
            const struct form form = {ALL_AT(a, PARTITIONS + b, 2 * PARTITIONS + a)};
            offload_load(&o, &form, SETTINGS("offload.policy=omni"));
            offload_run(&o, LANES);
            bool at_partition = a != b && rig_stat(&o.r, "offload.packets_to_llc") == 1;
            if (at_partition)
                expect_events(
                    LANES, EVENTS_ARE({"offload.queue_write", 4 + 1}, {"offload.queue_read", 1 + 1},
                                      {"offload.table_read", 1}, {"offload.service_write", 1 + 2},
                                      {"offload.service_read", 2 + 1 + 1 + 1},
                                      {"offload.operand_write", 1}, {"offload.operand_read", 1},
                                      {"offload.buffer_write", 2}, {"offload.buffer_read", 2},
                                      {"offload.alu_int", LANES}));
            found += at_partition;
            offload_free(&o);
        }
    assert_true(found > 0);
}

// Half of the lanes, in any order: another flit for the mask and the places.
static void masked(void **state)
{
    static const char half[] = "and.b32 %r5, %r3, 1; setp.ne.u32 %p2, %r5, 0;\n@%p2 bra END;";
    (void)state;
    expect_in(&(struct form){ALL_AT(6, 14, 22), .before = half}, SETTINGS("offload.policy=omni"),
              EVENTS_ARE({"offload.queue_write", 4 + 2}, {"offload.queue_read", 2 + 1},
                         {"offload.service_write", 2 + 2}, {"offload.service_read", 2 + 2 + 1 + 1},
                         {"offload.buffer_write", 2}, {"offload.buffer_read", 2},
                         {"offload.alu_int", LANES / 2}));
}

// Chains are discarded if no node can compute them: entries were written but not read.
static void discarded(void **state)
{
    (void)state;
    expect_in(&(struct form){ALL_AT(5, 14, 23)}, SETTINGS("offload.policy=llc"),
              EVENTS_ARE({"offload.queue_write", 4}));
}

static const char floats[] = "ld.global.f32 %r11, [%d1];\nld.global.f32 %r12, [%d2];\n"
                             "add.f32 %r13, %r11, %r12;\nst.global.f32 [%d3], %r13;";

static void of_floats(void **state)
{
    (void)state;
    expect_in(&(struct form){ALL_AT(6, 14, 22), .chain = floats}, SETTINGS("offload.policy=omni"),
              EVENTS_ARE({"offload.queue_write", 4 + 1}, {"offload.queue_read", 1 + 1},
                         {"offload.service_write", 1 + 2}, {"offload.service_read", 2 + 2 + 1 + 1},
                         {"offload.buffer_write", 2}, {"offload.buffer_read", 2},
                         {"offload.alu_fp32", LANES}));
}

// Instructions that two warps compute at their core, and that are issued.
struct at_core {
    double lanes, issued, instructions;
};

static struct at_core at_core(const char *const *settings)
{
    offload_load(&o, &(struct form){ALL_AT(6, 14, 22), .stride = 8}, settings);
    offload_run(&o, 2 * LANES);
    struct at_core before = {rig_stat(&o.r, "core.alu_int"), rig_stat(&o.r, "core.scheduler"),
                             rig_stat(&o.r, "core.warp_instructions")};
    offload_run(&o, 2 * LANES);
    struct at_core after = {rig_stat(&o.r, "core.alu_int"), rig_stat(&o.r, "core.scheduler"),
                            rig_stat(&o.r, "core.warp_instructions")};
    offload_free(&o);
    return (struct at_core){after.lanes - before.lanes, after.issued - before.issued,
                            after.instructions - before.instructions};
}

// Instructions that a service queue computes are not computed by the core; replayed ones are. All
// are issued.
static void replayed(void **state)
{
    (void)state;
    struct at_core all = at_core(SETTINGS("offload.policy=baseline"));
    struct at_core nothing = at_core(SETTINGS("offload.policy=omni"));
    struct at_core one = at_core(SETTINGS("offload.policy=omni", "offload.service_queue=1"));
    expect_number("offloaded", all.lanes - nothing.lanes, 2 * LANES);
    expect_number("one replayed", all.lanes - one.lanes, LANES);
    expect_number("issued", nothing.issued, all.issued);
    expect_number("issued with a replay", one.issued, all.issued);
    expect_number("instructions", all.issued, all.instructions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_a_partition), cmocka_unit_test(at_a_core),
        cmocka_unit_test(from_elsewhere), cmocka_unit_test(masked),
        cmocka_unit_test(discarded),      cmocka_unit_test(of_floats),
        cmocka_unit_test(replayed),
    };
    return cmocka_run_group_tests_name("offload_energy", tests, NULL, NULL);
}
