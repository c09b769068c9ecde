// Random maps: the results of a map do not depend on time. Each leaves the same memory with other
// FIFOs, latencies, memory and orders of evaluation; with ideal memory its rate is that of its
// marked graph.
#include "support/random.h"
#include "tests/unit/runtime-sim/rgpu_fixture.h"

enum { WORDS = 8192, COUNT = 2000, LIMIT = 14 };

static const char kernel[] =
    HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, "
                         ".param .u32 w)\n{\nret;\n}\n";

static uint32_t draw_below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(splitmix64(seed) % limit);
}

// Writes a map: an increment, loads, cores with one to three operands of earlier nodes, or of later
// ones with initial tokens; results that nothing uses are stored.
static void draw(char *text, uint64_t *seed)
{
    static const char *const ops[3][4] = {
        {"mov.b32", "not.b32", "neg.s32", "popc.b32"},
        {"add.s32", "mul.lo.s32", "max.s32", "xor.b32"},
        {"mad.lo.s32", "fma.rn.f32", "selp.b32", "mad.lo.u32"},
    };
    uint32_t n = 3 + draw_below(seed, LIMIT - 3), loads = 1 + draw_below(seed, 3), used = 0;
    char *at = text + sprintf(text,
                              "params: [a, b, n, w]\ncopies: 1\nnodes:\n"
                              "  n0: {op: increment, step: 4, tokens: %u, count: n}\n",
                              1 + draw_below(seed, 6));
    for (uint32_t i = 1; i < n; i++) {
        uint32_t operands = 1 + draw_below(seed, 3);
        if (i <= loads) {
            at += sprintf(at, "  n%u: {op: ld.u32, in: [n0], base: a + %u}\n", i,
                          4 * draw_below(seed, 64));
            continue;
        }
        at += sprintf(at, "  n%u: {op: %s, in: [", i, ops[operands - 1][draw_below(seed, 4)]);
        for (uint32_t k = 0; k < operands; k++) {
            // The first operand is an earlier node, so that there is a stream.
            uint32_t from = 1 + draw_below(seed, k ? n - 1 : i - 1);
            used |= from != i ? 1u << from : 0;
            uint32_t tokens = from >= i ? 1 + draw_below(seed, 4) : draw_below(seed, 3);
            at += sprintf(at, "%s{from: n%u, initial: {count: %u, first: %u, step: 7}}",
                          k ? ", " : "", from, tokens, draw_below(seed, 1000));
        }
        at += sprintf(at, "]}\n");
    }
    for (uint32_t i = 1; i < n; i++)
        if (!(used >> i & 1))
            at += sprintf(at, "  s%u: {op: st.u32, in: [n0, n%u], base: b + %u}\n", i, i,
                          i * (COUNT + 64) * 4);
}

static uint32_t digest;

static struct map_rate rate_of(const struct map_rig_machine *m)
{
    struct map_graph graph;
    struct map_rate rate;
    struct arena *arena = m->r.machine->arena;
    map_graph_make(&graph, arena, m->map.map, &m->m->hardware);
    map_rate_of(&rate, arena, &graph);
    return rate;
}

// Returns false if the map stops or does not fit these settings.
static bool run(struct map_rig_machine *m, const char *text, uint64_t shuffle,
                const char *const *settings)
{
    uint32_t *b;
    map_rig_machine_prepare(m, kernel, text, 1, settings);
    m->r.shuffle = shuffle;
    uint32_t *a = kernel_buffer(&m->r.k, WORDS * 4);
    b = kernel_buffer(&m->r.k, LIMIT * (COUNT + 64) * 4);
    for (uint32_t i = 0; i < WORDS; i++)
        a[i] = i * 2654435761u;
    kernel_u32(&m->r.k, COUNT);
    kernel_u32(&m->r.k, 0);
    map_run_go(m, "k", 1, 32);
    digest = 0;
    for (uint32_t i = 0; i < LIMIT * (COUNT + 64); i++)
        digest = digest * 31 + b[i];
    return m->r.end == MACHINE_DONE;
}

// The slowest unit has the rate of the graph: others are ahead by what FIFOs hold. Returns true if
// the rate is below 1.
static bool check_rate(const struct map_rig_machine *m, const char *text, uint32_t number)
{
    const struct spatial_array *array = m->m->cores[0]->array;
    struct map_rate rate = rate_of(m);
    double bound = (double)rate.tokens / (double)rate.cycles, min = 1;
    for (uint32_t i = 0; i < array->unit_count; i++) {
        const struct spatial_unit *unit = &array->units[i];
        double measured = (double)(unit->fired - 1) / (double)(unit->last - unit->first);
        min = measured < min ? measured : min;
    }
    assert_true(rate.tokens > 0);
    if (min < bound * 0.97 || min > bound * 1.03)
        fail_msg("%u: rate %f instead of %f\n%s", number, min, bound, text);
    return bound < 1;
}

static void maps(void **state)
{
    static char text[8192];
    uint64_t seed = 77;
    uint32_t ran = 0, slow = 0;
    (void)state;
    for (uint32_t number = 0; number < 120; number++) {
        struct map_rig_machine m;
        draw(text, &seed);
        struct map_rig rig;
        map_rig_read(&rig, text);
        if (!rig.map) { // a node that no other one feeds, or a cycle without tokens
            map_rig_free(&rig);
            continue;
        }
        map_rig_free(&rig);
        const char *const *const space[] = {IDEAL(), IDEAL("spatial.space=reserve", )};
        bool done = run(&m, text, 0, space[number % 2]);
        uint32_t expected = digest;
        if (done)
            slow += check_rate(&m, text, number);
        map_run_free(&m);
        const char *const *const others[] = {
            SPATIAL(),
            SPATIAL("spatial.data_fifo=16", "spatial.latency_2=3", "spatial.latency_3=17", ),
            SPATIAL("spatial.space=reserve", "spatial.address_fifo=8", "spatial.l1_kib=1", ),
            IDEAL("spatial.data_fifo=8", "spatial.l1_words=1", "spatial.wire_latency=2", ),
        };
        for (uint32_t k = 0; done && k < sizeof others / sizeof *others; k++) {
            bool same = run(&m, text, k, others[k]);
            if (!same || digest != expected)
                fail_msg("%u: other memory with settings %u: %s\n%s", number, k,
                         m.r.result.fault.text, text);
            map_run_free(&m);
        }
        ran += done;
    }
    assert_in_range(ran, 40, 120);
    assert_in_range(slow, 20, ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
