// Compares the candidate blocks of every sample with its `expected` file, which was derived from
// the PTX by hand; samples/README.md explains its format. Also checks the paper's numbers for the
// LIBOR loops [002 §3.1.5].
#include "passes/base/passes.h"
#include "tests/unit/program.h"
#include <glob.h>
#include <stdio.h>

enum { MAX_TEXT = 1 << 20, MAX_FACT = 256 };

struct sample {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
};

static void plan_file(struct sample *s, const char *path)
{
    static char text[MAX_TEXT];
    struct pass_options options = {.reorder = true};
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot read %s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    assert_true(length < sizeof text - 1);
    fclose(file);
    text[length] = 0;
    program_parse(&s->program, text, length);
    ir_build(&s->module, &s->program.arena, &s->program.tree, &s->program.diags);
    s->plan = (struct plan){.arena = &s->program.arena};
    pass_all(&pass_blocks, &s->module, &options, &s->plan);
}

static uint32_t line(const struct sample *s, uint32_t function, uint32_t inst)
{
    return ir_position(&s->module, &s->module.functions.v[function], inst).line;
}

// Writes a block as in the file, without the PTX file's name.
static void write_fact(const struct sample *s, const struct block_plan *block, char *to)
{
    static const char *const kinds[] = {
        [BLOCK_LOOP] = "loop", [BLOCK_BASIC] = "block", [BLOCK_REGION] = "region"};
    const struct name *name =
        tree_name(&s->program.tree, s->module.functions.v[block->function].name);
    int at = snprintf(to, MAX_FACT, "%.*s %s %u-%u %s live_in %u live_out %u loads %u stores %u",
                      (int)name->length, name->text, kinds[block->kind],
                      line(s, block->function, block->first), line(s, block->function, block->last),
                      block->estimate.candidate ? "candidate" : "no", block->live_in.n,
                      block->live_out.n, block->loads, block->stores);
    if (block->estimate.candidate && block->estimate.conditional)
        snprintf(to + at, (size_t)(MAX_FACT - at), " condition \">= %llu\"",
                 (unsigned long long)block->estimate.threshold);
}

static bool has_fact(const struct sample *s, const char *fact)
{
    char found[MAX_FACT];
    for (uint32_t i = 0; i < s->plan.blocks.n; i++) {
        write_fact(s, &s->plan.blocks.v[i], found);
        if (!strcmp(found, fact))
            return true;
    }
    return false;
}

static uint32_t check_fact(const char *folder, const char *file, const char *fact)
{
    char path[1024];
    struct sample s;
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(folder, '/') - folder), folder, file);
    plan_file(&s, path);
    bool found = has_fact(&s, fact);
    if (!found)
        print_message("not found: %s in %s\n", fact, path);
    program_free(&s.program);
    return !found;
}

static void test_expected(void **state)
{
    (void)state;
    glob_t paths;
    uint32_t wrong = 0, facts = 0;
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/expected", 0, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        char text[1024], file[64];
        FILE *from = fopen(paths.gl_pathv[i], "r");
        assert_non_null(from);
        while (fgets(text, sizeof text, from)) {
            int begin = 0;
            if (sscanf(text, "block %63s %n", file, &begin) != 1 || !begin)
                continue;
            text[strcspn(text, "\n")] = 0;
            facts++;
            wrong += check_fact(paths.gl_pathv[i], file, text + begin);
        }
        fclose(from);
    }
    globfree(&paths);
    assert_true(facts >= 30);
    assert_int_equal(wrong, 0);
}

static void test_libor(void **state)
{
    (void)state;
    struct sample s;
    uint32_t loops = 0;
    plan_file(&s, SOURCE_ROOT "/samples/libor/libor32.ptx");
    for (uint32_t i = 0; i < s.plan.blocks.n; i++) {
        const struct block_plan *block = &s.plan.blocks.v[i];
        if (block->kind != BLOCK_LOOP)
            continue;
        loops++;
        assert_true(block->reg_tx == 5 && block->reg_rx == 0);
        assert_true(block->estimate.bw_tx == 126.5 && block->estimate.bw_rx == -16.25);
        assert_true(block->estimate.at_tx == 26 && block->estimate.at_rx == -65);
        assert_true(block->estimate.threshold == 4 && block->estimate.threshold_tx == 5 &&
                    block->estimate.threshold_rx == 1);
        assert_true(block->estimate.saves == SAVES_RX);
        assert_true(block->estimate.candidate && block->estimate.conditional && block->chosen);
        assert_int_equal(block->trip, TRIP_COUNTED);
        assert_string_equal(block->trip_text, loops == 1 ? "%r13" : "max(%r17 - %r16, 1)");
    }
    assert_int_equal(loops, 2);
    program_free(&s.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_libor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
