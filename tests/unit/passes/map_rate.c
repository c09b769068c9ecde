// Rates of maps: known ones, and random ones compared with a simulation of their tokens.
#include "passes/maps/map_rate.h"
#include "support/random.h"
#include "tests/unit/passes/map_text.h"

enum { SIZES = 6 };
static const uint32_t sizes[SIZES] = {4, 5, 8, 16, 32, 64};

static struct map_rate rate_of(struct map_rig *r)
{
    struct map_graph graph;
    struct map_rate rate;
    map_graph_make(&graph, &r->arena, r->map, &r->hardware);
    map_rate_of(&rate, &r->arena, &graph);
    return rate;
}

static void check_rate(struct map_rig *r, uint64_t tokens, uint64_t cycles)
{
    struct map_rate rate = rate_of(r);
    if (rate.tokens != tokens || rate.cycles != cycles)
        fail_msg("%llu/%llu instead of %llu/%llu", (unsigned long long)rate.tokens,
                 (unsigned long long)rate.cycles, (unsigned long long)tokens,
                 (unsigned long long)cycles);
}

static void check_text(const char *text, uint64_t tokens, uint64_t cycles)
{
    struct map_rig r;
    map_rig_load(&r, text);
    check_rate(&r, tokens, cycles);
    map_rig_free(&r);
}

// Checks the rates of a text, with FIFOs of D entries only.
static void check_sizes(const char *text, const uint32_t (*expected)[2])
{
    struct map_rig r;
    map_rig_load(&r, text);
    for (uint32_t i = 0; i < SIZES; i++) {
        if (!expected[i][1])
            continue;
        r.hardware.data_fifo = r.hardware.address_fifo = sizes[i];
        check_rate(&r, expected[i][0], expected[i][1]);
    }
    map_rig_free(&r);
}

// An increment with k initial tokens gives k/8 results per cycle, an accumulator k/10.
static void loops(void **state)
{
    (void)state;
    check_text("nodes:\n a: {op: increment, tokens: 1, count: 9}\n"
               " s: {op: st.s32, in: [a, a], base: 0}\n",
               1, 8);
    check_text("nodes:\n a: {op: increment, tokens: 4, count: 9}\n"
               " s: {op: st.s32, in: [a, a], base: 0}\n",
               1, 2);
    check_text("nodes:\n a: {op: increment, tokens: 5, count: 9}\n"
               " s: {op: st.s32, in: [a, a], base: 0}\n",
               5, 8);
    check_text("nodes:\n a: {op: increment, tokens: 8, count: 9}\n"
               " s: {op: st.s32, in: [a, a], base: 0}\n",
               1, 1);
#define ACCUMULATOR(tokens)                                                                        \
    "nodes:\n a: {op: increment, tokens: 8, count: 9}\n"                                           \
    " f: {op: fma.rn.f32, in: [a, {value: 2.0}, {from: f, initial: {count: " tokens "}}]}\n"       \
    " s: {op: st.f32, in: [a, f], base: 0}\n"
    // The FIFO of the store's offset limits nothing: it is an address FIFO.
    check_text(ACCUMULATOR("1"), 1, 10);
    check_text(ACCUMULATOR("4"), 2, 5);
    check_text(ACCUMULATOR("8"), 4, 5);
}

#define CHAIN                                                                                      \
    "nodes:\n a: {op: increment, tokens: 8, count: 9}\n b: {op: add.s32, in: [a], imm: 1}\n"       \
    " c: {op: add.s32, in: [b], imm: 1}\n d: {op: add.s32, in: [c], imm: 1}\n"                     \
    " s: {op: st.s32, in: [d, d], base: 0}\n"
#define SKIP                                                                                       \
    "nodes:\n a: {op: increment, tokens: 8, count: 9}\n b: {op: ld.s32, in: [a], base: 0}\n"       \
    " c: {op: add.s32, in: [b], imm: 1}\n d: {op: add.s32, in: [b, c]}\n"                          \
    " s: {op: st.s32, in: [d, d], base: 0}\n"

// Rates of the chain itself, without the increment, whose FIFO is smaller than its tokens for D =
// 4.
static void chains(void **state)
{
    struct map_rig r;
    (void)state;
    static const uint32_t chain[3][3] = {{1, 2}, {1, 1}, {1, 1}},
                          late[3][3] = {{4, 9}, {8, 9}, {1, 1}};
    static const uint32_t depths[] = {4, 8, 16};
    for (uint32_t i = 0; i < 3; i++) {
        char text[sizeof CHAIN + 8];
        strcpy(text, CHAIN);
        *strstr(text, "8,") = '4'; // an increment of 4 tokens has the rate 1/2
        map_rig_load(&r, depths[i] == 4 ? text : CHAIN);
        r.hardware.data_fifo = depths[i];
        check_rate(&r, chain[i][0], chain[i][1]);
        r.hardware.space_delay = 1;
        check_rate(&r, late[i][0], late[i][1]);
        r.hardware.space_delay = 0;
        r.hardware.space = MAP_ARRIVAL;            // D + 8 places on each edge
        check_rate(&r, 1, depths[i] == 4 ? 2 : 1); // the increment's
        map_rig_free(&r);
    }
    // The edge that skips b, of latency 1, has D + 1 places for 9 cycles.
    map_rig_load(&r, SKIP);
    r.hardware.space = MAP_ARRIVAL;
    check_rate(&r, 1, 1);
    map_rig_free(&r);
    static const uint32_t skip[SIZES][2] = {{0}, {0}, {8, 9}, {1, 1}, {1, 1}, {1, 1}};
    check_sizes(SKIP, skip);
}

// [003 Fig. 7a], by FIFO depth: (D + 2)/19 from 5 to 16.
static void convolution(void **state)
{
    (void)state;
    static const uint32_t transposed[SIZES][2] = {{0}, {0}, {10, 19}, {18, 19}, {1, 1}, {1, 1}};
    static const uint32_t direct[SIZES][2] = {{0}, {0}, {6, 19}, {14, 19}, {1, 1}, {1, 1}};
    static const uint32_t pass[SIZES][2] = {{0}, {0}, {11, 15}, {1, 1}, {1, 1}, {1, 1}};
    check_sizes(CONV, transposed);
    check_sizes(CONV_DIRECT, direct);
    check_sizes(CONV_PASS, pass);
    check_text(CONV, 10, 19);
    check_text(CONV_PASS, 4, 5); // address FIFOs of 256 limit it no more
}

// One pass core for each of the three rows; with fewer, nothing is gained.
static void buffers(void **state)
{
    (void)state;
    static const struct {
        uint32_t cores, added, tokens, cycles;
    } rows[] = {{0, 0, 10, 19}, {13, 0, 10, 19}, {15, 0, 10, 19}, {16, 3, 4, 5}, {32, 3, 4, 5}};
    struct map_rig r;
    map_rig_load(&r, CONV);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map_rate rate;
        const struct map *map = map_buffer(&r.arena, r.map, &r.hardware, rows[i].cores, &rate);
        assert_int_equal(map->nodes.n - r.map->nodes.n, rows[i].added);
        assert_int_equal(rate.tokens, rows[i].tokens);
        assert_int_equal(rate.cycles, rows[i].cycles);
        assert_int_equal(map == r.map, !rows[i].added);
    }
    map_rig_free(&r);
}

// As above, with increments that fit FIFOs of 4 and 5, and with address FIFOs of that depth.
static void small_fifos(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t depth, tokens, cycles;
    } rows[] = {{CONV, 4, 14, 45},       {CONV, 5, 7, 19},       {CONV_DIRECT, 4, 2, 19},
                {CONV_DIRECT, 5, 3, 19}, {CONV_PASS, 4, 17, 45}, {SKIP, 4, 4, 9}};
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map_rig r;
        map_rig_load(&r, rows[i].text);
        struct map_node *nodes = r.map->nodes.v;
        for (uint32_t k = 0; k < r.map->nodes.n; k++)
            nodes[k].increment.tokens = rows[i].depth;
        r.hardware.data_fifo = r.hardware.address_fifo = rows[i].depth;
        check_rate(&r, rows[i].tokens, rows[i].cycles);
        map_rig_free(&r);
    }
}

// [003 Fig. 5a]: the sum of a row has one token in 8 cycles, for any depth from 5.
static void integral(void **state)
{
    (void)state;
    static const char *const texts[] = {INTEGR1, INTEGR2, INTEGR4};
    static const uint32_t depths[] = {5, 8, 16, 32};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 4; k++) {
            struct map_rig r;
            map_rig_load(&r, texts[i]);
            r.hardware.data_fifo = depths[k];
            check_rate(&r, 1, 8);
            map_rig_free(&r);
        }
}

// The text names the cycle.
static void texts(void **state)
{
    struct map_rig r;
    struct map_graph graph;
    struct map_rate rate;
    (void)state;
    map_rig_load(&r, INTEGR1);
    map_graph_make(&graph, &r.arena, r.map, &r.hardware);
    map_rate_of(&rate, &r.arena, &graph);
    assert_string_equal(map_rate_text(&r.arena, r.map, &r.hardware, &graph, &rate),
                        "sum0 to sum0: 1 token in 8 cycles");
    map_rig_free(&r);
    map_rig_load(&r, CONV);
    map_graph_make(&graph, &r.arena, r.map, &r.hardware);
    map_rate_of(&rate, &r.arena, &graph);
    const char *text = map_rate_text(&r.arena, r.map, &r.hardware, &graph, &rate);
    assert_non_null(strstr(text, "FIFO of 8 between ld"));
    assert_non_null(strstr(text, ": 10 tokens in 19 cycles"));
    map_rig_free(&r);
}

// Compares random graphs with a simulation of their tokens. In each cycle the largest set of nodes
// fires whose tokens and places are available. A place is free in the cycle of the firing that
// empties it, or one cycle later. Finally all nodes fire `step` times more in `period` more cycles,
// for ever.

enum { NODES = 12, FIFOS = 24, FIRINGS = 2000, ENTRIES = 16 };

struct tokens {
    uint32_t from, to, entries, late;
    int64_t latency, arrives[ENTRIES];
    uint64_t pushed, popped;
};

struct simulation {
    uint32_t nodes, fifos;
    struct tokens fifo[FIFOS];
    uint32_t fired[NODES];
    int64_t times[NODES][FIRINGS];
};

static struct simulation sim;

static void draw_fifo(struct map_graph *graph, struct arena *arena, uint64_t *seed, uint32_t a,
                      uint32_t b)
{
    uint32_t entries = 1 + (uint32_t)(splitmix64(seed) % ENTRIES);
    uint32_t latency = 1 + (uint32_t)(splitmix64(seed) % 12), late = splitmix64(seed) % 2 && a != b;
    // Forward edges may be empty.
    uint32_t tokens = a < b ? (uint32_t)(splitmix64(seed) % (entries + 1))
                            : 1 + (uint32_t)(splitmix64(seed) % entries);
    if (splitmix64(seed) % 2 && a < b)
        tokens = 0;
    vec_push(arena, &graph->edges, (struct map_edge){a, b, (int32_t)latency, tokens, b, 0, false});
    vec_push(arena, &graph->edges,
             (struct map_edge){b, a, (int32_t)late, entries - tokens, b, 0, true});
    sim.fifo[sim.fifos++] = (struct tokens){a, b, entries, late, latency, {0}, tokens, 0};
}

static void draw(struct map_graph *graph, struct arena *arena, uint64_t *seed)
{
    uint32_t n = 2 + (uint32_t)(splitmix64(seed) % (NODES - 1));
    memset(&sim, 0, sizeof sim);
    sim.nodes = n;
    *graph = (struct map_graph){.nodes = n};
    for (uint32_t i = 0; i < n; i++)
        vec_push(arena, &graph->edges, (struct map_edge){i, i, 1, 1, MAP_NO_NODE, 0, false});
    for (uint32_t i = 0; i + 1 < n; i++) // connected
        draw_fifo(graph, arena, seed, (uint32_t)(splitmix64(seed) % (i + 1)), i + 1);
    for (uint32_t i = 0; i < n; i++)
        draw_fifo(graph, arena, seed, (uint32_t)(splitmix64(seed) % n),
                  (uint32_t)(splitmix64(seed) % n));
}

// Returns the set of nodes that fire now.
static uint32_t find_firing(int64_t now)
{
    uint32_t set = (UINT32_C(1) << sim.nodes) - 1, before;
    do {
        before = set;
        for (uint32_t i = 0; i < sim.fifos; i++) {
            const struct tokens *f = &sim.fifo[i];
            bool empties = set >> f->to & 1 && !f->late;
            if (f->pushed == f->popped || f->arrives[f->popped % f->entries] > now)
                set &= ~(UINT32_C(1) << f->to);
            if (f->pushed - f->popped == f->entries && !empties)
                set &= ~(UINT32_C(1) << f->from);
        }
    } while (set != before);
    return set;
}

static void fire(uint32_t set, int64_t now)
{
    for (uint32_t i = 0; i < sim.fifos; i++) {
        struct tokens *f = &sim.fifo[i];
        f->popped += set >> f->to & 1;
        if (set >> f->from & 1)
            f->arrives[f->pushed++ % f->entries] = now + f->latency;
    }
    for (uint32_t i = 0; i < sim.nodes; i++)
        if (set >> i & 1 && sim.fired[i] < FIRINGS)
            sim.times[i][sim.fired[i]++] = now;
}

// Returns false if the graph stops.
static bool simulate(void)
{
    int64_t last = 0;
    uint32_t done = 0;
    for (int64_t now = 0; done < sim.nodes; now++) {
        uint32_t set = find_firing(now);
        if (set)
            last = now;
        else if (now > last + 20)
            return false;
        fire(set, now);
        done = 0;
        for (uint32_t i = 0; i < sim.nodes; i++)
            done += sim.fired[i] == FIRINGS;
    }
    return true;
}

// Returns true if all nodes have this period for `step` firings over the last ones.
static bool has_period(uint32_t step, int64_t *period)
{
    *period = sim.times[0][FIRINGS - 1] - sim.times[0][FIRINGS - 1 - step];
    for (uint32_t i = 0; i < sim.nodes; i++)
        for (uint32_t k = FIRINGS / 2; k < FIRINGS; k++)
            if (sim.times[i][k] - sim.times[i][k - step] != *period)
                return false;
    return true;
}

static void random_maps(void **state)
{
    struct map_rig r;
    uint64_t seed = 23;
    uint32_t stopped = 0, slow = 0;
    (void)state;
    map_rig_load(&r, INTEGR1); // for its arena
    for (uint32_t number = 0; number < 1000; number++) {
        struct arena own;
        struct map_graph graph;
        struct map_rate rate;
        int64_t period;
        arena_init(&own, &r.memory);
        draw(&graph, &own, &seed);
        map_rate_of(&rate, &own, &graph);
        if (!simulate()) {
            assert_int_equal(rate.tokens, 0);
            stopped++;
        } else {
            uint32_t step = 1;
            while (step < FIRINGS / 2 && !has_period(step, &period))
                step++;
            assert_in_range(step, 1, FIRINGS / 2 - 1);
            assert_true(rate.tokens * (uint64_t)period == rate.cycles * step);
            slow += rate.cycles > rate.tokens;
        }
        arena_free(&own);
    }
    assert_in_range(stopped, 20, 900); // both kinds are there
    assert_in_range(slow, 100, 1000);
    map_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops),       cmocka_unit_test(chains),      cmocka_unit_test(convolution),
        cmocka_unit_test(small_fifos), cmocka_unit_test(integral),    cmocka_unit_test(texts),
        cmocka_unit_test(buffers),     cmocka_unit_test(random_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
