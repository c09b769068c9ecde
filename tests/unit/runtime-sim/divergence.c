// Divergence compared with its absence: kernels of random flow graphs, also irreducible ones, with
// calls, compute the same in full warps as in warps of one lane, which cannot diverge.
#include "tests/lib/sanitized.h"
#include "tests/unit/runtime-sim/random_graph.h"

#ifdef DRIVEN
enum { KERNELS = IS_SANITIZED ? 6 : 12 };
#else
enum { KERNELS = IS_SANITIZED ? 60 : 120 };
#endif
enum { THREADS = 96 };

static uint64_t run(const char *text, uint32_t grid, uint32_t block, uint32_t *values)
{
    struct kernel k;
    kernel_load(&k, text, NULL);
    uint32_t *out = kernel_buffer(&k, THREADS * sizeof *out);
    kernel_succeeds(&k, "k", grid, block);
    memcpy(values, out, THREADS * sizeof *values);
    uint64_t instructions = k.result.thread_instructions;
    kernel_free(&k);
    return instructions;
}

static void test_random_graphs(void **state)
{
    (void)state;
    static struct graph text;
    uint32_t alone[THREADS], together[THREADS];
    for (uint32_t i = 0; i < KERNELS; i++) {
        text.length = 0;
        text.state = i;
        graph_write(&text);
        uint64_t few = run(text.data, THREADS, 1, alone),
                 many = run(text.data, 1, THREADS, together);
        if (few != many || memcmp(alone, together, sizeof alone))
            fail_msg("kernel %u differs in warps of 32:\n%s", i, text.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
