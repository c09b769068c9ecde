// Whole functions: empty ones, broken ones, called ones, and ones with very many blocks.
#include "passes/base/passes.h"
#include "tests/unit/program.h"
#include <stdio.h>
#include <time.h>

#define VERSION ".version 7.5\n.target sm_75\n.address_size 64\n"

struct planned {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
    double seconds;
};

static void plan_text(struct planned *p, const char *text)
{
    struct pass_options options = {.reorder = false};
    program_parse(&p->program, text, strlen(text));
    ir_build(&p->module, &p->program.arena, &p->program.tree, &p->program.diags);
    p->plan = (struct plan){.arena = &p->program.arena};
    clock_t begin = clock();
    bool any = pass_all(&pass_blocks, &p->module, &options, &p->plan);
    p->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(any, p->plan.blocks.n + p->plan.rejections.n > 0);
}

static void assert_counts(const char *text, uint32_t blocks, uint32_t rejections)
{
    struct planned p;
    plan_text(&p, text);
    if (p.plan.blocks.n != blocks || p.plan.rejections.n != rejections)
        fail_msg("%u blocks and %u rejections in:\n%s", p.plan.blocks.n, p.plan.rejections.n, text);
    program_free(&p.program);
}

static void test_nothing(void **unused)
{
    (void)unused;
    assert_counts("", 0, 0);
    assert_counts(VERSION, 0, 0);
    assert_counts(VERSION ".visible .entry k()\n{\n}\n", 0, 0);
    assert_counts(VERSION ".visible .entry k()\n{\nret;\n}\n", 0, 0);
    assert_counts(VERSION ".extern .func f(.param .b32 x);\n", 0, 0);
    assert_counts(VERSION ".visible .entry k()\n{\nL: bra L;\n}\n", 1, 1);
    assert_counts(VERSION ".visible .entry k()\n{\nL:\n}\n", 0, 0);
}

static enum plan_rule only_rule(const char *text)
{
    struct planned p;
    plan_text(&p, text);
    assert_int_equal(p.plan.blocks.n, 0);
    assert_int_equal(p.plan.rejections.n, 1);
    enum plan_rule rule = p.plan.rejections.v[0].rule;
    program_free(&p.program);
    return rule;
}

static void test_broken(void **unused)
{
    (void)unused;
    assert_int_equal(only_rule(VERSION
                               ".entry k(.param .u64 p)\n{\n.reg .b64 %a;\nld.param.u64 %a, [p];\n"
                               "st.global.u32 [%a], 1;\nadd.s32 % % ;\nret;\n}\n"),
                     RULE_INCOMPLETE);
    assert_int_equal(
        only_rule(VERSION
                  ".entry k(.param .u64 p)\n{\n.reg .b64 %a; .reg .b32 %r;\nld.param.u64 %a, [p];\n"
                  "st.global.u32 [%a], 1;\nbrx.idx %r, nowhere;\n}\n"),
        RULE_INCOMPLETE);
}

// A function's parameters are in its caller's memory; those of a kernel are known everywhere.
static void test_parameters(void **unused)
{
    (void)unused;
    assert_int_equal(only_rule(VERSION
                               ".func f(.param .b64 p)\n{\n.reg .b64 %a;\nld.param.b64 %a, [p];\n"
                               "st.global.u32 [%a], 1;\nst.global.u32 [%a+4], 1;\nret;\n}\n"),
                     RULE_SPACE);
    assert_int_equal(
        only_rule(
            VERSION
            ".func (.param .b32 r) f(.reg .b64 %a)\n{\n"
            "st.global.u32 [%a], 1;\nst.param.b32 [r], 1;\nst.global.u32 [%a+4], 1;\nret;\n}\n"),
        RULE_SPACE);
    struct planned p;
    plan_text(
        &p, VERSION
        ".func f(.reg .b64 %a)\n{\nst.global.u32 [%a], 1;\nst.global.u32 [%a+4], 1;\nret;\n}\n");
    assert_int_equal(p.plan.blocks.n, 1);
    assert_int_equal(p.plan.blocks.v[0].live_in.n, 1);
    assert_true(p.plan.blocks.v[0].estimate.candidate && p.plan.blocks.v[0].chosen);
    program_free(&p.program);
}

// Large functions

struct text {
    char *v;
    size_t n, size;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *to, const char *format, ...)
{
    if (to->size - to->n < 512) {
        to->size = to->size * 2 + 4096;
        to->v = realloc(to->v, to->size);
        assert_non_null(to->v);
    }
    va_list args;
    va_start(args, format);
    to->n += (size_t)vsnprintf(to->v + to->n, to->size - to->n, format, args);
    va_end(args);
}

static void put_head(struct text *to, uint32_t blocks)
{
    put(to,
        VERSION ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .pred %%p<%u>; .reg .b32 "
                "%%r<%u>, %%n, %%t; "
                ".reg .b64 %%a, %%b;\nld.param.u64 %%b, [p];\nld.param.u32 %%n, [n];\nmov.u32 %%t, "
                "%%tid.x;\n"
                "mad.wide.u32 %%a, %%t, 4, %%b;\n",
        blocks, blocks);
}

static void put_chain(struct text *to, uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks / 2; i++)
        put(to,
            "ld.global.u32 %%r%u, [%%a];\nsetp.gt.s32 %%p%u, %%r%u, %%n;\n@%%p%u bra L%u;\n"
            "st.global.u32 [%%a], %%r%u;\nL%u:\n",
            i, i, i, i, i, i, i);
}

static void put_nest(struct text *to, uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks / 2; i++)
        put(to, "ld.global.u32 %%r%u, [%%a];\nsetp.gt.s32 %%p%u, %%r%u, %%n;\n@%%p%u bra L%u;\n", i,
            i, i, i, i);
    for (uint32_t i = blocks / 2; i-- > 0;)
        put(to, "L%u: st.global.u32 [%%a], %%r%u;\n", i, i);
}

static void put_loops(struct text *to, uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++)
        put(to,
            "mov.u32 %%r%u, 0;\nL%u: st.global.u32 [%%a], %%r%u;\nadd.s32 %%r%u, %%r%u, 1;\n"
            "setp.lt.s32 %%p%u, %%r%u, %%n;\n@%%p%u bra L%u;\n",
            i, i, i, i, i, i, i, i, i);
}

static void plan_large(struct planned *p, void (*body)(struct text *, uint32_t), uint32_t blocks)
{
    struct text text = {NULL, 0, 0};
    put_head(&text, blocks);
    body(&text, blocks);
    put(&text, "ret;\n}\n");
    plan_text(p, text.v);
    free(text.v);
    assert_int_equal(p->program.diags.errors, 0);
}

static uint32_t too_deep(void (*body)(struct text *, uint32_t), uint32_t blocks)
{
    struct planned p;
    uint32_t count = 0;
    plan_large(&p, body, blocks);
    for (uint32_t i = 0; i < p.plan.rejections.n; i++)
        count += p.plan.rejections.v[i].rule == RULE_TOO_DEEP;
    program_free(&p.program);
    return count;
}

static double seconds_for(void (*body)(struct text *, uint32_t), uint32_t blocks, uint32_t min)
{
    struct planned p;
    plan_large(&p, body, blocks);
    assert_true(p.plan.blocks.n + p.plan.rejections.n >= min);
    assert_true(p.plan.blocks.n <= 4 * blocks);
    double seconds = p.seconds;
    program_free(&p.program);
    return seconds;
}

// Twice the blocks take about twice the time, not four times. Nesting may cost up to a fixed
// factor.
static void test_large(void **unused)
{
    (void)unused;
    seconds_for(put_nest, 4000, 2000);
    assert_true(too_deep(put_nest, 4000) > 0);
    assert_int_equal(too_deep(put_nest, 100), 0);
    assert_int_equal(too_deep(put_chain, 4000), 0);
    double half = seconds_for(put_chain, 20000, 20000) + seconds_for(put_loops, 20000, 20000);
    double whole = seconds_for(put_chain, 40000, 40000) + seconds_for(put_loops, 40000, 40000);
    if (whole > 3 * half + 1)
        fail_msg("%g s for 20,000 blocks, %g s for 40,000", half, whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
