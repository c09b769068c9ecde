// The plan of several threads equals that of each pass over all functions in sequence.
#include "passes/plan/pipeline.h"
#include "tests/unit/program.h"
#include <stdio.h>

enum { KERNELS = 200, MAPPED = 12 };

// Kernels of different sizes with chains, loops and rejected loads, and mutually recursive
// functions.
static const char head[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                           ".func f(.param .u64 p);\n"
                           ".func g(.param .u64 p)\n{\n\tcall f, (p);\n\tret;\n}\n"
                           ".func f(.param .u64 p)\n{\n\tcall g, (p);\n\tret;\n}\n";

static void add_kernel(FILE *to, unsigned number)
{
    fprintf(to,
            ".entry k%u(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
            "\t.reg .pred %%p<2>;\n\t.reg .f32 %%f<99>;\n\t.reg .b32 %%r<9>;\n"
            "\t.reg .b64 %%rd<9>;\n"
            "\tld.param.u64 %%rd1, [a];\n\tld.param.u64 %%rd2, [b];\n"
            "\tld.param.u32 %%r1, [n];\n\tmov.u32 %%r2, %%tid.x;\n"
            "\tmul.wide.u32 %%rd3, %%r2, %u;\n\tadd.s64 %%rd4, %%rd1, %%rd3;\n"
            "\tadd.s64 %%rd5, %%rd2, %%rd3;\n\tmov.u32 %%r3, 0;\nL:\n",
            number, 4 << number % 3);
    for (unsigned i = 0; i <= number % 23; i++)
        fprintf(to,
                "\tld.global.f32 %%f%u, [%%rd4+%u];\n\tld.global.f32 %%f%u, [%%rd5+%u];\n"
                "\tmul.lo.s32 %%r4, %%r3, 3;\n"
                "\tadd.f32 %%f%u, %%f%u, %%f%u;\n\tst.global.f32 [%%rd5+%u], %%f%u;\n",
                3 * i, 4 * i, 3 * i + 1, 8 * i, 3 * i + 2, 3 * i, 3 * i + 1, 512 + 4 * i,
                3 * i + 2);
    if (number % 7 == 0)
        fprintf(to, "\tcall f, (a);\n");
    fprintf(to, "\tadd.s32 %%r3, %%r3, 1;\n\tadd.s64 %%rd4, %%rd4, 1024;\n"
                "\tsetp.lt.s32 %%p1, %%r3, %%r1;\n\t@%%p1 bra L;\n\tret;\n}\n");
}

static char *make_text(unsigned kernels)
{
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    fputs(head, to);
    for (unsigned i = 0; i < kernels; i++)
        add_kernel(to, i);
    fclose(to);
    return text;
}

struct planning {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
};

static void begin(struct planning *p, const char *text)
{
    program_parse(&p->program, text, strlen(text));
    ir_build(&p->module, &p->program.arena, &p->program.tree, &p->program.diags);
    assert_int_equal(p->program.diags.list.n, 0);
    p->plan = (struct plan){.arena = &p->program.arena};
}

static char *print(const struct planning *p)
{
    char *printed;
    size_t length;
    FILE *to = open_memstream(&printed, &length);
    plan_print(&p->module, &p->plan, to);
    fclose(to);
    return printed;
}

static struct pipeline pipeline_of(unsigned threads, bool validate, bool maps)
{
    return (struct pipeline){
        .options = {.cost = COST_REFINED, .reorder = true, .fma = FMA_SPLIT, .maps = maps},
        .threads = threads,
        .validate = validate};
}

// Returns the plan as text. `limit`: bytes; 0: none.
static char *plan_with(const char *text, bool maps, unsigned threads, size_t limit, size_t *peak)
{
    struct planning p;
    struct pipeline pipeline = pipeline_of(threads, threads % 2, maps);
    begin(&p, text);
    p.program.memory.limit = limit;
    assert_null(pipeline_run(&pipeline, &p.module, &p.plan));
    *peak = p.program.memory.peak;
    char *printed = print(&p);
    program_free(&p.program);
    return printed;
}

static char *plan_by_passes(const char *text, bool maps)
{
    struct planning p;
    struct pipeline pipeline = pipeline_of(1, false, maps);
    begin(&p, text);
    for (const struct pass *pass = passes; pass->name; pass++)
        assert_int_equal(pass_all(pass->run, &p.module, &pipeline.options, &p.plan),
                         maps || strcmp(pass->name, "maps") != 0);
    char *printed = print(&p);
    program_free(&p.program);
    return printed;
}

static void compare_threads(unsigned kernels, bool maps)
{
    static const unsigned threads[] = {0, 1, 2, 3, 8, 100};
    char *text = make_text(kernels), *expected = plan_by_passes(text, maps);
    size_t peak;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        char *printed = plan_with(text, maps, threads[i], 0, &peak);
        assert_string_equal(printed, expected);
        free(printed);
    }
    free(expected);
    free(text);
}

static void threads_make_the_plan_of_the_passes(void **state)
{
    (void)state;
    compare_threads(KERNELS, false);
}

static void threads_make_the_maps_of_the_passes(void **state)
{
    (void)state;
    compare_threads(MAPPED, true);
}

// Several threads need more memory than one: they are not used if that could exceed the limit.
static void a_limit_that_is_enough_for_one_thread_is_enough(void **state)
{
    (void)state;
    size_t peak, ignored;
    char *text = make_text(KERNELS), *expected = plan_with(text, false, 1, 0, &peak);
    char *printed = plan_with(text, false, 8, peak, &ignored);
    assert_string_equal(printed, expected);
    free(printed);
    free(expected);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_make_the_plan_of_the_passes),
        cmocka_unit_test(threads_make_the_maps_of_the_passes),
        cmocka_unit_test(a_limit_that_is_enough_for_one_thread_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
