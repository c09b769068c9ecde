// Offloading of blocks beyond the paper: controls of our own, forced places, live-ins that are sent
// once, ages of lines.
#include "tests/unit/runtime-sim/tom_fixture.h"
#include <math.h>

// Our own controls are ctrl plus another reason to stay; a forced place overrides all.
static void own_decisions(void **state)
{
    (void)state;
    for (uint32_t row = 0; row < 64; row++) {
        struct tom_decision_inputs q = {.condition = row & 1,
                                        .busy_tx = row & 2,
                                        .busy_rx = row & 4,
                                        .saves = row >> 3 & 3,
                                        .pending = row & 32 ? 48 : 47,
                                        .limit = 48};
        q.policy = TOM_CTRL;
        enum tom_decision ctrl = answer(&q);
        for (uint32_t more = 0; more < 8; more++) {
            q.sm_busy = more & 1;
            q.much_alu = more & 2;
            q.slower = more & 4;
            q.place = TOM_ANYWHERE;
            q.policy = TOM_ALU;
            bool stays = q.sm_busy && q.much_alu;
            assert_int_equal(answer(&q), ctrl == TOM_OFFLOAD && stays ? TOM_BUSY_SM : ctrl);
            q.policy = TOM_MEASURED;
            stays = q.slower && (ctrl == TOM_OFFLOAD || ctrl == TOM_FULL);
            assert_int_equal(answer(&q), stays ? TOM_SLOWER : ctrl);
            q.policy = TOM_CTRL;
            assert_int_equal(answer(&q), ctrl);
            q.place = TOM_AT_CORE;
            assert_int_equal(answer(&q), TOM_PLACED);
            q.place = TOM_AT_STACK;
            assert_int_equal(answer(&q), TOM_OFFLOAD);
        }
    }
}

#define COUNT(member) ((double)b.tom->stats.member)

// Forced places: the first kernel's block has number …, from the table.
static void places(void **state)
{
    (void)state;
    static struct block_rig b;
    char at_core[64], at_stack[64];
    build(&b, SETTINGS(CTRL));
    uint32_t number = b.table.blocks.v[0].number;
    assert_true(b.table.blocks.v[1].number >= 1000); // of the second kernel
    rig_free(&b.r);
    snprintf(at_core, sizeof at_core, "tom.at_core=[%u]", number);
    snprintf(at_stack, sizeof at_stack, "tom.at_stack=[%u]", number);
    build(&b, SETTINGS("tom.policy=tom-no-ctrl", at_core));
    run(&b, "plain", 4, 64, 20, 64);
    assert_int_equal(b.tom->stats.offloaded, 0);
    assert_int_equal(b.tom->stats.placed, 8);
    assert_int_equal(b.tom->times[0].stats.home, 8);
    assert_true(b.tom->times[0].stats.home_cycles == b.tom->stats.home_cycles);
    check(&b, "plain", 4, 64, 20, 64);
    rig_free(&b.r);
    // One iteration is too few for its condition.
    build(&b, SETTINGS(CTRL, at_stack));
    run(&b, "plain", 4, 64, 1, 64);
    assert_int_equal(b.tom->stats.offloaded, 8);
    assert_int_equal(b.tom->times[0].stats.away, 8);
    assert_int_equal(b.tom->times[0].stats.iterations, 8);
    check(&b, "plain", 4, 64, 1, 64);
    rig_free(&b.r);
}

#define MEASURED "tom.policy=tom-measured", "tom.drain=warp", "memory.cores=12"
// Makes stacks slow: one line in flight for all of their warps.
#define SLOW_STACKS "tom.sm_mshrs=1"
// Makes the GPU slow.
#define SLOW_GPU "stack.link_latency=1000"

static const struct tom_window *window_of_first(const struct block_rig *b)
{
    return &b->tom->times[0].window;
}

// tom-measured uses the faster place, and sometimes tries the other one.
static void measured(void **state)
{
    (void)state;
    static struct block_rig b;
    for (uint32_t slow = 0; slow < 2; slow++) {
        build(&b, SETTINGS(MEASURED, slow ? SLOW_STACKS : SLOW_GPU));
        run(&b, "plain", 1000, 64, 7, 64);
        const struct tom_block_stats *stats = &b.tom->times[0].stats;
        assert_int_equal(stats->home + stats->away, 2000);
        assert_true(slow ? stats->home > 3 * stats->away : stats->away > 3 * stats->home);
        assert_true(window_of_first(&b)->mean > 0 && b.tom->stats.offloaded > 0);
        assert_int_equal(b.tom->stats.offloaded, stats->away + b.tom->stats.came_back);
        assert_int_equal(window_of_first(&b)->outside, 0);
        assert_int_equal(window_of_first(&b)->begun, 2000);
        check(&b, "plain", 1000, 64, 7, 64);
        rig_free(&b.r);
    }
}

// All warps start at once, before anything is measured; those that stayed follow.
static void follows(void **state)
{
    (void)state;
    static struct block_rig b;
    char at_core[64];
    build(&b, SETTINGS(MEASURED, SLOW_GPU));
    uint64_t cycles = run(&b, "plain", 60, 64, 60, 64);
    const struct tom_block_stats *stats = &b.tom->times[0].stats;
    assert_int_equal(b.tom->stats.asked - b.tom->stats.again, 120);
    assert_true(b.tom->stats.again > 60);
    assert_true(stats->away > 4 * stats->home);
    assert_int_equal(stats->iterations, 120 * 60);
    check(&b, "plain", 60, 64, 60, 64);
    snprintf(at_core, sizeof at_core, "tom.at_core=[%u]", b.table.blocks.v[0].number);
    rig_free(&b.r);
    build(&b, SETTINGS(MEASURED, SLOW_GPU, at_core));
    assert_true(run(&b, "plain", 60, 64, 60, 64) > 3 * cycles / 2);
    assert_int_equal(b.tom->stats.offloaded, 0);
    rig_free(&b.r);
}

// Too many warps go to slow stacks at once; they return with their partial results, and the launch
// takes hardly longer than in the GPU alone.
static void comes_back(void **state)
{
    (void)state;
    static struct block_rig b;
    char at_core[64];
    static const char *const kernels[] = {"plain", "ahead"};
    for (uint32_t i = 0; i < 2; i++) {
        build(&b, SETTINGS(MEASURED, SLOW_STACKS, "tom.window=48"));
        uint64_t cycles = run(&b, kernels[i], 60, 64, 60, 50);
        const struct tom_block_stats *stats = &b.tom->times[i].stats;
        assert_true(b.tom->stats.came_back > 20);
        assert_int_equal(b.tom->stats.returned, b.tom->stats.offloaded);
        assert_int_equal(stats->home + stats->away, 120);
        assert_true(stats->home > 100);
        check(&b, kernels[i], 60, 64, 60, 50);
        snprintf(at_core, sizeof at_core, "tom.at_core=[%u]", b.table.blocks.v[i].number);
        rig_free(&b.r);
        build(&b, SETTINGS(MEASURED, SLOW_STACKS, at_core));
        assert_true(cycles < 11 * run(&b, kernels[i], 60, 64, 60, 50) / 10);
        rig_free(&b.r);
    }
}

// Each failure doubles the pause: of 2,000 instances with 14,000 iterations hardly any is lost to
// trials, and more with pauses that start at one iteration.
static void tries(void **state)
{
    (void)state;
    static struct block_rig b;
    uint64_t tried[2];
    for (uint32_t i = 0; i < 2; i++) {
        build(&b, SETTINGS(MEASURED, SLOW_STACKS, "tom.pipeline=1000",
                           i ? "tom.pause=1" : "tom.pause=1000"));
        run(&b, "plain", 1000, 64, 7, 64);
        tried[i] = b.tom->stats.offloaded;
        assert_true(tried[i] >= 4 && tried[i] <= 4 + 2 * 14); // log2(14000) pauses
        assert_true(window_of_first(&b)->evaluated);
        rig_free(&b.r);
    }
    assert_true(tried[1] > tried[0]);
}

// A block without a loop, with eight loads of other lines.
static const char flat[] =
    HEAD("7.0", "sm_70") ENTRY("flat", "@%p1 bra OUT;\n"
                                       "ld.global.f32 %f1, [%d1]; add.f32 %f3, %f3, %f1;\n"
                                       "ld.global.f32 %f1, [%d1+131072]; add.f32 %f3, %f3, %f1;\n"
                                       "ld.global.f32 %f1, [%d1+262144]; add.f32 %f3, %f3, %f1;\n"
                                       "ld.global.f32 %f1, [%d1+393216]; add.f32 %f3, %f3, %f1;\n"
                                       "ld.global.f32 %f1, [%d1+524288]; add.f32 %f3, %f3, %f1;\n"
                                       "ld.global.f32 %f1, [%d1+655360]; add.f32 %f3, %f3, %f1;\n"
                                       "ld.global.f32 %f1, [%d1+786432]; add.f32 %f3, %f3, %f1;\n"
                                       "ld.global.f32 %f1, [%d1+917504]; add.f32 %f3, %f3, %f1;\n"
                                       "st.global.f32 [%d2], %f3;\nOUT:\n");

// All 128 warps start a block without a loop at once. The number that leaves before the first
// result is the share that makes both places end at the same time: by issue slots with wide links,
// by the words of the block with narrow ones, and at most as many as stay.
static void first_share(void **state)
{
    (void)state;
    static struct block_rig b;
    static const struct {
        const char *setting;
        double gbps;
    } links[] = {{"stack.link_gbps=10000", 10000}, {"stack.link_gbps=20", 20}};
    for (uint32_t i = 0; i < 2; i++) {
        build_with(&b, flat,
                   SETTINGS(MEASURED, "stack.link_latency=10000", "tom.busy=100", "tom.pipeline=0",
                            links[i].setting),
                   schemes);
        const struct tom_block *block = &b.table.blocks.v[0];
        const double bytes = block->words * 4, clock = 1400 / 1e3;
        assert_false(block->loops);
        run(&b, "flat", 64, 64, 1, 64);
        double home = fmax(block->instructions / 8.0, bytes / (4 * links[i].gbps / clock));
        double away = fmax(block->instructions / 4.0, bytes / (4 * 160 / clock));
        double share = fmin(home / (home + away), 0.5);
        uint64_t max = (uint64_t)(128 * share);
        assert_in_range(window_of_first(&b)->tried, max, max + 1);
        assert_int_equal(b.tom->stats.offloaded, window_of_first(&b)->tried);
        rig_free(&b.r);
    }
}

// tom-alu keeps a block with much arithmetic while its stack's SM issues in most cycles.
static void arithmetic(void **state)
{
    (void)state;
    static struct block_rig b;
    for (uint32_t share = 0; share <= 100; share += 100) {
        build(&b, SETTINGS("tom.policy=tom-alu", "tom.alu_busy=10",
                           share ? "tom.alu_share=100" : "tom.alu_share=0", "tom.busy=100",
                           "memory.cores=12"));
        run(&b, "plain", 1000, 64, 7, 64);
        assert_true(share ? !b.tom->stats.busy_sm : b.tom->stats.busy_sm > 0);
        assert_true(COUNT(offloaded) + COUNT(busy_sm) + COUNT(full) + COUNT(busy_tx) +
                        COUNT(busy_rx) ==
                    2000);
        check(&b, "plain", 1000, 64, 7, 64);
        rig_free(&b.r);
    }
}

// Uniform live-ins are sent once. The two addresses differ between the lanes; the sum, the count
// and the distance do not: three of 128 bytes, or two and one of 256.
static void sent_once(void **state)
{
    (void)state;
    static struct block_rig b;
    build(&b, SETTINGS(CTRL, "tom.live_ins=once"));
    run(&b, "plain", 1, 32, 20, 32);
    const struct tom_block *block = &b.table.blocks.v[0];
    uint64_t all = 0, varying = 0;
    for (uint32_t i = 0; i < block->in.n; i++)
        all += block->in.v[i].bytes;
    assert_int_equal(block->bytes_in, 16 + 12 + all);
    for (uint32_t i = 0; i < block->in.n; i++) // %d1, %d2
        varying += block->in.v[i].bytes == 256 ? 1 : 0;
    assert_true(varying >= 2);
    assert_int_equal(b.tom->stats.sent_once, block->in.n - 2);
    uint64_t rest = all - 2 * 256;
    assert_int_equal(b.tom->stats.bytes_in, 16 + 12 + 2 * 256 + rest / 32 + (block->in.n + 7) / 8);
    check(&b, "plain", 1, 32, 20, 32);
    rig_free(&b.r);
}

// With epochs a block does not affect the lines of others; it has the same results.
static void epochs(void **state)
{
    (void)state;
    static struct block_rig b;
    uint64_t cycles[2];
    for (uint32_t epoch = 0; epoch < 2; epoch++) {
        build(&b, SETTINGS(CTRL, epoch ? "tom.invalidate=epoch" : "tom.invalidate=sm",
                           "stack.tlb_entries=0"));
        cycles[epoch] = run(&b, "plain", 60, 64, 20, 64);
        assert_true(epoch ? !b.tom->stats.lines_lost : b.tom->stats.lines_lost > 0);
        check(&b, "plain", 60, 64, 20, 64);
        rig_free(&b.r);
    }
    assert_true(cycles[1] <= cycles[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_decisions), cmocka_unit_test(places),     cmocka_unit_test(measured),
        cmocka_unit_test(follows),       cmocka_unit_test(comes_back), cmocka_unit_test(tries),
        cmocka_unit_test(first_share),   cmocka_unit_test(arithmetic), cmocka_unit_test(sent_once),
        cmocka_unit_test(epochs),
    };
    return cmocka_run_group_tests_name("tom_control", tests, NULL, NULL);
}
