// All samples, executed by single instructions with accesses that take time, compared with the
// engine that executes at once: the same memory and the same counts. Also with their chains issued
// ahead of their loads.
#include "runtime-sim/exec/check/profile.h"
#include "tests/unit/runtime-sim/issue_drive.h"
#include "tests/unit/runtime-sim/sample.h"
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct executor {
    struct drive drive;
    bool chained;
    struct chain_table chains;
    const struct program *program; // of `chains`
    uint32_t found;
};

static bool accepts_launch(const void *drive, const struct device_kernel *kernel, uint64_t number,
                           uint64_t launch)
{
    (void)drive, (void)kernel, (void)number, (void)launch;
    return true;
}

static void execute(void *context, struct device_command *const *commands, uint32_t count,
                    struct grid_result *result)
{
    struct executor *e = context;
    struct device_launch *one = commands[0]->launch;
    assert_int_equal(count, 1);
    if (e->chained && e->program != one->launch->program) {
        e->program = one->launch->program;
        chain_table_find(&e->chains, e->program->arena, e->program->module,
                         &(struct pass_options){0});
        e->found += e->chains.count;
        e->drive.chains = &e->chains;
    }
    drive_run(&e->drive, one->launch, one->launch->program->arena, result);
    one->warp_instructions = result->warp_instructions;
    one->thread_instructions = result->thread_instructions;
}

// Compares with a tolerance: sums by atomic operations depend on their order.
static void compare_floats(const struct allocation *a, const struct allocation *b)
{
    for (uint64_t i = 0; i + 4 <= a->bytes; i += 4) {
        float x, y;
        memcpy(&x, a->data + i, 4);
        memcpy(&y, b->data + i, 4);
        if (memcmp(&x, &y, 4) && !(fabsf(x - y) <= 1e-4f * fabsf(x)))
            fail_msg("'%s' differs at byte %llu: %g, %g", a->name, (unsigned long long)i, (double)x,
                     (double)y);
    }
}

static void compare_memory(const struct image *a, const struct image *b)
{
    assert_int_equal(a->list.n, b->list.n);
    for (uint32_t i = 0; i < a->list.n; i++) {
        assert_int_equal(a->list.v[i].address, b->list.v[i].address);
        assert_int_equal(a->list.v[i].bytes, b->list.v[i].bytes);
        if (memcmp(a->list.v[i].data, b->list.v[i].data, a->list.v[i].bytes))
            compare_floats(&a->list.v[i], &b->list.v[i]);
    }
}

static void compare_profiles(const struct profile *a, const struct profile *b)
{
    for (uint32_t f = 0; f < a->program->functions.n; f++) {
        const struct profile_function *x = a->functions[f], *y = b->functions[f];
        assert_int_equal(x == NULL, y == NULL);
        for (uint32_t i = 0; x && i < x->inst_count; i++) {
            struct profile_inst one = x->insts[i], other = y->insts[i];
            assert_int_equal(one.memory == NULL, other.memory == NULL);
            if (one.memory)
                assert_memory_equal(one.memory, other.memory, sizeof *one.memory);
            one.memory = other.memory = NULL;
            assert_memory_equal(&one, &other, sizeof one);
        }
        if (x)
            assert_memory_equal(x->loops, y->loops, x->loop_count * sizeof *x->loops);
    }
}

static void compare(const struct sample *a, const struct sample *b)
{
    compare_memory(a->session.device.image, b->session.device.image);
    assert_int_equal(a->session.device.kernels.n, b->session.device.kernels.n);
    for (uint32_t i = 0; i < a->session.device.kernels.n; i++) {
        const struct device_kernel *x = a->session.device.kernels.v[i],
                                   *y = b->session.device.kernels.v[i];
        assert_int_equal(x->launches, y->launches);
        assert_int_equal(x->warp_instructions, y->warp_instructions);
        assert_int_equal(x->thread_instructions, y->thread_instructions);
        compare_profiles(x->profile, y->profile);
    }
}

static void run(const struct sample *expected, const char *path, struct executor *executor)
{
    struct sample *s = calloc(1, sizeof *s);
    sample_run(
        s, path,
        (struct device){.accepts = accepts_launch, .execute = execute, .executor = executor});
    compare(expected, s);
    sample_free(s);
    free(s);
}

static void one(const char *path, uint64_t seed, uint64_t *computed)
{
    struct drive drive = {.seed = seed, .ctas = 16, .max_delay = 40};
    struct executor plain = {.drive = drive}, chained = {.drive = drive, .chained = true};
    struct sample *s = calloc(1, sizeof *s);
    sample_run(s, path, (struct device){0});
    run(s, path, &plain);
    run(s, path, &chained);
    printf("%s: %llu held in %llu parts, %llu served at issue; of %u chains %llu computed, "
           "%llu given up\n",
           path + sizeof SOURCE_ROOT, (unsigned long long)plain.drive.held,
           (unsigned long long)plain.drive.parts, (unsigned long long)plain.drive.served,
           chained.found, (unsigned long long)chained.drive.computed,
           (unsigned long long)chained.drive.given_up);
    assert_true(plain.drive.held);
    *computed += chained.drive.computed;
    sample_free(s);
    free(s);
}

static void test_samples(void **state)
{
    (void)state;
    glob_t found;
    uint64_t computed = 0;
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/run*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!strstr(found.gl_pathv[i], "large"))
            one(found.gl_pathv[i], 2 * i + 2, &computed);
    globfree(&found);
    assert_true(computed > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
