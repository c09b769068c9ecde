// Refuted parts are left out, and the rest is written. Wrong plans and edits are planted among
// those that the passes find.
#include "backend/emit/proof.h"
#include "passes/plan/pipeline.h"
#include "passes/verify/verify.h"
#include "tests/unit/program.h"

#define ONE_CHAIN(name)                                                                            \
    ".visible .entry " name "(.param .u64 a, .param .u64 b)\n{\n"                                  \
    ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\nld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n"         \
    "cvta.to.global.u64 %d1, %d1;\ncvta.to.global.u64 %d2, %d2;\n"                                 \
    "mov.u32 %r4, %tid.x;\nmul.wide.u32 %d3, %r4, 4;\nadd.u64 %d1, %d1, %d3;\n"                    \
    "add.u64 %d2, %d2, %d3;\nld.global.u32 %r1, [%d1];\nadd.u32 %r5, %r4, 3;\n"                    \
    "ld.global.u32 %r2, [%d1+4096];\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [%d2], %r3;\n"          \
    "st.global.u32 [%d2+4096], %r5;\nret;\n}\n"
#define TEXT ".version 7.0\n.target sm_70\n.address_size 64\n" ONE_CHAIN("k") ONE_CHAIN("l")

struct planted {
    struct test_program program;
    struct ir_module module;
    struct plan plan;
    struct output output;
    struct proof proof;
    struct backend_options options;
};

static void begin_with(struct planted *p, const char *text)
{
    memset(p, 0, sizeof *p);
    program_parse(&p->program, text, strlen(text));
    ir_build(&p->module, &p->program.arena, &p->program.tree, &p->program.diags);
    p->plan.arena = &p->program.arena;
    p->options = (struct backend_options){.passes = {.reorder = true, .cost = COST_REFINED},
                                          .output_name = "o"};
    struct pipeline pipeline = {.options = p->options.passes};
    assert_null(pipeline_run(&pipeline, &p->module, &p->plan));
    assert_int_equal(p->plan.chains.n, 2);
    assert_true(p->plan.edits.list.n > 0);
}

static void begin(struct planted *p)
{
    begin_with(p, TEXT);
}

// Writes the remaining plan and proves it again. Returns the number of entries of the proof.
static uint32_t finish(struct planted *p, uint32_t chains, const char *text)
{
    struct verified verified = {0};
    backend_emit_proven(&p->output, &p->proof, &p->program.arena, &p->module, &p->plan,
                        &p->options);
    assert_int_equal(p->plan.chains.n, chains);
    verify_plan(&verified, &p->program.arena, &p->module, &p->options.passes, &p->plan);
    verify_output(&verified, &p->program.arena, &p->module, &p->options.passes, p->output.text,
                  p->output.length);
    assert_int_equal(verified.faults.n, 0);
    for (uint32_t i = 0; i < p->proof.list.n; i++)
        assert_string_equal(p->proof.list.v[i].text, text);
    uint32_t count = p->proof.list.n;
    program_free(&p->program);
    return count;
}

static uint32_t tagged_chains(const struct planted *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->output.tables.kernels.n; i++)
        count += p->output.tables.kernels.v[i].chains.n;
    return count;
}

static void nothing_wrong(void **state)
{
    (void)state;
    struct planted p;
    begin(&p);
    assert_int_equal(finish(&p, 2, ""), 0);
}

static void wrong_chain(void **state)
{
    (void)state;
    struct planted p;
    begin(&p);
    p.plan.chains.v[0].pattern = 2;
    backend_emit_proven(&p.output, &p.proof, &p.program.arena, &p.module, &p.plan, &p.options);
    assert_int_equal(p.proof.list.n, 1);
    assert_string_equal(p.proof.list.v[0].what, "this chain");
    struct source_position place = source_position_at(&p.program.source, p.proof.list.v[0].begin);
    assert_int_equal(place.line, 16);
    assert_int_equal(place.column, 1);
    assert_int_equal(tagged_chains(&p), 1);
    const struct rejection *rejection = &p.plan.rejections.v[p.plan.rejections.n - 1];
    assert_int_equal(rejection->rule, RULE_LEFT_OUT);
    assert_int_equal(rejection->kind, CANDIDATE_CHAIN);
    // What was moved for it alone is where it was; the other kernel's chain is together.
    const char *second = strstr(p.output.text, ".entry l");
    assert_non_null(second);
    assert_true(strstr(p.output.text, "add.u32 %r5, %r4, 3") < strstr(p.output.text, "%d1+4096"));
    assert_true(strstr(second, "add.u32 %r5, %r4, 3") > strstr(second, "%d1+4096"));
    program_free(&p.program);
}

static void wrong_chains(void **state)
{
    (void)state;
    struct planted p;
    for (uint32_t way = 0; way < 4; way++) {
        begin(&p);
        struct chain *chain = &p.plan.chains.v[1];
        static const char *const texts[] = {
            "unknown chain pattern", "a chain has instructions that its function does not have",
            "an instruction of a chain is also in another one",
            "the plan is not in the order of the functions"};
        if (way == 0)
            chain->pattern = 77;
        if (way == 1)
            chain->inst[2] = 9999;
        if (way == 2)
            *chain = p.plan.chains.v[0];
        if (way == 3)
            chain->function = 7;
        assert_int_equal(finish(&p, 1, texts[way]), 1);
    }
}

static void wrong_block(void **state)
{
    (void)state;
    struct planted p;
    uint32_t chosen = IR_NONE;
    begin(&p);
    for (uint32_t i = 0; i < p.plan.blocks.n; i++)
        if (p.plan.blocks.v[i].chosen && p.plan.blocks.v[i].estimate.candidate)
            chosen = i;
    assert_int_not_equal(chosen, IR_NONE);
    uint32_t before = p.plan.blocks.n;
    p.plan.blocks.v[chosen].last--;
    backend_emit_proven(&p.output, &p.proof, &p.program.arena, &p.module, &p.plan, &p.options);
    assert_int_equal(p.proof.list.n, 1);
    assert_string_equal(p.proof.list.v[0].what, "this block");
    assert_int_equal(p.plan.blocks.n, before - 1);
    assert_int_equal(tagged_chains(&p), 2);
    program_free(&p.program);
}

static void add_edit(struct planted *p, struct edit edit)
{
    vec_push(&p->program.arena, &p->plan.edits.list, edit);
}

// An edit before the first load of a chain: the chain is dropped, together with the edits.
static void wrong_order(void **state)
{
    (void)state;
    struct planted p;
    begin(&p);
    uint32_t load = (uint32_t)(strstr(TEXT, "ld.global.u32 %r1") - TEXT);
    add_edit(&p, (struct edit){EDIT_INSERT, load, load, 0, "mov.u32 %r1, 0; ", 0});
    assert_int_equal(finish(&p, 1, "the input does not have it"), 1);
}

// A comparison moves after the store of another chain, which may write what the comparison's load
// reads: the output is equivalent to the input but has no such chain.
static void store_before_comparison(void **state)
{
    (void)state;
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
        ".reg .pred %p<3>;\nld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n"
        "ld.global.u32 %r1, [%d1];\nNEXT:\nld.global.u32 %r2, [%d2];\n"
        "setp.eq.s32 %p1, %r1, 7;\nst.global.u32 [%d1], %r2;\nret;\n}\n";
    struct planted p;
    begin_with(&p, text);
    uint32_t compare = (uint32_t)(strstr(text, "setp") - text);
    uint32_t store = (uint32_t)(strstr(text, "st.global") - text);
    uint32_t end = (uint32_t)(strstr(text, "ret;") - text);
    p.plan.edits.list.n = 0;
    add_edit(&p, (struct edit){EDIT_MOVE, compare, store, end, "", 0});
    assert_int_equal(
        finish(&p, 1, "a store between a load and its comparison may write the loaded data"), 1);
}

// An edit that cannot be applied: everything is dropped, and the input is written.
static void wrong_edits(void **state)
{
    (void)state;
    struct planted p;
    begin(&p);
    p.plan.chains.n = p.plan.blocks.n = p.plan.rejections.n = 0;
    add_edit(&p, (struct edit){EDIT_REPLACE, 0, 8, 0, ".VERSION", 0});
    backend_emit_proven(&p.output, &p.proof, &p.program.arena, &p.module, &p.plan, &p.options);
    assert_int_equal(p.proof.list.n, 1);
    assert_string_equal(p.proof.list.v[0].what, "this program");
    assert_int_equal(p.output.length, strlen(TEXT));
    assert_memory_equal(p.output.text, TEXT, strlen(TEXT));
    program_free(&p.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_wrong),
        cmocka_unit_test(wrong_chain),
        cmocka_unit_test(wrong_chains),
        cmocka_unit_test(wrong_block),
        cmocka_unit_test(wrong_order),
        cmocka_unit_test(wrong_edits),
        cmocka_unit_test(store_before_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
