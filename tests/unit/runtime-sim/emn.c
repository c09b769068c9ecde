// Meet nodes: the example of [000 Fig. 3], all tables compared with a search over sets of nodes,
// and the savings.
#include "tests/unit/runtime-sim/chain_hops.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 8, NODES = 64, LLCS = 8, CORES = NODES - LLCS };

static const uint32_t staggered[] = {3, 15, 17, 29, 36, 47, 49, 61};
// Pairs on the left and right edges, rows 1 and 2, 5 and 6 [000 Fig. 16].
static const uint32_t edges[] = {8, 15, 16, 23, 40, 47, 48, 55};

struct fixture {
    struct memory memory;
    struct arena arena;
    struct placement *placement;
};

static void begin(struct fixture *f, const uint32_t *llc)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    f->placement = placement_mesh(&f->arena, WIDTH, NODES / WIDTH, llc, LLCS);
    assert_non_null(f->placement);
    assert_int_equal(f->placement->cores, CORES);
}

// Lists the nodes of a route, starting with the core's.
static uint32_t walk(uint32_t from, uint32_t to, bool x_first, uint32_t *nodes)
{
    uint32_t x = from % WIDTH, y = from / WIDTH, count = 0;
    nodes[count++] = from;
    for (int leg = 0; leg < 2; leg++)
        if ((leg == 0) == x_first)
            while (x != to % WIDTH) {
                x += x < to % WIDTH ? 1 : -1u;
                nodes[count++] = y * WIDTH + x;
            }
        else
            while (y != to / WIDTH) {
                y += y < to / WIDTH ? 1 : -1u;
                nodes[count++] = y * WIDTH + x;
            }
    return count;
}

static bool among(const uint32_t *llc, uint32_t node)
{
    for (int i = 0; i < LLCS; i++)
        if (llc[i] == node)
            return true;
    return false;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return (uint32_t)(abs((int)(a % WIDTH) - (int)(b % WIDTH)) +
                      abs((int)(a / WIDTH) - (int)(b / WIDTH)));
}

static uint32_t brute_force(const uint32_t *llc, uint32_t core, uint32_t first, uint32_t second,
                            enum emn_at_llc at_llc)
{
    uint32_t best = EMN_NONE, min = UINT32_MAX;
    if (first == second)
        return at_llc == EMN_LLC_NONE ? EMN_NONE : (uint32_t)llc[first];
    for (int routes = 0; routes < 4; routes++) {
        uint32_t one[2 * WIDTH], two[2 * WIDTH];
        uint32_t n = walk(core, (uint32_t)llc[first], routes < 2, one);
        uint32_t m = walk(core, (uint32_t)llc[second], routes % 2 == 0, two);
        for (uint32_t i = 1; i < n; i++)
            for (uint32_t k = 1; k < m; k++) {
                uint32_t sum =
                    apart(one[i], (uint32_t)llc[first]) + apart(one[i], (uint32_t)llc[second]);
                if (one[i] == two[k] && sum < min) {
                    min = sum;
                    best = one[i];
                }
            }
    }
    return at_llc != EMN_LLC_ANY && best != EMN_NONE && among(llc, best) ? EMN_NONE : best;
}

static void all_entries(void **state)
{
    (void)state;
    static const uint32_t *const placements[] = {staggered, edges};
    for (int p = 0; p < 2; p++)
        for (enum emn_at_llc at = EMN_LLC_DESTINATION; at <= EMN_LLC_NONE; at++) {
            struct fixture f;
            begin(&f, placements[p]);
            const uint16_t *entry = emn_tables(&f.arena, f.placement, at);
            for (uint32_t core = 0; core < CORES; core++)
                for (uint32_t pair = 0; pair < LLCS * LLCS; pair++)
                    assert_int_equal(*entry++, brute_force(placements[p], f.placement->core[core],
                                                           pair / LLCS, pair % LLCS, at));
            arena_free(&f.arena);
        }
}

struct counts {
    uint32_t same, core, one, third, none;
};

static struct counts count(struct fixture *f, enum emn_at_llc at_llc)
{
    struct counts counts = {0};
    const uint16_t *entry = emn_tables(&f->arena, f->placement, at_llc);
    for (uint32_t i = 0; i < CORES * LLCS * LLCS; i++) {
        uint32_t first = i / LLCS % LLCS, second = i % LLCS, node = entry[i];
        const uint16_t *llc = f->placement->llc;
        bool at = node == llc[first] || node == llc[second];
        bool other = false;
        for (int k = 0; k < LLCS; k++)
            other |= node == llc[k];
        counts.none += node == EMN_NONE;
        counts.same += node != EMN_NONE && first == second;
        counts.one += at && first != second;
        counts.third += other && !at;
        counts.core += node != EMN_NONE && !other;
    }
    return counts;
}

static void check_kinds(const uint32_t *llc, struct counts any)
{
    struct counts expected[] = {
        [EMN_LLC_DESTINATION] = {any.same, any.core, 0, 0, any.none + any.one + any.third},
        [EMN_LLC_ANY] = any,
        [EMN_LLC_NONE] = {0, any.core, 0, 0, any.none + any.one + any.third + any.same},
    };
    struct fixture f;
    begin(&f, llc);
    for (enum emn_at_llc at = EMN_LLC_DESTINATION; at <= EMN_LLC_NONE; at++) {
        struct counts found = count(&f, at);
        assert_memory_equal(&found, &expected[at], sizeof found);
    }
    arena_free(&f.arena);
}

static void kinds(void **state)
{
    (void)state;
    check_kinds(staggered, (struct counts){448, 1854, 590, 28, 664});
    check_kinds(edges, (struct counts){448, 1136, 1120, 160, 720});
}

// Core 15 is at (2, 2), the only one 8, 5 and 8 hops from LLC5, LLC6 and LLC7.
static void example(void **state)
{
    (void)state;
    enum { CORE = 2 + 2 * WIDTH, MEET = 2 + 5 * WIDTH };
    struct fixture f;
    begin(&f, staggered);
    const struct placement *p = f.placement;
    assert_int_equal(p->core[15], CORE);
    for (uint32_t i = 0; i < CORES; i++)
        assert_int_equal(p->core[i] == CORE,
                         placement_distance(p, p->core[i], p->llc[5]) == 8 &&
                             placement_distance(p, p->core[i], p->llc[6]) == 5 &&
                             placement_distance(p, p->core[i], p->llc[7]) == 8);
    assert_int_equal(emn_find(p, CORE, 5, 6, EMN_LLC_ANY), MEET);
    assert_int_equal(placement_distance(p, CORE, MEET), 3);
    assert_int_equal(placement_distance(p, MEET, p->llc[5]), 5);
    assert_int_equal(placement_distance(p, MEET, p->llc[6]), 2);
    assert_int_equal(placement_distance(p, MEET, p->llc[7]), 5);
    assert_int_equal(emn_find(p, CORE, 0, 6, EMN_LLC_ANY), EMN_NONE);

    struct chain_hops alone = chain_hops_alone(p, CORE, 5, 6, 7);
    struct chain_hops meeting = chain_hops_at(p, CORE, MEET, 5, 6, 7);
    assert_int_equal(alone.hops, 42);
    assert_int_equal(alone.weighted, 126);
    assert_int_equal(meeting.hops, 30);
    assert_int_equal(meeting.weighted, 78);
    alone = chain_hops_alone(p, CORE, 5, 5, 5);
    meeting = chain_hops_at(p, CORE, p->llc[5], 5, 5, 5);
    assert_int_equal(alone.hops, 48);
    assert_int_equal(alone.weighted, 144);
    assert_int_equal(meeting.hops, 16);
    assert_int_equal(meeting.weighted, 16);
    arena_free(&f.arena);
}

// Computes over all cores and all triples of two loads and a store: mean weighted hops, and the
// share of chains that can be offloaded.
static void mean_hops(struct fixture *f, enum emn_at_llc at_llc, double *alone, double *offloaded,
                      double *share)
{
    const uint16_t *entry = emn_tables(&f->arena, f->placement, at_llc);
    uint64_t sum_alone = 0, sum = 0, count = 0, total = CORES * LLCS * LLCS * LLCS;
    for (uint32_t i = 0; i < total; i++) {
        uint32_t core = f->placement->core[i / LLCS / LLCS / LLCS];
        uint32_t first = i / LLCS / LLCS % LLCS, second = i / LLCS % LLCS, store = i % LLCS;
        uint32_t node = entry[i / LLCS];
        struct chain_hops hops = chain_hops_alone(f->placement, core, first, second, store);
        sum_alone += hops.weighted;
        if (node != EMN_NONE)
            hops = chain_hops_at(f->placement, core, node, first, second, store);
        sum += hops.weighted;
        count += node != EMN_NONE;
    }
    *alone = (double)sum_alone / (double)total;
    *offloaded = (double)sum / (double)total;
    *share = (double)count / (double)total;
}

static void check_savings(const uint32_t *llc, double expected_alone, const double *expected,
                          const double *shares)
{
    struct fixture f;
    begin(&f, llc);
    for (enum emn_at_llc at = EMN_LLC_DESTINATION; at <= EMN_LLC_NONE; at++) {
        double alone, offloaded, share;
        mean_hops(&f, at, &alone, &offloaded, &share);
        assert_true(fabs(alone - expected_alone) < 0.005);
        assert_true(fabs(offloaded - expected[at]) < 0.005);
        assert_true(fabs(share - shares[at]) < 0.0005);
    }
    arena_free(&f.arena);
}

static void savings(void **state)
{
    (void)state;
    check_savings(
        staggered, 94.90,
        (const double[]){
            [EMN_LLC_DESTINATION] = 71.05, [EMN_LLC_ANY] = 65.66, [EMN_LLC_NONE] = 77.77},
        (const double[]){
            [EMN_LLC_DESTINATION] = 0.642, [EMN_LLC_ANY] = 0.815, [EMN_LLC_NONE] = 0.517});
    check_savings(
        edges, 108.64,
        (const double[]){
            [EMN_LLC_DESTINATION] = 91.61, [EMN_LLC_ANY] = 74.76, [EMN_LLC_NONE] = 99.37},
        (const double[]){
            [EMN_LLC_DESTINATION] = 0.442, [EMN_LLC_ANY] = 0.799, [EMN_LLC_NONE] = 0.317});
}

static void placements(void **state)
{
    (void)state;
    static const uint32_t twice[] = {3, 3}, outside[] = {64};
    struct fixture f;
    begin(&f, staggered);
    assert_null(placement_mesh(&f.arena, WIDTH, WIDTH, twice, 2));
    assert_null(placement_mesh(&f.arena, WIDTH, WIDTH, outside, 1));
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_entries), cmocka_unit_test(kinds),      cmocka_unit_test(example),
        cmocka_unit_test(savings),     cmocka_unit_test(placements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
