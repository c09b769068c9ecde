// The spatial mode on the machine's memory: the mode switch, load-store units, waiting loads,
// order, area and energy.
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include "tests/unit/runtime-sim/rgpu_fixture.h"

enum { WORDS = 16384 };

#define ENTRY(name, body)                                                                          \
    ".visible .entry " name "(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 w)\n{\n"    \
    ".reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;\n" body "ret;\n}\n"

// `mode` loads a word in each thread, waits at barriers, and stores a register, which the map sets.
static const char kernels[] = HEAD("7.0", "sm_70") ENTRY("k", "")
    ENTRY("mode", "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; ld.param.u64 %d2, [a];\n"
                  "ld.param.u64 %d3, [b]; add.u64 %d2, %d2, %d1; add.u64 %d3, %d3, %d1;\n"
                  "ld.global.u32 %r2, [%d2]; mov.u32 %r5, 7; mov.u32 %r3, %clock; bar.sync 0; "
                  "mov.u32 %r4, %clock;\n"
                  "sub.u32 %r4, %r4, %r3; bar.sync 0; add.u32 %r5, %r5, %r2;\n"
                  "st.global.u32 [%d3], %r5; st.global.u32 [%d3+4096], %r4;\n");

#define PARAMS "params: [a, b, n, w]\n"

static uint32_t *a, *b; // of the last machine

static void prepare(struct map_rig_machine *m, const char *map, uint32_t cores, uint32_t n,
                    const char *const *settings)
{
    map_rig_machine_prepare(m, kernels, map, cores, settings);
    a = kernel_buffer(&m->r.k, WORDS * 4);
    b = kernel_buffer(&m->r.k, WORDS * 4);
    kernel_u32(&m->r.k, n);
    kernel_u32(&m->r.k, 0);
    for (uint32_t i = 0; i < WORDS; i++)
        a[i] = i * 3 + 1;
}

static void run(struct map_rig_machine *m, const char *map, uint32_t n, const char *const *settings)
{
    prepare(m, map, 1, n, settings);
    map_run_go(m, "k", 1, 32);
    rig_done(&m->r);
}

// The mode switch takes a cycle for each configuration register and each initial token; the
// registers of results have the map's tokens afterwards.

static const char switched[] =
    PARAMS "enter: barrier 0\nleave: barrier 1\ncopies: 1\nnodes:\n"
           "  i: {op: increment, step: 4, tokens: 5, count: 20}\n"
           "  l: {op: ld.u32, in: [i], base: a}\n"
           "  s: {op: add.u32, in: [l, {from: s, initial: {count: 4, first: 10}}]}\n"
           "  t: {op: st.u32, in: [i, s], base: b + 8192}\n"
           "results:\n  sums: {node: s, operand: 1, register: \"%r5\"}\n";

static uint64_t cycles_of_mode(const char *const *settings)
{
    struct map_rig_machine m;
    prepare(&m, switched, 1, 0, settings);
    map_run_go(&m, "mode", 1, 64);
    rig_done(&m.r);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t sum = 10 + a[i];
        for (uint32_t k = i; k < 20; k += 4)
            sum += a[k];
        if (i < 4) // four sums of five words each
            assert_int_equal(b[i], sum);
        else
            assert_int_equal(b[i], 7 + a[i]);
    }
    uint64_t cycles = (uint64_t)rig_stat(&m.r, "spatial.switch_cycles");
    assert_true(rig_stat(&m.r, "spatial.cr_write") == 4);
    // The warps are held: nothing is fetched or read from registers while the map runs.
    assert_int_equal(map_unit(&m, 0, "t", 0)->fired, 20);
    map_run_free(&m);
    return cycles;
}

static void mode_switch(void **state)
{
    (void)state;
    assert_int_equal(cycles_of_mode(SPATIAL()), 4 + 5 + 4);
    assert_int_equal(cycles_of_mode(SPATIAL("spatial.config_words=4", )), (4 + 5 + 4 + 3) / 4);
}

// The launch is longer by the cycles of the switch, if the map does not wait for memory.
static void switch_time(void **state)
{
    static const char *const words[] = {"spatial.config_words=1", "spatial.config_words=13"};
    uint32_t cycles[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct map_rig_machine m;
        prepare(&m, switched, 1, 0, IDEAL(words[i], ));
        map_run_go(&m, "mode", 1, 32);
        rig_done(&m.r);
        cycles[i] = (uint32_t)m.r.cycles;
        map_run_free(&m);
    }
    assert_int_equal(cycles[0] - cycles[1], 13 - 1);
}

// Load-store units

static const char copies_words[] = PARAMS "copies: 1\nnodes:\n"
                                          "  i: {op: increment, step: 4, count: n}\n"
                                          "  l: {op: ld.u32, in: [i], base: a}\n"
                                          "  s: {op: st.u32, in: [i, l], base: b}\n";

// Neither the register file nor fetch and decode are used while the map runs: only the last
// instruction of the kernel follows it.
static void idle_parts(void **state)
{
    struct map_rig_machine m;
    (void)state;
    run(&m, copies_words, 2048, SPATIAL());
    assert_true(rig_stat(&m.r, "core.register_read") == 0);
    assert_true(rig_stat(&m.r, "core.register_write") == 0);
    assert_true(rig_stat(&m.r, "core.warp_instructions") == 1);
    assert_true(rig_stat(&m.r, "spatial.fifo_write") > 0 &&
                rig_stat(&m.r, "spatial.lane_tokens") > 0);
    map_run_free(&m);
}

// 32 consecutive words are one line: requested once, also with a cold L1; so is their store.
static void lines(void **state)
{
    struct map_rig_machine m;
    (void)state;
    run(&m, copies_words, 32, SPATIAL());
    assert_memory_equal(a, b, 32 * 4);
    assert_true(rig_stat(&m.r, "spatial.lines_read") == 1);
    assert_true(rig_stat(&m.r, "spatial.stores_sent") == 1);
    assert_true(rig_stat(&m.r, "spatial.fired_load") == 32);
    map_run_free(&m);
    run(&m, copies_words, 4096, SPATIAL());
    assert_memory_equal(a, b, 4096 * 4);
    assert_true(rig_stat(&m.r, "spatial.lines_read") == 128);
    assert_true(rig_stat(&m.r, "spatial.stores_sent") == 128);
    map_run_free(&m);
}

// An address FIFO of N entries sees N / 32 lines ahead, at a stride of 16 bytes N / 8.
static void prefetcher(void **state)
{
    static const struct {
        const char *step, *entries;
        double lines;
    } rows[] = {{"4", "spatial.address_fifo=256", 8},
                {"4", "spatial.address_fifo=64", 2},
                {"16", "spatial.address_fifo=256", 32},
                {"16", "spatial.address_fifo=512", 64}};
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map_rig_machine m;
        char text[512];
        // The sum never starts: the loads stay in their FIFO.
        snprintf(text, sizeof text,
                 PARAMS "copies: 1\nnodes:\n  i: {op: increment, step: %s, count: 700}\n"
                        "  l: {op: ld.u32, in: [i], base: a}\n"
                        "  w: {op: ld.u32, in: [i], base: b, wait: 1}\n"
                        "  s: {op: add.u32, in: [l, w]}\n"
                        "  t: {op: st.u32, in: [i, s], base: b}\n",
                 rows[i].step);
        prepare(&m, text, 1, 0, SPATIAL(rows[i].entries, "machine.watchdog=20000", ));
        map_run_go(&m, "k", 1, 32);
        assert_int_equal(m.r.end, MACHINE_STUCK);
        double lines = rig_stat(&m.r, "spatial.lines_read");
        // Eight tokens have left the FIFO of the load; all FIFOs of addresses are full.
        assert_in_range(lines, rows[i].lines, rows[i].lines + 1 + 8 / 32);
        map_run_free(&m);
    }
}

// A FIFO of 512 addresses of four units at a stride of 16 bytes fills an L1 of 16 KiB twice: two
// copies prefetch 2 · 64 lines. Places are reserved: where results wait in pipelines, units are
// further apart, and 256 addresses are too many, too.
static void pollution(void **state)
{
    static const char text[] =
        PARAMS "copies: 2\nvalues: {at: a + 16384 * copy * 2}\nnodes:\n"
               "  i: {op: increment, step: 16, count: 1000}\n"
               "  j: {op: increment, step: 4, count: 1000}\n"
               "  l0: {op: ld.u32, in: [i], base: at}\n  l1: {op: ld.u32, in: [i], base: at + 4}\n"
               "  l2: {op: ld.u32, in: [i], base: at + 8}\n"
               "  l3: {op: ld.u32, in: [i], base: at + 12}\n"
               "  s0: {op: add.u32, in: [l0, l1]}\n  s1: {op: add.u32, in: [l2, l3]}\n"
               "  s: {op: add.u32, in: [s0, s1]}\n"
               "  t: {op: st.u32, in: [j, s], base: b + 4096 * copy}\n";
    static const char *const entries[] = {"spatial.address_fifo=256", "spatial.address_fifo=512"};
    double unused[2], read[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct map_rig_machine m;
        run(&m, text, 0,
            SPATIAL(entries[i], "spatial.l1_kib=16", "spatial.l1_ways=4", "spatial.mshrs=128",
                    "spatial.space=reserve", ));
        unused[i] = rig_stat(&m.r, "spatial.prefetches_unused");
        read[i] = rig_stat(&m.r, "spatial.lines_read");
        map_run_free(&m);
    }
    assert_true(read[0] == 250 && unused[0] == 0);
    assert_true(read[1] >= read[0]);
}

// Counts of CONV: three loads and one store for each result, and the loads' lines.
static void counts(void **state)
{
    struct map_rig_machine m;
    (void)state;
    map_rig_machine_prepare(&m, kernels, "copies: 1\n" CONV, 1, SPATIAL());
    a = kernel_buffer(&m.r.k, WORDS * 4);
    b = kernel_buffer(&m.r.k, WORDS * 4);
    kernel_u32(&m.r.k, 4000);
    kernel_u32(&m.r.k, 400);
    map_run_go(&m, "k", 1, 32);
    rig_done(&m.r);
    assert_true(rig_stat(&m.r, "spatial.fired_load") == 3 * 4000);
    assert_true(rig_stat(&m.r, "spatial.fired_store") == 4000);
    assert_true(rig_stat(&m.r, "spatial.fired_float") == 11 * 4000);
    assert_true(rig_stat(&m.r, "spatial.fired_int") == 2 * 4000);
    map_run_free(&m);
}

// Waiting loads. Group 0 stores after a while; group 1 waits for its words.

#define EXCHANGE(slow)                                                                             \
    PARAMS "groups: 2\ncopies: 1\nordered: true\nnodes:\n"                                         \
           "  i: {op: increment, step: 4, count: 64}\n"                                            \
           "  l: {op: ld.u32, in: [i], base: a, wait: group, off: 1 - group}\n"                    \
           "  j: {op: increment, step: 1, tokens: 1, count: 64}\n" slow                            \
           "  s: {op: add.u32, in: [l, x]}\n"                                                      \
           "  t: {op: st.u32, in: [i, s], base: \"group ? b : a\", through: true}\n"
#define SLOW                                                                                       \
    "  x: {op: ex2.approx.f32, in: [{from: y}]}\n"                                                 \
    "  y: {op: mov.b32, in: [{from: j}]}\n"

// The corrected form returns group 0's stores.
static void full_words(void **state)
{
    struct map_rig_machine m;
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        prepare(&m, EXCHANGE("  x: {op: mul.lo.u32, in: [j], imm: 5}\n"), 2, 0, SPATIAL());
        m.r.shuffle = seed;
        for (uint32_t i = 0; i < 64; i++)
            a[i] = 1000000;
        map_run_go(&m, "k", 1, 32);
        rig_done(&m.r);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(a[i], 5 * i);
            assert_int_equal(b[i], 5 * i + 5 * i);
        }
        assert_true(rig_stat(&m.r, "spatial.waits_sent") < 64); // a reply has several words
        map_run_free(&m);
    }
}

// As printed, a line that was in the L2 before hits with the old value. The first launch leaves it
// there.
static void stale_hit(void **state)
{
    static const char *const kinds[] = {"spatial.wait=hit", "spatial.wait=full"};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct map_rig_machine m;
        struct map_rig warm;
        prepare(&m, EXCHANGE(SLOW), 2, 0, SPATIAL(kinds[i], ));
        map_rig_load(&warm, "params: [a, b, n, w]\ncopies: 1\nnodes:\n"
                            "  i: {op: increment, step: 4, count: 64}\n"
                            "  l: {op: ld.u32, in: [i], base: a}\n"
                            "  t: {op: st.u32, in: [i, l], base: b}\n");
        rig_add(&m.r, "k", 1, 32)->map = warm.map;
        m.r.launches[0].id = 1;
        rig_go(&m.r);
        rig_done(&m.r);
        rig_add(&m.r, "k", 2, 32)->map = m.map.map;
        m.r.launches[0].id = 2;
        rig_go(&m.r);
        rig_done(&m.r);
        uint32_t stale = 0;
        for (uint32_t k = 0; k < 64; k++)
            stale += b[k] != a[k] + a[k];
        assert_true(i ? stale == 0 : stale > 0);
        map_run_free(&m);
        map_rig_free(&warm);
    }
}

// As printed, the store that would release a waiting request does not pass it: both are to one
// line.
static void same_line(void **state)
{
    struct map_rig_machine m;
    (void)state;
    prepare(&m, EXCHANGE(SLOW), 2, 0, SPATIAL("spatial.wait=hit", "machine.watchdog=20000", ));
    map_run_go(&m, "k", 1, 32);
    assert_int_equal(m.r.end, MACHINE_STUCK);
    map_run_free(&m);
    prepare(&m, EXCHANGE(SLOW), 2, 0, SPATIAL());
    map_run_go(&m, "k", 1, 32);
    rig_done(&m.r);
    map_run_free(&m);
}

// As printed, a line that was written and evicted before another group waits for it never hits
// again. Group 0 evicts it from a small L2; group 1 runs after it.
static void lost_hit(void **state)
{
    static const char text[] =
        PARAMS "groups: 2\ncopies: 1\nordered: true\nnodes:\n"
               "  i: {op: increment, step: 4, count: 32}\n"
               "  t: {op: st.u32, in: [i, i], base: a, off: group, through: true}\n"
               "  k: {op: increment, step: 128, count: 64}\n"
               "  e: {op: ld.u32, in: [k], base: b + 16384, off: group}\n"
               "  f: {op: st.u32, in: [k, e], base: b + 16384, off: 1}\n"
               "  l: {op: ld.u32, in: [i], base: a, wait: group, off: 1 - group}\n"
               "  s: {op: st.u32, in: [i, l], base: b, off: 1 - group}\n";
    static const char *const kinds[] = {"spatial.wait=hit", "spatial.wait=full"};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct map_rig_machine m;
        prepare(&m, text, 1, 0,
                SPATIAL(kinds[i], "llc.sets=1", "llc.ways=2", "llc.banks=1",
                        "machine.watchdog=20000", ));
        map_run_go(&m, "k", 1, 32);
        assert_int_equal(m.r.end, i ? MACHINE_DONE : MACHINE_STUCK);
        for (uint32_t k = 0; i && k < 32; k++)
            assert_int_equal(b[k], 4 * k);
        map_run_free(&m);
    }
}

// As printed, waiting requests fill the access queue, and the store that would release them does
// not get in: 14 groups wait in one partition of 8 entries.
#define WAVE                                                                                       \
    PARAMS "groups: 15\ncopies: 1\nordered: true\nvalues: {row: a + 1536 * group}\nnodes:\n"       \
           "  i: {op: increment, step: 4, count: 32}\n"                                            \
           "  n: {op: ld.u32, in: [i], base: row - 1536, wait: group > 0, off: group == 0}\n"      \
           "  s: {op: add.u32, in: [n], imm: 1}\n"                                                 \
           "  t: {op: st.u32, in: [i, s], base: row, through: true}\n"

static void queue(void **state)
{
    struct map_rig_machine m;
    (void)state;
    prepare(&m, WAVE, 15, 0, SPATIAL("spatial.wait=hit", "machine.watchdog=20000", ));
    map_run_go(&m, "k", 1, 32);
    assert_int_equal(m.r.end, MACHINE_STUCK);
    map_run_free(&m);
    prepare(&m, WAVE, 15, 0, SPATIAL());
    map_run_go(&m, "k", 1, 32);
    rig_done(&m.r);
    for (uint32_t g = 0; g < 15; g++)
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(a[g * 384 + i], g + 1);
    map_run_free(&m);
}

// A group that waits for one that has not started: the report names it.
static void order(void **state)
{
    static const char text[] =
        PARAMS "groups: 2\ncopies: 1\nnodes:\n  i: {op: increment, step: 4, count: 8}\n"
               "  n: {op: ld.u32, in: [i], base: a, wait: group == 0, off: group == 1}\n"
               "  s: {op: add.u32, in: [n], imm: 1}\n"
               "  t: {op: st.u32, in: [i, s], base: \"group ? a : b\", through: true}\n";
    struct map_rig_machine m;
    char *report = NULL;
    size_t size;
    (void)state;
    prepare(&m, text, 1, 0, SPATIAL("machine.watchdog=20000", ));
    map_run_go(&m, "k", 1, 32);
    assert_int_equal(m.r.end, MACHINE_STUCK);
    FILE *to = open_memstream(&report, &size);
    machine_report(m.r.machine, to);
    fclose(to);
    assert_non_null(strstr(report, "core 0: group 0: 'n' of copy 0 waits for a word that was not "
                                   "yet written"));
    free(report);
    map_run_free(&m);
    prepare(&m, text, 2, 0, SPATIAL());
    map_run_go(&m, "k", 1, 32);
    rig_done(&m.r);
    map_run_free(&m);
}

// Faults of maps end the run.
static void faults(void **state)
{
    static const struct {
        const char *map, *fault;
    } rows[] = {
        {"copies: 1\nnodes:\n  i: {op: increment, step: 4, count: 8}\n"
         "  s: {op: st.u32, in: [i, i], base: 64}\n",
         "'s' of the map accesses 4 bytes at 0x40"},
        {"copies: 1\nnodes:\n  i: {op: increment, count: 8}\n  j: {op: increment, count: 20}\n"
         "  s: {op: st.u32, in: [{value: 0}, i], base: b}\n"
         "  t: {op: st.u32, in: [j, i], base: b}\n",
         "tokens are left between 'j' and 't', which began with 0"},
        {"copies: 3\nnodes:\n  i: {op: increment, count: 8, tokens: 9}\n"
         "  s: {op: st.u32, in: [{value: 0}, i], base: b}\n",
         "a FIFO of 'i' has 9 initial tokens, but only 8 entries"},
        {"kernel: other\nnodes:\n  i: {op: increment, count: 8}\n"
         "  s: {op: st.u32, in: [{value: 0}, i], base: b}\n",
         "the map is for the kernel 'other', but 'k' is launched"},
        {"leave: barrier 3\nnodes:\n  i: {op: increment, count: 8}\n"
         "  s: {op: st.u32, in: [{value: 0}, i], base: b}\n",
         "the kernel has no such barrier, or no end"},
        {"groups: n - 8\nnodes:\n  i: {op: increment, count: 8}\n"
         "  s: {op: st.u32, in: [{value: 0}, i], base: b}\n",
         "the map's groups are 0, but must be from 1 to 2147483647"},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map_rig_machine m;
        char text[512];
        snprintf(text, sizeof text, PARAMS "%s", rows[i].map);
        prepare(&m, text, 1, 8, SPATIAL());
        map_run_go(&m, "k", 1, 32);
        assert_int_equal(m.r.end, MACHINE_FAULT);
        if (!strstr(m.r.result.fault.text, rows[i].fault))
            fail_msg("%s", m.r.result.fault.text);
        map_run_free(&m);
    }
}

// [003 §5.5]
static void area(void **state)
{
    struct map_rig_machine m;
    (void)state;
    prepare(&m, copies_words, 1, 0, SPATIAL());
    struct spatial_config config = *m.m->config;
    struct spatial_area area = spatial_area_of(&config, 15);
    assert_true(fabs(area.total - 23) < 1e-9);
    config.hardware.lanes = 10;
    assert_true(fabs(spatial_area_of(&config, 15).total / 529 - 0.06) < 0.001);
    config.hardware.lanes = 6;
    config.hardware.data_fifo = 16;
    assert_true(fabs(spatial_area_of(&config, 15).total / 23 - 1.02) < 1e-9);
    config.hardware.data_fifo = 8;
    config.hardware.address_fifo = 512;
    assert_true(fabs(spatial_area_of(&config, 15).total / 23 - 1.10) < 1e-9);
    assert_true(fabs(spatial_energy_ratio(153, 13, 3.2, 2.1) - 0.446) < 0.0005);
    map_run_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mode_switch), cmocka_unit_test(switch_time), cmocka_unit_test(idle_parts),
        cmocka_unit_test(lines),       cmocka_unit_test(prefetcher),  cmocka_unit_test(pollution),
        cmocka_unit_test(counts),      cmocka_unit_test(full_words),  cmocka_unit_test(stale_hit),
        cmocka_unit_test(queue),       cmocka_unit_test(same_line),   cmocka_unit_test(lost_hit),
        cmocka_unit_test(order),       cmocka_unit_test(faults),      cmocka_unit_test(area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
