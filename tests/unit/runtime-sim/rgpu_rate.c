// The firing of arrays with ideal memory: rates, first firings, order of evaluation. Measured rates
// equal those of the marked graph.
#include "tests/unit/runtime-sim/rgpu_fixture.h"

// Closed forms are those of places that are taken when an instruction fires.
#define RESERVED(...) IDEAL("spatial.space=reserve", __VA_ARGS__)

enum { WORDS = 40000, FIRINGS = 20000 };

// Parameters a, b: buffers; n, w: numbers.
static const char kernel[] =
    HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, "
                         ".param .u32 w)\n{\nret;\n}\n";

static void run(struct map_rig_machine *m, const char *map, const char *const *settings)
{
    map_rig_machine_prepare(m, kernel, map, 1, settings);
    uint32_t *a = kernel_buffer(&m->r.k, WORDS * 4);
    kernel_buffer(&m->r.k, WORDS * 4);
    for (uint32_t i = 0; i < WORDS; i++)
        a[i] = i * 2654435761u >> 12;
    kernel_u32(&m->r.k, FIRINGS);
    kernel_u32(&m->r.k, 200);
    map_run_go(m, "k", 1, 32);
    rig_done(&m->r);
}

// Checks the firings per cycle between the first and the last one: `tokens` in 1000 · `cycles`,
// equal up to the start.
static void check_rate(const struct map_rig_machine *m, const char *name, uint64_t tokens,
                       uint64_t cycles)
{
    const struct spatial_unit *unit = map_unit(m, 0, name, 0);
    double rate = (double)(unit->fired - 1) / (double)(unit->last - unit->first);
    double expected = (double)tokens / (double)cycles;
    if (fabs(rate - expected) > expected * 1e-3 || unit->fired < FIRINGS)
        fail_msg("%s: %f instead of %f", name, rate, expected);
}

static void rate(const char *map, const char *name, uint64_t tokens, uint64_t cycles,
                 const char *const *settings)
{
    struct map_rig_machine m;
    run(&m, map, settings);
    check_rate(&m, name, tokens, cycles);
    map_run_free(&m);
}

#define PARAMS "params: [a, b, n, w]\ncopies: 1\nnodes:\n"
#define STORE "  s: {op: st.s32, in: [{value: 0}, "

static void loops(void **state)
{
    (void)state;
#define INCREMENT(k) PARAMS "  i: {op: increment, tokens: " k ", count: n}\n" STORE "i], base: b}\n"
    rate(INCREMENT("1"), "s", 1, 8, RESERVED());
    rate(INCREMENT("4"), "s", 1, 2, RESERVED());
    rate(INCREMENT("5"), "s", 5, 8, RESERVED());
    rate(INCREMENT("8"), "s", 1, 1, RESERVED());
#define ACCUMULATE(k)                                                                              \
    PARAMS "  i: {op: increment, count: n}\n"                                                      \
           "  f: {op: fma.rn.f32, in: [i, {value: 1.0}, {from: f, initial: {count: " k             \
           "}}]}\n" STORE "f], base: b}\n"
    rate(ACCUMULATE("1"), "s", 1, 10, RESERVED());
    rate(ACCUMULATE("4"), "s", 2, 5, RESERVED());
    rate(ACCUMULATE("8"), "s", 4, 5, RESERVED());
}

#define CHAIN_OF(k)                                                                                \
    PARAMS "  i: {op: increment, tokens: " k ", count: n}\n  x: {op: add.s32, in: [i], imm: 1}\n"  \
           "  y: {op: add.s32, in: [x], imm: 1}\n" STORE "y], base: b}\n"
#define SKIP_OF(k)                                                                                 \
    PARAMS "  i: {op: increment, tokens: " k ", step: 4, count: n}\n"                              \
           "  l: {op: ld.s32, in: [i], base: a}\n  x: {op: add.s32, in: [l], imm: 1}\n"            \
           "  y: {op: add.s32, in: [l, x]}\n" STORE "y], base: b}\n"

static void chains(void **state)
{
    (void)state;
    rate(CHAIN_OF("4"), "s", 1, 2, RESERVED("spatial.data_fifo=4", ));
    rate(CHAIN_OF("8"), "s", 1, 1, RESERVED("spatial.data_fifo=8", ));
    rate(CHAIN_OF("8"), "s", 1, 1, RESERVED("spatial.data_fifo=16", ));
    rate(CHAIN_OF("4"), "s", 4, 9, RESERVED("spatial.data_fifo=4", "spatial.space_delay=1", ));
    rate(CHAIN_OF("8"), "s", 8, 9, RESERVED("spatial.data_fifo=8", "spatial.space_delay=1", ));
    rate(CHAIN_OF("8"), "s", 1, 1, RESERVED("spatial.data_fifo=16", "spatial.space_delay=1", ));
    rate(SKIP_OF("4"), "s", 4, 9, RESERVED("spatial.data_fifo=4", ));
    rate(SKIP_OF("8"), "s", 8, 9, RESERVED("spatial.data_fifo=8", ));
    rate(SKIP_OF("8"), "s", 1, 1, RESERVED("spatial.data_fifo=16", ));
    rate(CHAIN_OF("4"), "s", 1, 2, IDEAL("spatial.data_fifo=4", "spatial.space=arrival", ));
    rate(CHAIN_OF("8"), "s", 1, 1, IDEAL("spatial.data_fifo=8", "spatial.space=arrival", ));
}

// Latencies of results over the 8 places for them, and the interval of special functions.
static void units(void **state)
{
    (void)state;
#define UNIT(text)                                                                                 \
    PARAMS "  i: {op: increment, tokens: 8, step: 4, count: n}\n  x: {" text "}\n" STORE           \
           "x], base: b}\n"
#define SPECIAL UNIT("op: ex2.approx.f32, in: [i]")
#define LOAD UNIT("op: ld.s32, in: [i], base: a")
    rate(SPECIAL, "s", 8, 40, RESERVED());
    rate(SPECIAL, "s", 8, 16, RESERVED("spatial.latency_sfu=16", ));
    rate(SPECIAL, "s", 1, 4, RESERVED("spatial.data_fifo=64", "spatial.interval_sfu=4", ));
    rate(LOAD, "s", 1, 1, RESERVED());
    rate(LOAD, "s", 8, 16, RESERVED("spatial.lsu_latency=16", ));
}

// A launch takes twice the time with half of the clock.
static void clock_of_mode(void **state)
{
    static const char *const clocks[] = {"spatial.clock=1400", "spatial.clock=700"};
    double cycles[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct map_rig_machine m;
        run(&m, INCREMENT("8"), RESERVED(clocks[i], ));
        cycles[i] = (double)m.r.cycles;
        map_run_free(&m);
    }
    if (fabs(cycles[1] / cycles[0] - 2) > 0.05)
        fail_msg("%g and %g cycles", cycles[0], cycles[1]);
}

// Returns a map's text with its parameters' names, and another number of tokens of increments.
static const char *with_tokens(const char *text, uint32_t tokens)
{
    static char to[8192];
    char *at = to + sprintf(to, "copies: 1\n");
    while (*text) {
        static const char op[] = "op: increment, ";
        if (!strncmp(text, op, sizeof op - 1)) {
            at += sprintf(at, "%stokens: %u, ", op, tokens);
            text += sizeof op - 1;
        } else {
            *at++ = *text++;
        }
    }
    *at = '\0';
    return to;
}

// [003 Fig. 7a]. All FIFOs have D entries.
static void convolution(void **state)
{
    static const struct {
        const char *map;
        uint32_t depth, tokens, cycles, first;
    } rows[] = {
        {CONV, 4, 14, 45, 35},       {CONV, 5, 7, 19, 35},        {CONV, 8, 10, 19, 35},
        {CONV, 16, 18, 19, 35},      {CONV, 32, 1, 1, 35},        {CONV_DIRECT, 4, 2, 19, 53},
        {CONV_DIRECT, 5, 3, 19, 53}, {CONV_DIRECT, 8, 6, 19, 53}, {CONV_DIRECT, 16, 14, 19, 53},
        {CONV_DIRECT, 32, 1, 1, 53}, {CONV_PASS, 4, 17, 45, 0},   {CONV_PASS, 8, 11, 15, 0},
        {CONV_PASS, 16, 1, 1, 0},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char data[32], address[32];
        struct map_rig_machine m;
        uint32_t depth = rows[i].depth;
        snprintf(data, sizeof data, "spatial.data_fifo=%u", depth);
        snprintf(address, sizeof address, "spatial.address_fifo=%u", depth);
        run(&m, with_tokens(rows[i].map, depth < 8 ? depth : 8), RESERVED(data, address, ));
        check_rate(&m, "st", rows[i].tokens, rows[i].cycles);
        if (rows[i].first)
            assert_int_equal(map_unit(&m, 0, "st", 0)->first, rows[i].first);
        map_run_free(&m);
    }
}

// [003 Fig. 5a]: first firings of a row, and its rate.
static void integral(void **state)
{
    static const char *const nodes[] = {"in0", "north", "sub0", "west0", "sum0", "st0"};
    static const uint32_t first[] = {8, 8, 9, 17, 25, 33};
    static const char *const depths[] = {"spatial.data_fifo=5", "spatial.data_fifo=8",
                                         "spatial.data_fifo=16"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct map_rig_machine m;
        // Parameters: in is a, out is b, width is n; the row above is the buffer a.
        run(&m,
            "copies: 1\nparams: [a, b, width, w]\nvalues: {in: a, out: b + 4 * "
            "width}\nnodes:\n" INTEGR_ROW("0", "north") INTEGR_NORTH,
            RESERVED(depths[i], ));
        for (uint32_t k = 0; k < 6; k++)
            assert_int_equal(map_unit(&m, 0, nodes[k], 0)->first, first[k]);
        check_rate(&m, "st0", 1, 8);
        map_run_free(&m);
    }
}

// [003 Fig. 9]: the loop of NW is the subtraction of the gap and the last maximum.
#define NW_ROW(in)                                                                                 \
    PARAMS "  i: {op: increment, step: 4, count: n}\n"                                             \
           "  north: {op: ld.s32, in: [i], base: a}\n"                                             \
           "  pair: {op: ld.s32, in: [i], base: b}\n" in STORE "best], base: b}\n"
static void alignment(void **state)
{
    (void)state;
    // The west branch goes through both maxima, or through the last one only.
    rate(NW_ROW("  gap: {op: sub.s32, in: [{from: best, initial: [0]}], imm: 10}\n"
                "  first: {op: max.s32, in: [gap, north]}\n"
                "  best: {op: max.s32, in: [first, pair]}\n"),
         "s", 1, 24, RESERVED());
    rate(NW_ROW("  gap: {op: sub.s32, in: [{from: best, initial: [0]}], imm: 10}\n"
                "  first: {op: max.s32, in: [pair, north]}\n"
                "  best: {op: max.s32, in: [first, gap]}\n"),
         "s", 1, 16, RESERVED());
}

// The order in which cores are evaluated has no effect, and neither has the order of nodes.
static void orders(void **state)
{
    struct map_rig_machine m;
    (void)state;
    run(&m, with_tokens(CONV, 8), SPATIAL());
    uint64_t cycles = m.r.cycles;
    uint64_t last = map_unit(&m, 0, "st", 0)->last;
    map_run_free(&m);
    for (uint64_t seed = 1; seed < 4; seed++) {
        map_rig_machine_prepare(&m, kernel, with_tokens(CONV, 8), 1, SPATIAL());
        m.r.shuffle = seed;
        uint32_t *a = kernel_buffer(&m.r.k, WORDS * 4);
        kernel_buffer(&m.r.k, WORDS * 4);
        for (uint32_t i = 0; i < WORDS; i++)
            a[i] = i * 2654435761u >> 12;
        kernel_u32(&m.r.k, FIRINGS);
        kernel_u32(&m.r.k, 200);
        map_run_go(&m, "k", 1, 32);
        rig_done(&m.r);
        assert_int_equal(m.r.cycles, cycles);
        assert_int_equal(map_unit(&m, 0, "st", 0)->last, last);
        map_run_free(&m);
    }
#define NODES(a, b, c, d) PARAMS a b c d "  s: {op: st.s32, in: [i, y], base: b}\n"
#define I "  i: {op: increment, step: 4, count: n}\n"
#define L "  l: {op: ld.s32, in: [i], base: a}\n"
#define X "  x: {op: add.s32, in: [l, {from: y, initial: [1, 2, 3]}]}\n"
#define Y "  y: {op: mul.lo.s32, in: [x, {from: l, initial: [7]}]}\n"
    static const char *const texts[] = {NODES(I, L, X, Y), NODES(Y, X, L, I), NODES(X, I, Y, L)};
    uint32_t sum[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        run(&m, texts[i], RESERVED());
        assert_int_equal(map_unit(&m, 0, "s", 0)->last,
                         (i ? cycles : map_unit(&m, 0, "s", 0)->last));
        cycles = map_unit(&m, 0, "s", 0)->last;
        const uint32_t *b = (const uint32_t *)m.r.k.image.list.v[1].data;
        for (uint32_t k = 0; k < FIRINGS; k++)
            sum[i] = sum[i] * 31 + b[k];
        map_run_free(&m);
    }
    assert_true(sum[0] == sum[1] && sum[1] == sum[2] && sum[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops),     cmocka_unit_test(chains),        cmocka_unit_test(convolution),
        cmocka_unit_test(units),     cmocka_unit_test(clock_of_mode), cmocka_unit_test(integral),
        cmocka_unit_test(alignment), cmocka_unit_test(orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
