// Latencies of loads without other traffic: each is the sum of its parts in the configuration.
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { LINE = 128, ALL_BANKS = 32 * 4, FEW = 16, MANY = 48, SHORT = 2, LONG = 6 };

// Writes a loop of n rounds with `count` copies of the load. Its address %d1 is the parameter plus,
// for %r1, the thread's entry in the table of addresses.
static const char *write_kernel(const char *load, uint32_t count)
{
    static struct text t;
    t.length = 0;
    text_put(&t, HEAD("8.0", "sm_80") ".const .align 4 .u32 numbers[32];\n"
                                      ".visible .entry k(.param .u64 chain, .param .u64 table,\n"
                                      ".param .u32 n)\n{\n"
                                      ".reg .b32 %%r<12>; .reg .b64 %%d<12>; .reg .pred %%p;\n"
                                      ".shared .align 16 .b8 s[16384];\n"
                                      "ld.param.u64 %%d1, [chain]; ld.param.u64 %%d2, [table];\n"
                                      "ld.param.u32 %%r2, [n]; mov.u32 %%r3, %%tid.x;\n"
                                      "mul.wide.u32 %%d3, %%r3, 4; add.u64 %%d2, %%d2, %%d3;\n"
                                      "ld.global.u32 %%r1, [%%d2]; mov.u64 %%d4, numbers;\n"
                                      "cvt.u64.u32 %%d5, %%r1; add.u64 %%d6, %%d4, %%d5;\n"
                                      "st.shared.u32 [%%r1], %%r1; mov.u32 %%r4, 0;\n"
                                      "L:\n");
    for (uint32_t i = 0; i < count; i++)
        text_put(&t, "%s\n", load);
    text_put(&t, "sub.u32 %%r2, %%r2, 1;\nsetp.ne.u32 %%p, %%r2, 0;\n@%%p bra L;\nret;\n}\n");
    return t.at;
}

// The chain of dependent loads: 8-byte words, each with the address of the next one.
struct ring {
    uint64_t places, stride;
};

struct measure {
    const char *load;
    struct ring ring;
    uint32_t threads, cores;
    const uint32_t *table; // offsets of each thread; NULL: 0
    const char *const *settings;
};

static uint64_t rounds(struct rig *r, uint32_t count, uint32_t threads)
{
    memcpy(r->k.params + 16, &count, sizeof count);
    return rig_run(r, "k", 1, threads);
}

static uint64_t cycles(struct rig *r, const struct measure *m, uint32_t count)
{
    rig_load(r, write_kernel(m->load, count), m->cores, m->settings);
    uint64_t bytes = m->ring.places * m->ring.stride, base;
    char *chain = kernel_buffer(&r->k, bytes ? bytes : 8);
    memcpy(&base, r->k.params, 8);
    for (uint64_t i = 0; i < m->ring.places; i++) {
        uint64_t to = base + (i + 1) % m->ring.places * m->ring.stride;
        memcpy(chain + i * m->ring.stride, &to, 8);
    }
    uint32_t *table = kernel_buffer(&r->k, 4 * LANES);
    if (m->table)
        memcpy(table, m->table, 4 * LANES);
    kernel_u32(&r->k, 0);
    rounds(r, 1, m->threads);
    rounds(r, 1, m->threads);
    uint64_t few = rounds(r, SHORT, m->threads), many = rounds(r, LONG, m->threads);
    return many - few;
}

// Returns the cycles of one more load in a chain.
static double cost(const struct measure *m)
{
    static struct rig r;
    uint64_t few = cycles(&r, m, FEW);
    rig_free(&r);
    uint64_t many = cycles(&r, m, MANY);
    rig_free(&r);
    return (double)(many - few) / ((MANY - FEW) * (LONG - SHORT));
}

static void expect(const char *what, double have, double expected)
{
    if (have != expected)
        fail_msg("%s: %g cycles, not %g", what, have, expected);
}

// Latencies from the configuration and the machine's topology.
struct parts {
    struct machine_config c;
    uint32_t routers; // between the core and the partition of the chain
};

static struct parts parts_of(const struct measure *m)
{
    static struct rig r;
    rig_load(&r, write_kernel(m->load, 1), m->cores, m->settings);
    uint64_t address;
    kernel_buffer(&r.k, m->ring.places * m->ring.stride);
    memcpy(&address, r.k.params, 8);
    const struct memsys *memsys = rig_memsys(&r);
    uint32_t partition = memsys_partition_of(memsys, address / LINE);
    uint32_t a = memsys_endpoint_node(memsys, 0), b = memsys_partition_node(memsys, partition);
    uint32_t width = (uint32_t)r.config.memsys.request_network.width;
    int x = (int)(a % width) - (int)(b % width), y = (int)(a / width) - (int)(b / width);
    struct parts parts = {r.config, (uint32_t)(abs(x) + abs(y) + 1)};
    rig_free(&r);
    return parts;
}

// To the load/store unit, then the L1's latency; a line passes its port at once.
static void first_level(void **state)
{
    (void)state;
    struct measure m = {
        .load = "ld.global.u64 %d1, [%d1];", .ring = {1, 8}, .threads = 1, .cores = 1};
    struct parts p = parts_of(&m);
    expect("hit", cost(&m), 1 + p.c.l1.latency);
    assert_int_equal(p.c.l1.port_bytes, LINE);
    m.settings = SETTINGS("l1.latency=1");
    expect("hit, latency 1", cost(&m), 2);
    m.settings = SETTINGS("l1.port_bytes=32");
    expect("hit, narrow port", cost(&m), 1 + p.c.l1.latency + 3);
    m.settings = SETTINGS("core.access_delay=5");
    expect("hit, five stages", cost(&m), 5 + p.c.l1.latency);
}

// Returns the network's latency: a packet of L flits past H routers takes 5·H + 2 + (L − 1). The
// slice has a request's access one clock after its arrival, and the core sees a reply one cycle
// after its own.
static uint64_t network(const struct parts *p)
{
    uint64_t delay = p->c.memsys.memory.request_delay;
    return (5 * p->routers + 2) + 1 + (delay ? delay + 1 : 0) + (5 * p->routers + 2 + 4) + 1;
}

static uint64_t slice(const struct parts *p)
{
    return p->c.memsys.llc.latency + LINE / p->c.memsys.llc.port_bytes - 1;
}

// A ring with one line more than an L1 set has ways, all of one partition: every load misses the
// L1.
static void last_level(void **state)
{
    (void)state;
    const struct measure m = {
        .load = "ld.global.u64 %d1, [%d1];", .ring = {5, 32 * LINE}, .threads = 1, .cores = 1};
    struct parts p = parts_of(&m);
    assert_int_equal(p.c.l1.ways, 4);
    assert_int_equal(p.c.l1.sets, 32);
    // One cycle to the first level, one from it.
    expect("through the first level", cost(&m), 1 + network(&p) + slice(&p) + 1);
    struct measure stages = m;
    stages.settings = SETTINGS("core.access_delay=5", "l1.wake_latency=3");
    expect("with stages", cost(&stages), 5 + network(&p) + slice(&p) + 3);
    struct measure past = m;
    past.load = "ld.global.cg.u64 %d1, [%d1];";
    past.ring.places = 1;
    expect("past the first level", cost(&past), 1 + network(&p) + slice(&p));
    past.load = "ld.volatile.global.u64 %d1, [%d1];";
    expect("volatile", cost(&past), 1 + network(&p) + slice(&p));
    past.load = "ld.global.cg.u64 %d1, [%d1];";
    past.settings = SETTINGS("llc.latency=50", "llc.port_bytes=64");
    expect("slower slice", cost(&past), 1 + network(&p) + 50 + 1);
}

// From the slice's access to the DRAM's data, and one clock until they leave, with equal clocks.
// More lines than the slice has, each loaded once in a run.
static void memory(void **state)
{
    (void)state;
    enum { LINES = 40 };
    struct measure m = {.load = "ld.global.cg.u64 %d1, [%d1];",
                        .ring = {LINES, 8 * LINE},
                        .threads = 1,
                        .cores = 1};
    // A slice of one line: nothing stays there. Rows of 512 lines.
    m.settings = SETTINGS("dram.clock=1400", "llc.sets=1", "llc.ways=1", "dram.row_bytes=65536");
    struct parts p = parts_of(&m);
    const struct dram_config *d = &p.c.memsys.dram;
    expect("row open", cost(&m), 1 + network(&p) + d->tCL + d->burst + d->delay + 1);
    m.settings = SETTINGS("dram.clock=1400", "llc.sets=1", "llc.ways=1", "dram.page=closed");
    expect("bank closed", cost(&m), 1 + network(&p) + d->tRCD + d->tCL + d->burst + d->delay + 1);
    // The next row of the same bank each time.
    m.ring.stride = 8 * 1024 * 8;
    m.settings = SETTINGS("dram.clock=1400", "llc.sets=1", "llc.ways=1", "dram.bank_xor=false",
                          "dram.row_bytes=1024");
    expect("another row open", cost(&m),
           1 + network(&p) + d->tRP + d->tRCD + d->tCL + d->burst + d->delay + 1);
    // Of its own clock: the slice waits for the DRAM's next tick, and the data for the slice's.
    m.settings = SETTINGS("llc.sets=1", "llc.ways=1", "dram.bank_xor=false", "dram.row_bytes=1024");
    double have = cost(&m), min = (d->tRP + d->tRCD + d->tCL + d->burst + d->delay) * 1.4;
    assert_true(have >= 1 + network(&p) + min + 1 && have <= 1 + network(&p) + min + 3.4);
}

// Lanes 0 … degree − 1 access one bank, the others one bank each.
static void bank_conflicts(void **state)
{
    (void)state;
    struct measure m = {.load = "ld.shared.u32 %r1, [%r1];", .threads = LANES, .cores = 1};
    uint32_t table[LANES];
    m.table = table;
    for (uint32_t degree = 1; degree <= LANES; degree++) {
        for (uint32_t i = 0; i < LANES; i++)
            table[i] = i < degree ? i * ALL_BANKS : i * 4;
        expect("conflict", cost(&m), 26 + degree - 1);
    }
    for (uint32_t i = 0; i < LANES; i++)
        table[i] = 64;
    expect("broadcast", cost(&m), 26);
    for (uint32_t i = 0; i < LANES; i++)
        table[i] = i / 2 * 256;
    expect("16 pairs", cost(&m), 26 + 15);
}

// Other widths: as many cycles as all banks need for the bytes. Lanes that update one word do so
// one after the other.
static void bank_widths(void **state)
{
    (void)state;
    struct measure m = {.threads = LANES, .cores = 1};
    uint32_t table[LANES];
    m.table = table;
    for (uint32_t i = 0; i < LANES; i++)
        table[i] = i * 16;
    m.load = "ld.shared.v4.u32 {%r1, %r5, %r6, %r7}, [%r1];";
    expect("16 bytes", cost(&m), 26 + 3);
    for (uint32_t i = 0; i < LANES; i++)
        table[i] = i * 8;
    m.load = "ld.shared.v2.u32 {%r1, %r5}, [%r1];";
    expect("8 bytes", cost(&m), 26 + 1);
    for (uint32_t i = 0; i < LANES; i++)
        table[i] = 256;
    m.load = "atom.shared.exch.b32 %r1, [%r1], %r1;";
    expect("atomics on a word", cost(&m), 26 + 31);
    m.load = "ld.shared.u32 %r1, [%r1];";
    m.settings = SETTINGS("core.shared_latency=2");
    expect("latency 2", cost(&m), 2);
}

// Different constants are read one after the other, the same one at once. The addition takes 10
// cycles.
static void constants(void **state)
{
    (void)state;
    struct measure m = {.threads = LANES, .cores = 1};
    uint32_t table[LANES];
    m.table = table;
    m.load = "ld.const.u32 %r5, [%d6]; cvt.u64.u32 %d7, %r5; add.u64 %d6, %d6, %d7;";
    for (uint32_t degree = 1; degree <= LANES; degree++) {
        for (uint32_t i = 0; i < LANES; i++)
            table[i] = i % degree * 4;
        expect("constants", cost(&m), 8 + degree + 10 + 14);
    }
    m.settings = SETTINGS("constant_cache.latency=20");
    expect("latency 20", cost(&m), 20 + LANES + 10 + 14);
}

// Returns the cycles of straight-line code of one warp.
static uint64_t straight(uint32_t instructions, struct parts parts[8])
{
    static struct text t;
    static struct rig r;
    t.length = 0;
    text_put(&t, HEAD("8.0", "sm_80") ".visible .entry k()\n{\n.reg .b32 %%r<8>;\n");
    for (uint32_t i = 0; i < 16; i++)
        text_put(&t, "mov.u32 %%r%u, 1;\n", i % 8);
    for (uint32_t i = 0; i < instructions; i++)
        text_put(&t, "mov.u32 %%r0, %%r%u;\n", 1 + i % 7);
    text_put(&t, "ret;\n}\n");
    rig_load(&r, t.at, 1,
             SETTINGS("code_cache.sets=1", "code_cache.ways=1", "core.pipeline=0",
                      "core.latency_int_add=1"));
    rig_run(&r, "k", 1, 1); // the slices have the code now
    uint64_t all = rig_run(&r, "k", 1, 1);
    const struct memsys *memsys = rig_memsys(&r);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t a = memsys_endpoint_node(memsys, 0), b = memsys_partition_node(memsys, i);
        int x = (int)(a % 8) - (int)(b % 8), y = (int)(a / 8) - (int)(b / 8);
        parts[i] = (struct parts){r.config, (uint32_t)(abs(x) + abs(y) + 1)};
    }
    rig_free(&r);
    return all;
}

// Each line of 16 instructions is fetched when the last instruction before it has issued: a cycle
// to the network, the route to the slice and back, 2 to the buffer. It has 8 pairs: 3 cycles for
// each of 7, and 1 from the last pair's first instruction to its second.
static void code(void **state)
{
    (void)state;
    struct parts parts[8];
    uint64_t few = straight(128, parts), many = straight(384, parts), expected = 0;
    for (uint32_t i = 0; i < 16; i++)
        expected += 1 + network(&parts[i % 8]) + slice(&parts[i % 8]) + 2 + 7 * 3 + 1;
    expect("16 lines of code", (double)(many - few), (double)expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_level), cmocka_unit_test(last_level),
        cmocka_unit_test(memory),      cmocka_unit_test(bank_conflicts),
        cmocka_unit_test(bank_widths), cmocka_unit_test(constants),
        cmocka_unit_test(code),
    };
    return cmocka_run_group_tests_name("machine_memory", tests, NULL, NULL);
}
