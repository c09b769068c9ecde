// All samples: where the analyses of their kernels are exact, they equal the counts of an
// execution. The share of accesses with exact analyses is printed.
#include "tests/unit/runtime-sim/counted.h"
#include "tests/unit/runtime-sim/sample.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Compares with the shape of the launch; for one-dimensional blocks also without it.
static void compare(struct sample *s, const struct profile *profile, struct bounds_counts *tally,
                    struct bounds_counts *shapeless)
{
    struct block_shape shape = {profile->block[0], profile->block[1], profile->block[2]};
    bool whole = shape.x % WARP_LANES == 0 && shape.y == 1 && shape.z == 1;
    for (uint32_t i = 0; i < s->program.functions.n; i++) {
        uint32_t function = s->program.functions.v[i].function;
        const struct profile_function *counts = profile->functions[i];
        if (!counts || profile->blocks_differ)
            continue;
        counted_compare(&s->arena, &s->module, function, counts, shape, tally);
        if (whole)
            counted_compare(&s->arena, &s->module, function, counts, (struct block_shape){0},
                            shapeless);
    }
}

static const char *sample_name(const char *path)
{
    const char *file = strrchr(path, '/'), *at = file;
    while (at[-1] != '/')
        at--;
    static char name[64];
    snprintf(name, sizeof name, "%.*s%s", (int)(file - at), at, file);
    return name;
}

static void add(struct bounds_counts *to, const struct bounds_counts *from)
{
    to->accesses += from->accesses;
    to->known += from->known;
    to->exact += from->exact;
    to->compared += from->compared;
    to->uniform += from->uniform;
    to->loops += from->loops;
}

static void print(const char *name, const struct bounds_counts *tally)
{
    printf("%-28s %4u accesses, %4u known, %4u with one number of lines, %4u compared; %5u uniform "
           "results, %3u loops\n",
           name, tally->accesses, tally->known, tally->exact, tally->compared, tally->uniform,
           tally->loops);
}

static struct bounds_counts one(const char *path)
{
    struct sample s;
    struct bounds_counts tally = {0}, shapeless = {0};
    sample_run(&s, path, (struct device){0});
    for (uint32_t i = 0; i < s.session.device.kernels.n; i++)
        compare(&s, s.session.device.kernels.v[i]->profile, &tally, &shapeless);
    print(sample_name(path), &tally);
    sample_free(&s);
    return tally;
}

// Returns true for samples whose addresses come from memory.
static bool gathers(const char *path)
{
    static const char *const names[] = {"/bfs/", "/fiblookup/", "/mum/", "/ray/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(path, names[i]))
            return true;
    return false;
}

static void test_samples(void **state)
{
    (void)state;
    glob_t found;
    struct bounds_counts all = {0};
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/run*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (strstr(found.gl_pathv[i], "large"))
            continue;
        struct bounds_counts tally = one(found.gl_pathv[i]);
        if (!gathers(found.gl_pathv[i]))
            add(&all, &tally);
    }
    globfree(&found);
    print("all that do not gather", &all);
    assert_true(all.compared && all.uniform);
    assert_true(all.known * 10 >= all.accesses * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
