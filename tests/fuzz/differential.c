// Tagged and reordered code computes the same as the original: random kernels (kernels.h) and all
// samples are executed as they are and as the tagger writes them, on the same inputs, with the
// lanes of each instruction set. Afterwards all buffers are equal, byte for byte, and so are the
// numbers of instructions that the threads executed.
//
// usage: differential ROOT
//            the test: some kernels, all samples below ROOT, and damage that must be detected
//        differential [--count N] [--seed S] [--keep FOLDER]
//            N kernels from seed S on; one that fails is shrunk and written to FOLDER (here)
//        differential --print S
//            the kernel of this seed
#include "tests/fuzz/differential.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "tests/lib/patterns.h"
#include "tests/lib/sanitized.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The test's kernels are the same in every run; --seed gives others. Sanitizers cover the code of
// any kernel.
enum {
    TEST_KERNELS = IS_SANITIZED ? 200 : 500,
    DAMAGED_KERNELS = IS_SANITIZED ? 20 : 40,
    MIN_OF_PATTERN = TEST_KERNELS / 50,
};

struct totals {
    uint32_t kernels, failed, tagged, reordered, divided;
    uint32_t chains, blocks, moves, split, patterns[CHAIN_PATTERNS + 1];
    uint64_t thread_instructions;
};

static void add_to(struct totals *totals, const struct comparison *result)
{
    const struct tagged *tagged = &result->tagged;
    totals->kernels++;
    totals->failed += result->outcome != OUTCOME_SAME;
    totals->tagged += tagged->chains != 0;
    totals->reordered += tagged->moves != 0;
    totals->divided += tagged->split != 0;
    totals->chains += tagged->chains;
    totals->blocks += tagged->blocks;
    totals->moves += tagged->moves;
    totals->split += tagged->split;
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
        totals->patterns[i] += tagged->patterns[i];
    totals->thread_instructions += result->thread_instructions;
}

static void print_totals(const struct totals *t, const char *lanes)
{
    printf("# %s: %u kernels, %u with chains, %u reordered, %u with divided fma\n", lanes,
           t->kernels, t->tagged, t->reordered, t->divided);
    printf("# %s: %u chains (", lanes, t->chains);
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
        printf("%s%u: %u", i > 1 ? ", " : "", i, t->patterns[i]);
    printf("), %u blocks, %u moves, %u divided; %.1f million thread instructions; %.1f s\n",
           t->blocks, t->moves, t->split, (double)t->thread_instructions / 1e6,
           (double)clock() / CLOCKS_PER_SEC);
}

static void keep(const char *folder, const struct random_kernel *kernel, const struct trial *trial,
                 const struct comparison *result)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/differential-%llu.ptx", folder,
             (unsigned long long)kernel->inputs.seed);
    FILE *to = fopen(path, "w");
    if (!to) {
        perror(path);
        return;
    }
    fprintf(to, "// seed %llu, lanes %s, --fma=%s, grid %u, block %u\n// %s\n%s",
            (unsigned long long)kernel->inputs.seed, trial->lanes,
            trial->fma == FMA_SPLIT ? "split" : "fused", kernel->inputs.grid[0],
            kernel->inputs.block[0], result->why, kernel_text(kernel, NULL, NULL));
    fclose(to);
    printf("# written to %s\n", path);
}

static uint32_t statements_left(const struct random_kernel *kernel)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < kernel->list.n; i++)
        left += !kernel->list.v[i].fixed && !kernel->list.v[i].dropped;
    return left;
}

static void fail(const char *folder, struct random_kernel *kernel, const struct trial *trial,
                 struct comparison *result)
{
    printf("# seed %llu, %s: %s\n", (unsigned long long)kernel->inputs.seed, trial->lanes,
           result->why);
    if (result->outcome == OUTCOME_DIFFERENT) {
        shrink_kernel(trial, kernel);
        compare_kernel(result, trial, kernel);
        printf("# %u statements are left: %s\n", statements_left(kernel), result->why);
    }
    keep(folder, kernel, trial, result);
    fflush(stdout);
}

// Compares the kernel of this seed; every second one with --fma=split.
static void try_seed(struct totals *totals, const char *folder, const char *lanes, uint64_t seed)
{
    struct memory memory = {0};
    struct arena arena;
    struct random_kernel kernel;
    struct comparison result;
    struct trial trial = {.lanes = lanes, .fma = seed % 2 ? FMA_SPLIT : FMA_FUSED};
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    kernel_make(&kernel, &arena, seed);
    compare_kernel(&result, &trial, &kernel);
    add_to(totals, &result);
    if (result.outcome != OUTCOME_SAME)
        fail(folder, &kernel, &trial, &result);
    arena_free(&arena);
}

static uint32_t compare_many(const char *lanes, uint32_t count, uint64_t seed, const char *folder,
                             struct totals *totals)
{
    for (uint32_t i = 0; i < count; i++)
        try_seed(totals, folder, lanes, seed + i);
    print_totals(totals, lanes);
    return totals->failed;
}

// Damage

struct damage {
    uint32_t done, found, shrunk, max_left;
};

static void damage_seed(struct damage *damage, enum mutation mutation, uint64_t seed)
{
    struct memory memory = {0};
    struct arena arena;
    struct random_kernel kernel;
    struct comparison result;
    struct trial trial = {.lanes = "plain", .mutation = mutation, .seed = seed};
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    kernel_make(&kernel, &arena, seed);
    compare_kernel(&result, &trial, &kernel);
    damage->done += result.tagged.mutated;
    damage->found += result.outcome == OUTCOME_DIFFERENT;
    // Shrinking takes some hundred comparisons.
    if (result.outcome == OUTCOME_DIFFERENT && mutation == MUTATE_SWAP && damage->shrunk < 2) {
        shrink_kernel(&trial, &kernel);
        compare_kernel(&result, &trial, &kernel);
        uint32_t left = statements_left(&kernel);
        if (result.outcome == OUTCOME_DIFFERENT && damage->max_left < left)
            damage->max_left = left;
        // 0: what was swapped cannot be dropped.
        damage->shrunk += result.outcome == OUTCOME_DIFFERENT && left;
    }
    arena_free(&arena);
}

static struct damage damage_many(enum mutation mutation)
{
    struct damage damage = {0};
    for (uint64_t seed = 1; seed <= DAMAGED_KERNELS; seed++)
        damage_seed(&damage, mutation, seed);
    return damage;
}

struct test {
    uint32_t number, failed;
};

static void say(struct test *test, bool right, const char *what)
{
    test->failed += !right;
    printf("%s %u - %s\n", right ? "ok" : "not ok", ++test->number, what);
    fflush(stdout);
}

static void test_damage(struct test *test)
{
    struct damage swap = damage_many(MUTATE_SWAP), move = damage_many(MUTATE_MOVE),
                  tag = damage_many(MUTATE_TAG);
    printf("# found of those damaged: %u of %u swaps, %u of %u moves, %u of %u tags\n", swap.found,
           swap.done, move.found, move.done, tag.found, tag.done);
    // Not every swap can be seen: what is computed may be of no use.
    say(test, swap.done > DAMAGED_KERNELS / 2 && 3 * swap.found > swap.done,
        "dependent instructions that changed places are found");
    say(test, move.done > DAMAGED_KERNELS / 2 && move.found > 0, "a move left out is found");
    say(test, tag.done > DAMAGED_KERNELS / 2 && tag.found == tag.done, "a tag left out is found");
    printf("# shrunk to at most %u statements\n", swap.max_left);
    say(test, swap.shrunk == 2 && swap.max_left <= 12, "what fails is shrunk");
}

static void test_random(struct test *test, const char *lanes)
{
    struct totals totals = {0};
    char what[80];
    if (!lanes_named(lanes)) {
        printf("ok %u - random kernels, %s # SKIP this machine has none\n", ++test->number, lanes);
        return;
    }
    compare_many(lanes, TEST_KERNELS, 1, ".", &totals);
    snprintf(what, sizeof what, "random kernels, %s", lanes);
    say(test, !totals.failed, what);
    bool all = totals.reordered > TEST_KERNELS / 2 && totals.divided > TEST_KERNELS / 8;
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
        all &= totals.patterns[i] >= MIN_OF_PATTERN || !pattern_saves(i);
    say(test, all, "they have chains of all patterns, many to be reordered or divided");
}

static int run_test(const char *root)
{
    struct test test = {0, 0};
    test_random(&test, "plain");
    test_random(&test, "avx2");
    test_damage(&test);
    test.number += compare_samples(root, test.number + 1, &test.failed);
    printf("1..%u\n", test.number);
    return test.failed ? 1 : 0;
}

static void print_kernel(uint64_t seed)
{
    struct memory memory = {0};
    struct arena arena;
    struct random_kernel kernel;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    kernel_make(&kernel, &arena, seed);
    fputs(kernel_text(&kernel, NULL, NULL), stdout);
    arena_free(&arena);
}

static int run_command(int argc, char **argv)
{
    static const char *const names[] = {"plain", "avx2"};
    uint64_t seed = 1;
    uint32_t count = 1000, failed = 0;
    const char *folder = ".";
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--count") && *value) {
            count = (uint32_t)strtoul(value, NULL, 0);
        } else if (!strcmp(argv[i], "--seed") && *value) {
            seed = strtoull(value, NULL, 0);
        } else if (!strcmp(argv[i], "--keep") && *value) {
            folder = value;
        } else if (!strcmp(argv[i], "--print") && *value) {
            print_kernel(strtoull(value, NULL, 0));
            return 0;
        } else {
            fprintf(stderr, "usage: differential ROOT | [--count N] [--seed S] [--keep FOLDER] | "
                            "--print S\n");
            return 2;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct totals totals = {0};
        if (lanes_named(names[i]))
            failed += compare_many(names[i], count, seed, folder, &totals);
    }
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && argv[1][0] != '-')
        return run_test(argv[1]);
    return run_command(argc, argv);
}
