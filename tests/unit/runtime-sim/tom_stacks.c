// Memory stacks: peak bandwidths, flits of packets, conservation, links.
#include "runtime-sim/schemes/stacks/stacks.h"
#include "support/random.h"
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { PORTS = 8, LINE = 128, CLOCKS = 20000, WARM = 2000 };

// Stacks alone; the test acts as their slices.
struct bed {
    struct memory memory;
    struct arena arena;
    struct machine_config config;
    struct stacks *s;
    uint64_t now, taken, popped, lines[PORTS];
};

static void begin_arena(struct bed *b)
{
    memset(b, 0, sizeof *b);
    if (setjmp(b->memory.on_failure))
        abort();
    arena_init(&b->arena, &b->memory);
}

static void begin(struct bed *b, const char *const *settings)
{
    struct config config;
    begin_arena(b);
    uint32_t count;
    struct config_section *sections = machine_sections(&b->config, &b->arena, schemes, &count);
    config_init(&config, &b->arena, sections, count);
    assert_true(config_load(&config, "tom"));
    for (; settings && *settings; settings++)
        assert_true(config_set(&config, *settings));
    const struct stack_config *own =
        b->config.of_scheme[machine_scheme_number(&b->config, &memory_stacks)];
    assert_null(stacks_check(&b->arena, own, &b->config.memsys));
    b->s = stacks_new(&b->arena, own, &b->config.memsys);
}

static void *port(struct bed *b, uint32_t number)
{
    return b->s->backend.create(b->s->backend.context, &b->arena, &b->config.memsys, number);
}

static bool offer(struct bed *b, uint64_t line, struct mask bytes, bool write)
{
    uint32_t slice = 0;
    uint64_t local = line / PORTS;
    while (partition_address(&b->s->slices, slice, local * LINE) != line * LINE)
        slice++;
    const struct memsys_piece piece = {
        .line = local, .bytes = bytes, .write = write, .entry = (uint32_t)b->taken};
    if (!b->s->backend.can_accept(port(b, slice), &piece))
        return false;
    b->s->backend.accept(port(b, slice), b->now, &piece);
    b->taken++;
    return true;
}

// Ticks one clock; the slices accept all arrivals.
static void step(struct bed *b)
{
    const struct memsys_backend *backend = &b->s->backend;
    for (uint32_t i = 0; i < PORTS; i++)
        for (; backend->peek(port(b, i), b->now); b->popped++)
            backend->pop(port(b, i), b->now);
    for (uint32_t i = 0; i < PORTS; i++)
        if (backend->next(port(b, i)) <= b->now)
            backend->tick(port(b, i), b->now);
    b->now++;
}

enum order { SEQUENTIAL, ONE_STACK, ONE_VAULT, ONE_VAULT_RANDOM };

// Returns line number i of an order.
static uint64_t line_of(const struct bed *b, enum order order, uint64_t i, uint64_t *random)
{
    struct partition_range range = b->s->map.ranges.v[0];
    uint64_t local = order == ONE_STACK   ? i
                     : order == ONE_VAULT ? i * 16
                                          : xorshift64(random) % (1 << 20) * 16;
    return order == SEQUENTIAL ? i : partition_address(&range, 0, local * LINE) / LINE;
}

// Returns the bandwidth of a stream in GB/s. Bits 0 and 1 of `writes` make even and odd requests
// writes.
static double bandwidth(const char *const *settings, enum order order, uint32_t writes,
                        uint32_t bytes)
{
    struct bed b;
    uint64_t next = 0, from = 0, random = 88172645463325252;
    begin(&b, settings);
    uint64_t line = line_of(&b, order, next, &random);
    while (b.now < CLOCKS) {
        while (offer(&b, line, mask_range(0, bytes), writes >> next % 2 & 1))
            line = line_of(&b, order, ++next, &random);
        step(&b);
        if (b.now == WARM)
            from = b.popped;
    }
    double sum = (double)(b.popped - from) * bytes / ((CLOCKS - WARM) / 1.25);
    arena_free(&b.arena);
    return sum;
}

static void expect(double found, double expected)
{
    if (found < 0.95 * expected || found > 1.05 * expected)
        fail_msg("%g GB/s, expected %g", found, expected);
}

static void peaks(void **state)
{
    (void)state;
    expect(bandwidth(NULL, ONE_STACK, 0, LINE), 80.0 * 128 / 144);
    expect(bandwidth(NULL, ONE_STACK, 3, LINE), 80.0 * 128 / 144);
    expect(bandwidth(NULL, SEQUENTIAL, 0, LINE), 4 * 80.0 * 128 / 144);
    expect(bandwidth(NULL, ONE_VAULT, 0, LINE), 10);
    // Four activations in a tFAW of 24 clocks of 1.6 ns, for 64 bytes each.
    expect(bandwidth(NULL, ONE_VAULT_RANDOM, 0, 64), 4 * 64 / (24 * 1.6));
    // Links carry 128 GB/s of reads and writes in equal numbers; the vaults lose time whenever
    // their bus turns.
    expect(bandwidth(NULL, ONE_STACK, 1, LINE), 128);
    expect(bandwidth(SETTINGS("stack.internal_gbps=80"), ONE_STACK, 1, LINE), 80);
}

// Flits of each kind of packet.
static void packets(void **state)
{
    (void)state;
    static const struct {
        uint32_t from, to;
        bool write;
        uint32_t tx, rx, stack;
        const char *setting;
    } cases[] = {
        {0, LINE, false, 1, 9, 2, NULL},
        {0, 32, false, 1, 9, 2, NULL},
        {0, LINE, true, 9, 1, 2, NULL},
        {4, 8, true, 3, 1, 2, NULL},
        {28, 36, true, 5, 1, 2, NULL},
        {0, LINE, false, 1, 5, 2, "stack.flit_bytes=32"},
        {0, LINE, true, 10, 2, 2, "stack.header_bytes=32"},
        {0, LINE, false, 1, 9, 1, "stack.chunk=256"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed b;
        begin(&b, SETTINGS(cases[i].setting));
        const struct stack_stats *stats = &b.s->stacks[cases[i].stack].stats;
        assert_true(offer(&b, 2, mask_range(cases[i].from, cases[i].to), cases[i].write));
        for (uint32_t clock = 0; clock < 1000; clock++)
            step(&b);
        assert_int_equal(b.popped, 1);
        assert_int_equal(stats->tx_request, cases[i].tx);
        assert_int_equal(stats->rx_reply, cases[i].rx);
        assert_int_equal(stats->reads + 2 * stats->writes, 1 + cases[i].write);
        assert_true(b.s->due == UINT64_MAX);
        arena_free(&b.arena);
    }
}

// Latency of a read: it is requested in clock 0; a flit takes a clock, then 8; the vault a clock of
// its own of 2, tRCD + tCL + two bursts; 9 flits take 3 clocks, then 8.
static void latency(void **state)
{
    (void)state;
    struct bed b;
    begin(&b, NULL);
    assert_true(offer(&b, 2, mask_range(0, LINE), false));
    while (!b.popped)
        step(&b);
    uint64_t there = 1 + 8, vault = (there + 1) / 2 + 11 + 11 + 2 * 4, back = 2 * vault + 3 + 8;
    assert_int_equal(b.now - 2, back); // taken in the clock after, which is over
    arena_free(&b.arena);
}

// Every accepted request, of any kind, has exactly one reply.
static void conservation(void **state)
{
    (void)state;
    static bool seen[40000];
    const uint32_t many = sizeof seen;
    struct bed b;
    uint64_t random = 4101842887655102017;
    begin(&b, NULL);
    memset(seen, 0, sizeof seen);
    while (b.popped < many) {
        uint64_t number = xorshift64(&random);
        if (b.taken < many && number % 8)
            offer(&b, number >> 8 & 0xffff, mask_range(0, 32 << (number >> 24) % 3),
                  number >> 32 & 1);
        for (uint32_t i = 0; i < PORTS; i++) {
            const struct memsys_piece *piece = b.s->backend.peek(port(&b, i), b.now);
            if (!piece)
                continue;
            assert_false(seen[piece->entry]);
            seen[piece->entry] = true;
            b.s->backend.pop(port(&b, i), b.now);
            b.popped++;
        }
        if (b.s->due <= b.now)
            b.s->backend.tick(port(&b, 0), b.now);
        b.now++;
        assert_true(b.now < 100 * many);
    }
    assert_int_equal(b.s->used, 0);
    arena_free(&b.arena);
}

// Co-location [002 §3.2.1]: the share of addresses a for which a and a + distance are in one stack,
// for two consecutive bits of the address, in sixteenths.
static void co_location(void **state)
{
    (void)state;
    enum { FIRST_BIT = 7, PAIRS = 10 };
    static const struct {
        uint64_t distance;
        uint32_t shares[PAIRS];
    } rows[] = {
        {1 << 12, {16, 16, 16, 16, 0, 0, 8, 12, 14, 15}},
        {1 << 14, {16, 16, 16, 16, 16, 16, 0, 0, 8, 12}},
        {3 << 12, {16, 16, 16, 16, 0, 0, 0, 4, 10, 13}},
    };
    struct bed b;
    begin_arena(&b);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t pair = 0; pair < PAIRS; pair++) {
            struct partition_map map;
            struct partition_range all = {.count = 4, .chunk = UINT64_C(1) << (FIRST_BIT + pair)};
            uint32_t same = 0, count = 0;
            partition_init(&map, &b.arena, &all);
            for (uint64_t a = 0; a < 1 << 18; a += LINE, count++)
                same += partition_of(&map, a) == partition_of(&map, a + rows[i].distance);
            assert_int_equal(same * 16, rows[i].shares[pair] * count);
        }
    arena_free(&b.arena);
}

// Links

static void links(void **state)
{
    (void)state;
    struct stack_link link;
    // 42 flits of 16 bytes at 4 in a clock; the next packet begins in the middle of a clock.
    stack_link_init(&link, 80, 1250, 16, 8);
    assert_int_equal(stack_link_send(&link, 100, 42), 100 + 11 + 8);
    assert_false(stack_link_is_free(&link, 109));
    assert_true(stack_link_is_free(&link, 110));
    assert_int_equal(stack_link_send(&link, 110, 2), 100 + 11 + 8);
    assert_int_equal(stack_link_next(&link, 105), 111);
    // An eighth of the bandwidth: two clocks for a flit.
    stack_link_init(&link, 10, 1250, 16, 0);
    assert_int_equal(stack_link_send(&link, 100, 3), 106);
}

// Busy from 90 % of 256 clocks on, in steps of 64 clocks.
static void busy(void **state)
{
    (void)state;
    for (uint32_t share = 89; share < 92; share++) {
        struct stack_link link;
        stack_link_init(&link, 80, 1250, 16, 0);
        for (uint64_t clock = 0; clock < 640; clock++)
            if (clock * share / 100 != (clock + 1) * share / 100)
                stack_link_send(&link, clock, 4);
        assert_int_equal(stack_link_is_busy(&link, 640, 90), share > 89);
        assert_false(stack_link_is_busy(&link, 640 + 64, 90)); // a quarter without flits
        assert_false(stack_link_is_busy(&link, 640 + 64000, 1));
    }
}

// A machine

#define VECADD                                                                                     \
    HEAD("7.0", "sm_70")                                                                           \
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"                        \
    ".reg .b32 %r<8>; .reg .b64 %d<8>;\n"                                                          \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %d4, %r1, 4;\n"                                   \
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"                       \
    "add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;\n"                       \
    "ld.global.u32 %r4, [%d1]; ld.global.u32 %r5, [%d2]; add.u32 %r6, %r4, %r5;\n"                 \
    "st.global.u32 [%d3], %r6;\nret;\n}\n"

enum { GRID = 64, BLOCK = 256, THREADS = GRID * BLOCK };

static uint64_t run_machine(struct rig *r, uint64_t seed)
{
    rig_configure_from(r, VECADD, "tom", 0, NULL, schemes);
    rig_build_planned(r, NULL);
    uint32_t *a = kernel_buffer(&r->k, THREADS * 4), *b = kernel_buffer(&r->k, THREADS * 4);
    uint32_t *c = kernel_buffer(&r->k, THREADS * 4);
    for (uint32_t i = 0; i < THREADS; i++) {
        a[i] = i;
        b[i] = 7 * i;
    }
    r->shuffle = seed;
    uint64_t cycles = rig_run(r, "add", GRID, BLOCK);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(c[i], 8 * i);
    machine_flush(r->machine, NULL); // stores are acknowledged by the slices
    return cycles;
}

// The machine's statistics are consistent, and independent of the order of evaluation.
static void machine(void **state)
{
    (void)state;
    struct rig r;
    uint64_t cycles = run_machine(&r, 0);
    double reads = rig_stat(&r, "stack.reads"), writes = rig_stat(&r, "stack.writes");
    assert_true(reads >= 2 * THREADS / 32 && writes == THREADS / 32);
    assert_true(rig_stat(&r, "stack.tx_request") == reads + 9 * writes);
    assert_true(rig_stat(&r, "stack.rx_reply") == 9 * reads + writes);
    assert_true(rig_stat(&r, "dram.reads") == 2 * reads);
    assert_true(rig_stat(&r, "dram.writes") == 2 * writes);
    assert_true(rig_stat(&r, "stack.reads") == rig_stat(&r, "llc.fetches"));
    double first = rig_stat(&r, "stack1.tx_request");
    rig_free(&r);
    for (uint64_t seed = 1; seed < 4; seed++) {
        assert_int_equal(run_machine(&r, seed), cycles);
        assert_true(rig_stat(&r, "stack1.tx_request") == first);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks),        cmocka_unit_test(packets),     cmocka_unit_test(latency),
        cmocka_unit_test(conservation), cmocka_unit_test(links),       cmocka_unit_test(busy),
        cmocka_unit_test(machine),      cmocka_unit_test(co_location),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
