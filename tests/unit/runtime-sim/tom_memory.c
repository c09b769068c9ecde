// Learning of a mapping, seen cycle by cycle; coherence between the GPU and the stacks; energy.
#include "runtime-sim/memsys/memsys_state.h"
#include "tests/unit/runtime-sim/tom_fixture.h"

// Learning

// A scheme that observes the others in each cycle, after their ticks.
struct learning_observer {
    struct tom *tom;
    enum tom_phase phase;
    uint64_t instances, stopped; // in the cycle before; cycle in which the cores stopped
    uint64_t issued;             // instructions of all cores then
    uint32_t lines;              // in caches when they go on
};
static struct learning_observer seen;

static uint64_t all_issued(const struct machine *machine)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < machine->count; i++)
        sum += machine->cores[i].stats.warp_instructions;
    return sum;
}

static uint32_t lines_of(const struct cache *cache)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < cache->config->sets * cache->config->ways; i++)
        count += cache->places[i].tag != 0;
    return count;
}

static uint32_t all_lines(const struct machine *machine)
{
    const struct memsys *memsys = machine->shared.memsys;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < machine->count; i++)
        sum += lines_of(&machine->cores[i].l1);
    for (uint32_t i = 0; i < memsys->partition_count; i++)
        sum += lines_of(&memsys->partitions[i].cache);
    return sum;
}

static void watch(struct machine *machine, void *state)
{
    struct tom *tom = machine_scheme(machine, &tom_blocks);
    (void)state;
    if (seen.phase == LEARN_RUNNING && tom->learning.phase != LEARN_RUNNING) {
        assert_in_range(seen.instances, 0, 47);
        assert_true(tom->map.instances >= 48);
        seen.stopped = machine->now;
        seen.issued = all_issued(machine);
    } else if (seen.phase > LEARN_RUNNING) {
        assert_int_equal(all_issued(machine), seen.issued);
        if (tom->learning.phase == LEARN_NOT)
            seen.lines = all_lines(machine);
    }
    seen.phase = tom->learning.phase;
    seen.instances = tom->map.instances;
}

static uint64_t watch_next(const struct machine *machine, const void *state)
{
    (void)state;
    return machine->now + 1;
}

static const struct scheme_ops watching = {.name = "watcher",
                                           .memory = {.tick = watch, .next = watch_next}};

// After the 48th instance all cores stop in one cycle, and continue with empty caches.
static void learning(void **state)
{
    (void)state;
    static struct block_rig b;
    enum { KNOWN = 16 };
    const struct scheme_ops *known[KNOWN] = {0};
    uint32_t count = 0;
    for (; schemes[count]; count++)
        known[count] = schemes[count];
    assert_true(count + 1 < KNOWN);
    known[count] = &watching;
    seen = (struct learning_observer){0};
    build_with(&b, text,
               SETTINGS("tom.policy=tom-ctrl", "tom.map=tmap", "core.warps=8", "core.threads=256"),
               known);
    run(&b, "plain", 240, 256, 6, 256);
    assert_int_equal(seen.phase, LEARN_NOT);
    assert_int_equal(seen.stopped, b.tom->stats.learning_cycles);
    assert_true(seen.stopped > 0);
    assert_int_equal(seen.lines, 0);
    check(&b, "plain", 240, 256, 6, 256);
    rig_free(&b.r);
}

// The number of instances to learn from, derived from those that a functional run has counted.
static void share(void **state)
{
    (void)state;
    static struct block_rig b;
    static const uint64_t cases[][2] = {{0, 48},     {48, 48},        {48000, 48},
                                        {48001, 49}, {49000, 49},     {49001, 50},
                                        {100, 48},   {1000000, 1000}, {2304000, 2304}};
    build(&b, SETTINGS("tom.policy=tom-ctrl", "tom.map=tmap"));
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        b.table.rehearsal->map.instances = cases[i][0];
        tom_map_begin(b.tom);
        assert_int_equal(b.tom->learning.instances, cases[i][1]);
    }
    rig_free(&b.r);
    build(&b, SETTINGS("tom.policy=tom-ctrl", "tom.map=tmap", "tom.learn_instances=7"));
    b.table.rehearsal->map.instances = 1000000;
    tom_map_begin(b.tom);
    assert_int_equal(b.tom->learning.instances, 7);
    rig_free(&b.r);
}

// Coherence

// Before the block, the warp reads the words that the block writes, and after it again.
#define REREAD                                                                                     \
    "mov.u64 %d5, %d2; ld.global.f32 %f4, [%d2]; add.f32 %f3, %f3, %f4;\n" LOOP(                   \
        "") "ld.global.f32 %f5, [%d5]; add.f32 %f5, %f5, 0f40000000; st.global.f32 [%d5], %f5;\n"

// Two blocks of a warp; the second one reads the results of the first. They start in any stacks.
#define TWICE                                                                                      \
    "mov.u64 %d5, %d2; mov.u64 %d6, %d1;\n" LOOP(                                                  \
        "") "mov.u32 %r9, %r4;\nM: ld.global.f32 %f6, [%d5]; add.f32 %f7, %f7, %f6;\n"             \
            "st.global.f32 [%d6], %f7; add.u64 %d5, %d5, %d3; add.u64 %d6, %d6, %d3;\n"            \
            "sub.u32 %r9, %r9, 1; setp.ne.u32 %p3, %r9, 0; @%p3 bra M; st.global.f32 [%d2], "      \
            "%f7;\n"

// The warp writes words that the block reads.
#define OWN "mov.f32 %f6, 0f40A00000; st.global.f32 [%d1], %f6;\n" LOOP("")

static const char coherent[] =
    HEAD("7.0", "sm_70") ENTRY("reread", REREAD) ENTRY("twice", TWICE) ENTRY("own", OWN);

// Memory has the same contents as without blocks, and lines that a block has written are dropped
// from L1 and L2.
static void coherence(void **state)
{
    (void)state;
    static struct block_rig plain, b;
    static const char *const kernels[] = {"reread", "twice", "own"};
    static const char *const ways[] = {"tom.invalidate=sm", "tom.invalidate=epoch"};
    for (uint32_t i = 0; i < 3; i++) {
        build_with(&plain, coherent, SETTINGS("tom.policy=baseline"), schemes);
        run(&plain, kernels[i], 8, 64, 20, 64);
        for (uint32_t way = 0; way < 2; way++) {
            build_with(&b, coherent, SETTINGS("tom.policy=tom-no-ctrl", ways[way]), schemes);
            run(&b, kernels[i], 8, 64, 20, 64);
            assert_memory_equal(plain.a, b.a, LIMIT * 4);
            assert_memory_equal(plain.b, b.b, LIMIT * 4);
            assert_int_equal(b.tom->stats.offloaded, i == 1 ? 32 : 16);
            assert_int_equal(b.tom->stats.lines_written, b.tom->stats.offloaded * 20);
            // Each warp had read the first of the lines, and the L2 has it, too.
            assert_true(i || (b.tom->stats.dropped_l1 == 16 && b.tom->stats.dropped_l2 >= 16));
            rig_free(&b.r);
        }
        rig_free(&plain.r);
    }
}

// Of a kernel with two blocks, the less useful one is left out and named.
static void table_is_full(void **state)
{
    (void)state;
    static struct block_rig b;
    build_with(&b, coherent, SETTINGS("tom.policy=tom-ctrl", "tom.metadata_entries=1"), schemes);
    assert_int_equal(b.table.blocks.n, 3); // one of each kernel
    assert_int_equal(b.table.left_out, 1);
    assert_non_null(strstr(b.table.reasons.v[0], "of 'twice': the metadata table is full"));
    const struct tom_block *kept = NULL;
    for (uint32_t i = 0; i < b.table.blocks.n; i++)
        if (!strcmp(b.table.blocks.v[i].kernel, "twice"))
            kept = &b.table.blocks.v[i];
    assert_non_null(kept);
    rig_free(&b.r);
    build_with(&b, coherent, SETTINGS("tom.policy=tom-ctrl"), schemes);
    assert_int_equal(b.table.blocks.n, 4);
    for (uint32_t i = 0; i < b.table.blocks.n; i++)
        if (!strcmp(b.table.blocks.v[i].kernel, "twice"))
            assert_true(b.table.blocks.v[i].saving <= b.table.blocks.v[1].saving);
    rig_free(&b.r);
}

// Execution ahead over a branch: uniform, or by the thread's number.
#define OVER(what)                                                                                 \
    what "and.b32 %r9, %r7, 1; setp.eq.u32 %p3, %r9, 0; @%p3 bra S; add.f32 %f3, %f3, 0f3F000000;" \
         "\nS:\n"
static const char branches[] =
    HEAD("7.0", "sm_70") ENTRY("together", LOOP(OVER("mov.u32 %r7, %r8;")))
        ENTRY("apart", LOOP(OVER("mov.u32 %r7, %r3;")));

static void ahead_over_branches(void **state)
{
    (void)state;
    static struct block_rig plain, b;
    static const char *const kernels[] = {"together", "apart"};
    for (uint32_t i = 0; i < 2; i++) {
        build_with(&plain, branches, SETTINGS("tom.policy=baseline"), schemes);
        run(&plain, kernels[i], 4, 64, 20, 64);
        build_with(&b, branches, SETTINGS("tom.policy=tom-ctrl"), schemes);
        assert_int_equal(b.table.blocks.n, 2);
        run(&b, kernels[i], 4, 64, 20, 64);
        assert_memory_equal(plain.b, b.b, LIMIT * 4);
        assert_int_equal(b.tom->stats.ahead, 8);
        assert_int_equal(b.tom->stats.offloaded, i ? 0 : 8);
        assert_int_equal(b.tom->stats.diverged, i ? 8 : 0);
        rig_free(&b.r);
        rig_free(&plain.r);
    }
}

// A counter in local memory: a block that has stored it does not start again.
#define COUNTS(name, store)                                                                        \
    ENTRY(name, ".local .b32 count; st.local.u32 [count], 1;\n" LOOP(                              \
                    "ld.local.u32 %r7, [count]; add.u32 %r7, %r7, 3;\n" store                      \
                    "cvt.rn.f32.u32 %f4, %r7; add.f32 %f3, %f3, %f4;\n"))
static const char counters[] =
    HEAD("7.0", "sm_70") COUNTS("loads", "") COUNTS("stores", "st.local.u32 [count], %r7;\n");

static void ahead_over_local_memory(void **state)
{
    (void)state;
    static struct block_rig plain, b;
    static const char *const kernels[] = {"loads", "stores"};
    for (uint32_t i = 0; i < 2; i++) {
        build_with(&plain, counters, SETTINGS("tom.policy=baseline"), schemes);
        run(&plain, kernels[i], 4, 64, 20, 64);
        build_with(&b, counters, SETTINGS("tom.policy=tom-ctrl"), schemes);
        assert_int_equal(b.table.blocks.n, 2);
        run(&b, kernels[i], 4, 64, 20, 64);
        assert_memory_equal(plain.b, b.b, LIMIT * 4);
        assert_int_equal(b.tom->stats.ahead, 8);
        assert_int_equal(b.tom->stats.offloaded, i ? 0 : 8);
        assert_int_equal(b.tom->stats.no_access, i ? 8 : 0);
        rig_free(&b.r);
        rig_free(&plain.r);
    }
}

// A block with a register without a name in the text: the carry flag.
static void carry(void **state)
{
    (void)state;
    static struct block_rig plain, b;
    static const char carries[] = HEAD("7.0", "sm_70")
        ENTRY("carry", LOOP("add.cc.u32 %r9, %r8, %r8; addc.u32 %r10, %r8, 0;"));
    build_with(&plain, carries, SETTINGS("tom.policy=baseline"), schemes);
    run(&plain, "carry", 4, 64, 20, 64);
    build_with(&b, carries, SETTINGS("tom.policy=tom-ctrl"), schemes);
    run(&b, "carry", 4, 64, 20, 64);
    assert_memory_equal(plain.b, b.b, LIMIT * 4);
    assert_int_equal(b.tom->stats.offloaded, 8);
    rig_free(&b.r);
    rig_free(&plain.r);
}

// Energy

// A link of 80 GB/s carries 512 bits in a clock: 1,024 pJ when busy, 768 pJ when idle.
static void energy(void **state)
{
    (void)state;
    static struct block_rig b;
    enum { PJ_BIT = 2, BITS = 512, CROSS_BITS = 256, STACKS = 4 };
    build(&b, SETTINGS("tom.policy=tom-ctrl"));
    run(&b, "plain", 60, 64, 20, 64);
    double busy = rig_stat(&b.r, "stack.offchip_link"), idle = 0, flits = 0;
    static const char *const names[] = {"tx_request", "tx_offload",   "rx_reply",
                                        "rx_ack",     "rx_coherence", "cross"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        flits += rig_stat(&b.r, arena_printf(&b.r.k.arena, "stack.%s", names[i]));
    idle = rig_stat(&b.r, "stack.offchip_link_idle");
    double clocks = (double)memsys_backend_clock(b.r.machine->shared.memsys);
    assert_true(busy == flits * 128);
    assert_true(busy + idle == clocks * STACKS * (2 * BITS + (STACKS - 1) * CROSS_BITS));
    // A link alone: all of its bits, or none, in a clock.
    assert_int_equal(BITS * PJ_BIT, 1024);
    assert_int_equal(BITS * 3 / 2, 768);
    assert_true(rig_stat(&b.r, "stack.stack_row_activate") == rig_stat(&b.r, "dram.activates"));
    double requests = rig_stat(&b.r, "dram.reads") + rig_stat(&b.r, "dram.writes");
    assert_true(rig_stat(&b.r, "stack.stack_row_read") == requests * 64 * 8);
    rig_free(&b.r);
}

// Walks delay the first requests for each page, the more the more reads they have, and change
// nothing else. Requests to the SM's own stack pass its switch.
static void translation(void **state)
{
    enum { OFF, ON, LONG_WALKS, SLOW_SWITCH, RUNS };
    static const char *const settings[RUNS][2] = {
        [OFF] = {"stack.tlb_entries=0"},
        [ON] = {"stack.tlb_entries=2"},
        [LONG_WALKS] = {"stack.tlb_entries=2", "stack.tlb_reads=6"},
        [SLOW_SWITCH] = {"stack.tlb_entries=0", "stack.switch_latency=100"}};
    (void)state;
    static struct block_rig b;
    uint64_t cycles[RUNS];
    for (uint32_t i = 0; i < RUNS; i++) {
        bool on = i == ON || i == LONG_WALKS;
        build(&b,
              SETTINGS("tom.policy=tom-ctrl", "stack.tlb_page=4", settings[i][0], settings[i][1]));
        cycles[i] = run(&b, "plain", 60, 64, 20, 64);
        double hits = rig_stat(&b.r, "stack.tlb_hits"), misses = rig_stat(&b.r, "stack.tlb_misses");
        double walks = rig_stat(&b.r, "stack.tlb_walks");
        assert_true(on ? walks > 0 && walks <= misses && hits > 0 : walks + misses + hits == 0);
        assert_true(rig_stat(&b.r, "stack.tlb_remote") <= (i == LONG_WALKS ? 6 : 2) * walks);
        assert_true(!on || rig_stat(&b.r, "stack.tlb_remote") > 0);
        check(&b, "plain", 60, 64, 20, 64);
        rig_free(&b.r);
    }
    assert_true(cycles[ON] > cycles[OFF] && cycles[LONG_WALKS] > cycles[ON]);
    assert_true(cycles[SLOW_SWITCH] > cycles[OFF]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning),
        cmocka_unit_test(share),
        cmocka_unit_test(carry),
        cmocka_unit_test(coherence),
        cmocka_unit_test(table_is_full),
        cmocka_unit_test(ahead_over_branches),
        cmocka_unit_test(ahead_over_local_memory),
        cmocka_unit_test(energy),
        cmocka_unit_test(translation),
    };
    return cmocka_run_group_tests_name("tom_memory", tests, NULL, NULL);
}
