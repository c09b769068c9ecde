// Operands that pass the L1 of the core that computes (offload.operands_in_l1): hops and flits, and
// the age of lines. Other cores load the lines of a and b first, so that the L1 of the core where
// the chain is computed has them.
#include "tests/unit/runtime-sim/offload_script.h"

static struct offload_rig o;

#define KEY "offload.operands_in_l1=true"
#define LOADS_MEET .shape = {side_by_side, side_by_side, side_by_side}, .line = {5, 14, 23}
#define OTHERS_LOAD                                                                                \
    "ld.param.u64 %d1, [p1]; cvta.to.global.u64 %d1, %d1;\n"                                       \
    "ld.param.u64 %d2, [p2]; cvta.to.global.u64 %d2, %d2;\n"                                       \
    "ld.global.u32 %r6, [%d1];\nld.global.u32 %r7, [%d2];\n"
// Some thousand cycles.
#define DELAY(label)                                                                               \
    "mov.u32 %r5, 0;\n" label                                                                      \
    ":\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 400;\n@%p2 bra " label ";\n"
#define STORE_TO(operand) "st.global.u32 [" operand "], %r3;\n"

struct seen {
    double hops, weighted;             // of one run
    double hits, old, fills, requests; // operands of one run
};

static struct seen run_twice(const struct form *form, uint32_t threads, const char *key)
{
    static const char *const names[] = {"memory.hops",      "memory.weighted_hops",
                                        "offload.l1_hits",  "offload.l1_old",
                                        "offload.l1_fills", "offload.shared_write"};
    double before[6], gains[6];
    offload_load(&o, form, SETTINGS("offload.policy=omni", key));
    offload_run(&o, threads);
    for (int i = 0; i < 6; i++)
        before[i] = rig_stat(&o.r, names[i]);
    offload_run(&o, threads);
    for (int i = 0; i < 6; i++)
        gains[i] = rig_stat(&o.r, names[i]) - before[i];
    expect_number("chains", rig_stat(&o.r, "offload.chains_offloaded"), 2 * threads / LANES);
    expect_number("chains at cores", rig_stat(&o.r, "offload.packets_to_cores"),
                  2 * threads / LANES);
    offload_check(&o, threads, FULL_MASK);
    expect_number("operands", gains[5], 2 * threads / LANES);
    return (struct seen){gains[0], gains[1], gains[2], gains[3], gains[4], gains[5]};
}

// Returns the hops of an operand's request, of one flit, and of its reply, of five.
static struct seen hops_of_operand(uint32_t partition)
{
    uint32_t node = memsys_endpoint_at(rig_memsys(&o.r), 42);
    double way = (double)hops(&o, node, end_of(partition));
    return (struct seen){.hops = 2 * way, .weighted = 6 * way};
}

// Runs the form without the key and with it. Checks the operands that the L1 had, those that were
// too old and those that were brought, and that each of the former saves a request and a reply.
static void expect_operands(const struct form *form, uint32_t threads, double a_hits, double b_hits,
                            double old, double fills)
{
    struct seen plain = run_twice(form, threads, "offload.operands_in_l1=false");
    offload_free(&o);
    struct seen seen = run_twice(form, threads, KEY);
    struct seen a = hops_of_operand(5), b = hops_of_operand(6);
    expect_number("hits", seen.hits, a_hits + b_hits);
    expect_number("old", seen.old, old);
    expect_number("fills", seen.fills, fills);
    expect_number("hops", plain.hops - seen.hops, a_hits * a.hops + b_hits * b.hops);
    expect_number("weighted hops", plain.weighted - seen.weighted,
                  a_hits * a.weighted + b_hits * b.weighted);
    expect_number("keys off", plain.hits + plain.old + plain.fills, 0);
    offload_free(&o);
}

static void lines_in_the_l1(void **state)
{
    (void)state;
    expect_operands(&(struct form){LOADS_MEET, .before = DELAY("WAIT"), .others = OTHERS_LOAD},
                    LANES, 1, 1, 0, 0);
}

// The core has stored to the line of a, and the store is acknowledged: the line in the other L1 is
// older.
static void after_a_store(void **state)
{
    (void)state;
    expect_operands(&(struct form){LOADS_MEET, .before = DELAY("WAIT") STORE_TO("%d1") DELAY("ACK"),
                                   .others = OTHERS_LOAD},
                    LANES, 0, 1, 1, 0);
}

static void after_an_atomic(void **state)
{
    (void)state;
    expect_operands(
        &(struct form){LOADS_MEET,
                       .before = DELAY("WAIT") "red.global.add.u32 [%d2], 1;\n" DELAY("ACK"),
                       .others = OTHERS_LOAD},
        LANES, 1, 0, 1, 0);
}

// An access of any other core may precede the chain after a fence.
static void after_a_fence(void **state)
{
    (void)state;
    expect_operands(
        &(struct form){LOADS_MEET, .before = DELAY("WAIT") "membar.gl;", .others = OTHERS_LOAD},
        LANES, 0, 0, 2, 0);
}

// An acquire is complete before the chain's first load.
static void after_an_acquire(void **state)
{
    (void)state;
    expect_operands(&(struct form){LOADS_MEET,
                                   .before = DELAY("WAIT") "ld.acquire.gpu.global.u32 %r6, [%d3];",
                                   .others = OTHERS_LOAD},
                    LANES, 0, 0, 2, 0);
}

// A barrier of the CTA orders accesses of its own core only.
static void after_a_barrier(void **state)
{
    (void)state;
    expect_operands(
        &(struct form){LOADS_MEET, .before = DELAY("WAIT") "bar.sync 0;", .others = OTHERS_LOAD},
        LANES, 1, 1, 0, 0);
}

// The second warp comes when the first one's chain has brought the lines.
static void lines_are_brought(void **state)
{
    (void)state;
    static const char before[] =
        "setp.lt.u32 %p2, %r3, 32;\n@%p2 bra FORM;\n" DELAY("WAIT") "FORM:\n";
    expect_operands(&(struct form){LOADS_MEET, .before = before}, 2 * LANES, 1, 1, 0, 2);
}

// The chain of the first warp has stored to the line that the second one loads instead of b.
static void after_a_chain(void **state)
{
    (void)state;
    static const char before[] = DELAY("WAIT") "setp.lt.u32 %p2, %r3, 32;\n@%p2 bra FORM;\n" DELAY(
        "CHAIN") "mov.u64 %d2, %d3; add.u64 %d3, %d3, 8192;\nFORM:\n";
    static const char others[] = "ld.param.u64 %d3, [p3]; cvta.to.global.u64 %d3, %d3;\n"
                                 "ld.global.u32 %r8, [%d3];\n" OTHERS_LOAD;
    const struct form form = {.shape = {side_by_side, side_by_side, side_by_side},
                              .line = {5, 14, 22},
                              .before = before,
                              .others = others};
    struct seen seen = run_twice(&form, 2 * LANES, KEY);
    expect_number("hits", seen.hits, 3);
    expect_number("old", seen.old, 1);
    offload_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_in_the_l1),   cmocka_unit_test(after_a_store),
        cmocka_unit_test(after_an_atomic),   cmocka_unit_test(after_a_fence),
        cmocka_unit_test(after_an_acquire),  cmocka_unit_test(after_a_barrier),
        cmocka_unit_test(lines_are_brought), cmocka_unit_test(after_a_chain)};
    return cmocka_run_group_tests_name("offload_l1", tests, NULL, NULL);
}
