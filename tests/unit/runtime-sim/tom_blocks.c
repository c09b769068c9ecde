// Offloading of blocks to memory stacks: decisions, conditions, the route of a block, and its
// results.
#include "tests/unit/runtime-sim/tom_fixture.h"

// Decisions

// Condition, busy channels, tag, room: 64 rows, of which ctrl offloads 9 and no-ctrl 32.
static void decisions(void **state)
{
    (void)state;
    uint32_t ctrl = 0, no_ctrl = 0, ideal = 0;
    for (uint32_t row = 0; row < 64; row++) {
        struct tom_decision_inputs q = {.policy = TOM_CTRL,
                                        .condition = row & 1,
                                        .busy_tx = row & 2,
                                        .busy_rx = row & 4,
                                        .saves = row >> 3 & 3,
                                        .pending = row & 32 ? 48 : 47,
                                        .limit = 48};
        bool tx = q.busy_tx && !(q.saves & TOM_SAVES_TX);
        bool rx = q.busy_rx && !(q.saves & TOM_SAVES_RX);
        enum tom_decision expected = !q.condition ? TOM_CONDITION_FALSE
                                     : tx         ? TOM_BUSY_TX
                                     : rx         ? TOM_BUSY_RX
                                     : row & 32   ? TOM_FULL
                                                  : TOM_OFFLOAD;
        assert_int_equal(answer(&q), expected);
        ctrl += expected == TOM_OFFLOAD;
        q.policy = TOM_NO_CTRL;
        no_ctrl += answer(&q) == TOM_OFFLOAD;
        q.policy = TOM_IDEAL;
        ideal += answer(&q) == TOM_OFFLOAD;
    }
    assert_int_equal(ctrl, 9);
    assert_int_equal(no_ctrl, 32);
    assert_int_equal(ideal, 32);
}

// Conditions

static bool name_of(void *context, const char *name, size_t length, struct condition_op *to)
{
    (void)context;
    *to = (struct condition_op){.kind = *name == '[' ? CONDITION_PARAMETER : CONDITION_REGISTER,
                                .place = (uint32_t)name[length - 1]};
    return name[0] == '[' || name[0] == '%';
}

// %a is 10, %b is -3; parameters are 100.
static int64_t read_name(void *context, const struct condition_op *op)
{
    (void)context;
    return op->kind == CONDITION_PARAMETER ? 100 : op->place == 'a' ? 10 : -3;
}

static void conditions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"%a", 10},
        {"-%a + 3 * %b", -19},
        {"(%a - %b) / 4", 3},
        {"%b / 2", -1},
        {"7 / (%a - 10)", 0},
        {"max([k_param_4] - %a, 1)", 90},
        {"max(min(%a, %b), -2)", -2},
        {"if(lt(%a, %b), 5, shl(1, 4))", 16},
        {"u8(%b) + s8(200)", 253 - 56},
        {"rem(%b, 2) + shr(-8, 1) + and(12, 10) + or(1, 2) + xor(7, 5)", -1 - 4 + 8 + 3 + 2},
        {"eq(%a, 10) + ne(%a, 10) + le(1, 1) + gt(1, 1) + ge(2, 1)", 3},
        {"u32(-1)", 4294967295},
        {"9223372036854775807 + 1", INT64_MIN},
    };
    static const char *const bad[] = {"", "%a +", "(%a", "max(%a)", "%a %b", "x", "min(%a, %b, 1)"};
    struct memory memory = {0};
    struct arena arena;
    struct condition condition;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    for (uint32_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(condition_compile(&condition, &arena, good[i].text, name_of, NULL));
        assert_true(condition_value(&condition, read_name, NULL) == good[i].value);
    }
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(condition_compile(&condition, &arena, bad[i], name_of, NULL));
    arena_free(&arena);
}

// One warp: 10 cycles to form the packet, its flits on the link, and the link's latency.
static void sequence(void **state)
{
    (void)state;
    static struct block_rig b;
    uint64_t cycles = 0;
    for (uint32_t pipeline = 10; pipeline <= 50; pipeline += 40) {
        build(&b, SETTINGS(CTRL, pipeline == 10 ? "tom.pipeline=10" : "tom.pipeline=50"));
        uint64_t found = run(&b, "plain", 1, 32, 20, 32);
        const struct tom_block_instance *first = &b.tom->runs[0];
        uint64_t flits = (b.table.blocks.v[0].bytes_in + 15) / 16;
        assert_int_equal(b.tom->stats.returned, 1);
        assert_int_equal(b.tom->stacks->total.tx_offload, flits);
        // Clocks of the link are 1.25 GHz, cycles 1.4 GHz: 28 parts and 25 parts of time.
        uint64_t sent = (first->since * 25 + 27) / 28, arrived = sent + (flits + 3) / 4 + 8;
        assert_int_equal(first->ready, arrived * 28 / 25 + 1);
        // The number of iterations is the last result in front of the loop.
        assert_in_range(b.tom->stats.decision_cycles, 1, 10);
        assert_int_equal(b.tom->stats.queue_cycles, 0);
        assert_true(pipeline == 10 || (found > cycles + 35 && found < cycles + 45));
        cycles = found;
        check(&b, "plain", 1, 32, 20, 32);
        rig_free(&b.r);
    }
}

// The block restarts from its beginning, with the old registers; without room it continues.
static void ahead(void **state)
{
    (void)state;
    static struct block_rig b;
    build(&b, SETTINGS(CTRL));
    run(&b, "ahead", 2, 64, 20, 64);
    assert_int_equal(b.tom->stats.ahead, 4);
    assert_int_equal(b.tom->stats.returned, 4);
    double twice = rig_stat(&b.r, "machine.warp_instructions");
    check(&b, "ahead", 2, 64, 20, 64);
    rig_free(&b.r);
    build(&b, SETTINGS(CTRL, "core.warps=1", "core.threads=32"));
    run(&b, "ahead", 60, 32, 20, 32);
    uint64_t full = b.tom->stats.full;
    assert_int_equal(b.tom->stats.ahead, 60);
    assert_true(full > 0 && b.tom->stats.offloaded == 60 - full);
    double some = rig_stat(&b.r, "machine.warp_instructions");
    uint64_t offloaded = b.tom->stats.offloaded;
    check(&b, "ahead", 60, 32, 20, 32);
    rig_free(&b.r);
    build(&b, SETTINGS("tom.policy=baseline"));
    run(&b, "ahead", 2, 64, 20, 64);
    assert_true(twice - rig_stat(&b.r, "machine.warp_instructions") == 4 * 2); // two additions
    rig_free(&b.r);
    build(&b, SETTINGS("tom.policy=baseline"));
    run(&b, "ahead", 60, 32, 20, 32);
    assert_true(some - rig_stat(&b.r, "machine.warp_instructions") == (double)offloaded * 2);
    rig_free(&b.r);
}

// At most 48 blocks per stack; without control they wait there.
static void pending(void **state)
{
    (void)state;
    static struct block_rig b;
    build(&b, SETTINGS(CTRL));
    run(&b, "plain", 60, 256, 8, 256);
    assert_int_equal(b.tom->stats.most_pending, 48);
    assert_true(b.tom->stats.full > 0);
    assert_int_equal(b.tom->stats.offloaded + b.tom->stats.full, 480);
    check(&b, "plain", 60, 256, 8, 256);
    rig_free(&b.r);
    build(&b, SETTINGS("tom.policy=tom-no-ctrl"));
    run(&b, "plain", 60, 256, 8, 256);
    assert_true(b.tom->stats.most_pending > 48);
    assert_int_equal(b.tom->stats.offloaded, 480);
    assert_true(b.tom->stats.queue_cycles > 0);
    check(&b, "plain", 60, 256, 8, 256);
    rig_free(&b.r);
}

// Some lanes are in the block; the others keep their registers and memory.
static void masks(void **state)
{
    (void)state;
    static struct block_rig b;
    static const uint32_t lanes[] = {7, 1, 0};
    for (uint32_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        build(&b, SETTINGS(CTRL));
        run(&b, "plain", 1, 32, 20, lanes[i]);
        assert_int_equal(b.tom->stats.returned, lanes[i] > 0);
        check(&b, "plain", 1, 32, 20, lanes[i]);
        rig_free(&b.r);
    }
}

// No cache of the GPU has lines that a block has written when the warp continues.
static void coherence(void **state)
{
    (void)state;
    static struct block_rig b;
    build(&b, SETTINGS(CTRL));
    run(&b, "plain", 1, 32, 20, 32);
    assert_int_equal(b.tom->stats.lines_written, 20);
    assert_int_equal(b.tom->stats.bytes_out, b.table.blocks.v[0].bytes_out + 6 * 20);
    rig_free(&b.r);
    build(&b, SETTINGS(CTRL, "tom.invalidate=none"));
    run(&b, "plain", 1, 32, 20, 32);
    assert_int_equal(b.tom->stats.lines_written, 0);
    assert_int_equal(b.tom->stacks->total.rx_coherence, 0);
    rig_free(&b.r);
}

// Counts of the analyzer, from the addresses of each warp. Instances in the GPU count as well.
static void analyzer(void **state)
{
    (void)state;
    static struct block_rig b;
    enum { GRID = 40, ROUNDS = 20 };
    for (uint32_t home = 0; home < 2; home++) {
        struct map_stats expected = {0};
        build(&b, SETTINGS(CTRL, home ? "core.warps=1" : "core.warps=48", "core.threads=32"));
        run(&b, "plain", GRID, 32, ROUNDS, 32);
        uint64_t first[2];
        memcpy(first, b.r.k.params, sizeof first);
        for (uint64_t warp = 0; warp < GRID; warp++) {
            uint32_t sets[MAP_PAIRS] = {0};
            for (uint64_t i = 0; i < 2 * ROUNDS; i++) {
                uint64_t address = first[i % 2] + (i / 2 * GRID + warp) * 128;
                for (uint32_t pair = 0; pair < MAP_PAIRS; pair++) {
                    sets[pair] |= 1U << (address >> (7 + pair) & 3);
                    (&expected.home_7)[pair] +=
                        (address >> (7 + pair) & 3) == ((first[0] + warp * 128) >> (7 + pair) & 3);
                }
            }
            for (uint32_t pair = 0; pair < MAP_PAIRS; pair++) {
                (&expected.one_7)[pair] += __builtin_popcount(sets[pair]) == 1;
                (&expected.stacks_7)[pair] += (uint64_t)__builtin_popcount(sets[pair]);
            }
        }
        assert_int_equal(b.tom->stats.offloaded + b.tom->stats.full, GRID);
        assert_int_equal(b.tom->map.instances, GRID);
        assert_int_equal(b.tom->map.accesses, GRID * 2 * ROUNDS);
        for (uint32_t pair = 0; pair < MAP_PAIRS; pair++) {
            assert_int_equal((&b.tom->map.one_7)[pair], (&expected.one_7)[pair]);
            assert_int_equal((&b.tom->map.stacks_7)[pair], (&expected.stacks_7)[pair]);
            assert_int_equal((&b.tom->map.home_7)[pair], (&expected.home_7)[pair]);
        }
        assert_int_equal(MAP_BITS * 48, 1920);
        rig_free(&b.r);
    }
}

// Two streams at a distance: instances with both in one stack, of 16, under each pair. For a
// distance of 2^M all pairs below are perfect, and the lowest is the best.
static void best_pair(void **state)
{
    (void)state;
    static const struct {
        uint64_t distance;
        uint32_t one[MAP_PAIRS];
    } rows[] = {
        {1 << 12, {16, 16, 16, 16, 0, 0, 8, 12, 14, 15}},
        {1 << 14, {16, 16, 16, 16, 16, 16, 0, 0, 8, 12}},
        {3 << 12, {16, 16, 16, 16, 0, 0, 0, 4, 10, 13}},
    };
    enum { LINES = 1 << 13 };
    for (uint32_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct map_stats stats = {0};
        struct map_instance instance = {0};
        for (uint64_t line = 0; line < LINES; line++) {
            map_note(&stats, &instance, line * 128, 0);
            map_note(&stats, &instance, line * 128 + rows[row].distance, 0);
            map_end(&stats, &instance);
        }
        map_end(&stats, &instance); // without accesses
        map_settle(&stats, MAP_ONE, 12);
        assert_int_equal(stats.instances, LINES);
        for (uint32_t pair = 0; pair < MAP_PAIRS; pair++)
            assert_int_equal((&stats.one_7)[pair], rows[row].one[pair] * (LINES / 16));
        assert_int_equal(stats.best_bit, 7);
        assert_int_equal(stats.one_best, LINES);
        assert_int_equal(stats.one_chosen, rows[row].one[5] * (LINES / 16));
    }
}

// Counts for which the three metrics choose three pairs; of equal ones the lowest.
static void metrics(void **state)
{
    (void)state;
    struct map_stats stats = {.instances = 10};
    for (uint32_t pair = 0; pair < MAP_PAIRS; pair++) {
        (&stats.one_7)[pair] = pair == 2 || pair == 5 ? 6 : 5;
        (&stats.stacks_7)[pair] = pair == 3 || pair == 8 ? 15 : 16;
        (&stats.home_7)[pair] = pair == 4 || pair == 6 ? 21 : 20;
    }
    assert_int_equal(map_best(&stats, MAP_ONE), 9);
    assert_int_equal(map_best(&stats, MAP_FEWEST), 10);
    assert_int_equal(map_best(&stats, MAP_HOME), 11);
    stats.home_12 = 22; // decides between the two pairs with the most instances
    assert_int_equal(map_best(&stats, MAP_ONE), 12);
    map_settle(&stats, MAP_FEWEST, 0);
    assert_int_equal(stats.best_bit, 10);
    assert_int_equal(stats.best_bit_one, 12);
    assert_int_equal(stats.best_bit_stacks, 10);
    assert_int_equal(stats.best_bit_home, 12);
    assert_int_equal(stats.one_best, 5);
    assert_int_equal(stats.one_chosen, 0);
    stats.instances = 0;
    assert_int_equal(map_best(&stats, MAP_ONE), 0);
}

// After 48 instances all cores stop; allocations of candidate blocks get the new mapping, others
// keep theirs; the contents of memory do not change.
static void learning(void **state)
{
    (void)state;
    static struct block_rig b;
    uint64_t cycles = 0;
    for (uint64_t seed = 0; seed < 2; seed++) {
        build(&b, SETTINGS(CTRL, "tom.map=tmap", "core.warps=8", "core.threads=256"));
        b.r.shuffle = seed;
        kernel_buffer(&b.r.k, 4096);
        b.r.k.param_bytes = 0;
        uint64_t found = run(&b, "plain", 240, 256, 6, 256);
        assert_int_equal(b.tom->learning.phase, LEARN_NOT);
        assert_in_range(b.tom->stats.learning_cycles, 1000, found);
        assert_true(b.tom->stats.stopped_cycles > 0);
        assert_true(b.tom->map.instances > 48);
        assert_int_equal(b.tom->stats.ranges_mapped, 2);
        assert_true(b.tom->stats.offloaded > 0);
        uint64_t first[2], before;
        memcpy(first, b.r.k.params, sizeof first);
        before = first[0] - 4096 - 256;
        for (uint32_t i = 0; i < 2; i++) {
            const struct partition_range *range = partition_range_of(&b.tom->stacks->map, first[i]);
            assert_int_equal(range->rule, PARTITION_MODULO);
            assert_int_equal(range->last - range->first + 1, LIMIT * 4);
        }
        assert_int_equal(partition_range_of(&b.tom->stacks->map, before)->rule, PARTITION_XOR);
        assert_true(!seed || found == cycles);
        cycles = found;
        if (!seed)
            check(&b, "plain", 240, 256, 6, 256);
        rig_free(&b.r);
    }
}

// The storage of [002 §6.6].
static void storage(void **state)
{
    (void)state;
    assert_int_equal(TOM_ENTRY_BITS * 40, 10320);
    assert_int_equal(MAP_BITS * 48, 1920);
    assert_int_equal(TOM_ALLOCATION_BITS * 100, 9700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions), cmocka_unit_test(conditions), cmocka_unit_test(sequence),
        cmocka_unit_test(ahead),     cmocka_unit_test(pending),    cmocka_unit_test(masks),
        cmocka_unit_test(coherence), cmocka_unit_test(storage),    cmocka_unit_test(analyzer),
        cmocka_unit_test(best_pair), cmocka_unit_test(learning),   cmocka_unit_test(metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
