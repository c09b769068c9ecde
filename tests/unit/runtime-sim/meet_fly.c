// The router of a butterfly at which a chain is computed, compared with the routes, router by
// router.
#include "runtime-sim/schemes/llc_omni/emn.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { TARGETS = 3 };

static struct noc_config butterfly(uint64_t radix, uint64_t stages)
{
    return (struct noc_config){.topology = NOC_FLY, .radix = radix, .stages = stages};
}

// Checks that all routes pass this router in its stage, but no common router in the next stage.
static void check(const struct noc_config *network, uint32_t from, const uint32_t *to,
                  uint32_t count)
{
    uint32_t in_stage = noc_fly_terminals(network) / (uint32_t)network->radix;
    uint32_t router = meet_fly_router(network, from, to, count), met = router / in_stage;
    assert_true(met < network->stages);
    for (uint32_t stage = 0; stage < network->stages; stage++) {
        uint32_t first = noc_fly_router(network, stage, from, to[0]);
        bool common = true;
        for (uint32_t i = 1; i < count; i++)
            common &= noc_fly_router(network, stage, from, to[i]) == first;
        if (common != (stage <= met) || (stage == met && first != router))
            fail_msg("radix %u, %u stages, from %u to %u, …: router %u, but stage %u is%s common",
                     (unsigned)network->radix, (unsigned)network->stages, from, to[0], router,
                     stage, common ? "" : " not");
    }
}

static void one_target(void **state)
{
    struct noc_config network = butterfly(4, 3);
    (void)state;
    for (uint32_t from = 0; from < 64; from++)
        for (uint32_t to = 0; to < 64; to++) {
            check(&network, from, &to, 1);
            assert_int_equal(meet_fly_router(&network, from, &to, 1), 32 + to / 4);
        }
}

// Routes from all cores to all three partitions of [000 Fig. 1].
static void partitions(void **state)
{
    static const uint32_t llc[] = {3, 15, 17, 29, 36, 47, 49, 61};
    struct noc_config network = butterfly(4, 3);
    uint32_t stages[3] = {0, 0, 0};
    (void)state;
    for (uint32_t from = 0; from < 64; from++)
        for (uint32_t t = 0; t < 512; t++) {
            const uint32_t to[TARGETS] = {llc[t % 8], llc[t / 8 % 8], llc[t / 64]};
            check(&network, from, to, TARGETS);
            stages[meet_fly_router(&network, from, to, TARGETS) / 16]++;
        }
    // Partitions have their highest digit in common with one other, and no two digits with any: of
    // 64 · 512 combinations 8 of 512 have one partition, 4 · 2³ a pair at most.
    assert_int_equal(stages[2], 64 * 8);
    assert_int_equal(stages[1], 64 * (4 * 8 - 8));
    assert_int_equal(stages[0], 64 * (512 - 4 * 8));
}

static void other_shapes(void **state)
{
    static const uint64_t shapes[][2] = {{2, 1}, {5, 1}, {2, 2}, {3, 2}, {2, 4}, {3, 4}, {7, 2}};
    uint32_t draw = 1;
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct noc_config network = butterfly(shapes[i][0], shapes[i][1]);
        uint32_t nodes = noc_fly_terminals(&network);
        for (uint32_t k = 0; k < 4000; k++) {
            uint32_t to[TARGETS], drawn[TARGETS + 1];
            for (uint32_t d = 0; d <= TARGETS; d++)
                drawn[d] = (draw = draw * 1664525 + 1013904223) >> 8;
            // Neighbours, too, so that late stages are met.
            for (uint32_t d = 0; d < TARGETS; d++)
                to[d] = (drawn[0] % nodes + (k & 1 ? drawn[d] % 3 : drawn[d])) % nodes;
            check(&network, drawn[TARGETS] % nodes, to, 1 + k % TARGETS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_target),
        cmocka_unit_test(partitions),
        cmocka_unit_test(other_shapes),
    };
    return cmocka_run_group_tests_name("meet_fly", tests, NULL, NULL);
}
