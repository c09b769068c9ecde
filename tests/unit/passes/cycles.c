// Compares cycle equivalence with its definition on small random multigraphs: two edges are on the
// same cycles exactly if removing both, but neither alone, disconnects the graph.
#include "passes/analysis/divergence/regions.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { MAX_NODES = 9, MAX_EDGES = 24, ROUNDS = 20000 };

struct graph {
    uint32_t nodes, count;
    struct cycle_edge edges[MAX_EDGES];
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

// Returns true if the graph is connected without two edges.
static bool connected(const struct graph *g, uint32_t without, uint32_t nor)
{
    uint32_t reached = 1;
    for (uint32_t round = 0; round < g->nodes; round++)
        for (uint32_t i = 0; i < g->count; i++) {
            uint32_t ends = 1u << g->edges[i].from | 1u << g->edges[i].to;
            if (i != without && i != nor && (reached & ends))
                reached |= ends;
        }
    return reached == (1u << g->nodes) - 1;
}

static bool same_cycles(const struct graph *g, uint32_t a, uint32_t b)
{
    bool bridge_a = !connected(g, a, a), bridge_b = !connected(g, b, b);
    if (a == b)
        return true;
    return !bridge_a && !bridge_b && !connected(g, a, b);
}

static struct graph random_graph(uint64_t *state)
{
    struct graph g = {.nodes = 1 + draw(state, MAX_NODES)};
    for (uint32_t i = 1; i < g.nodes; i++)
        g.edges[g.count++] = (struct cycle_edge){draw(state, i), i};
    for (uint32_t more = draw(state, MAX_EDGES - MAX_NODES); more-- > 0;)
        g.edges[g.count++] = (struct cycle_edge){draw(state, g.nodes), draw(state, g.nodes)};
    return g;
}

static void test_random(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct memory memory = {.fail_in = 0};
        struct arena arena;
        struct graph g = random_graph(&state);
        uint32_t classes[MAX_EDGES + 1];
        arena_init(&arena, &memory);
        uint32_t count = cycle_classes(&arena, g.nodes, g.edges, g.count, classes);
        for (uint32_t a = 0; a < g.count; a++) {
            assert_true(classes[a] < count);
            for (uint32_t b = 0; b < g.count; b++)
                assert_int_equal(classes[a] == classes[b], same_cycles(&g, a, b));
        }
        arena_free(&arena);
    }
}

static void test_empty(void **unused)
{
    (void)unused;
    struct memory memory = {.fail_in = 0};
    struct arena arena;
    arena_init(&arena, &memory);
    assert_int_equal(cycle_classes(&arena, 0, NULL, 0, NULL), 0);
    assert_int_equal(cycle_classes(&arena, 1, NULL, 0, NULL), 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
