// Measured numbers in place of expected ones: each is set alone, and the sums of the refined model
// are recomputed by hand. A word is a register of one lane.
#include "passes/analysis/memory/measured.h"
#include "passes/base/passes.h"
#include "tests/unit/program.h"

#define HEAD                                                                                       \
    ".version 7.5\n.target sm_75\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 pn)\n{\n"                       \
    ".reg .pred %p; .reg .b32 %t, %i, %n, %x; .reg .b64 %a, %b, %c, %d; .reg .f32 %f;\n"           \
    "ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u32 %n, [pn]; mov.u32 %t, %tid.x;\n"   \
    "mul.wide.u32 %c, %t, 4; add.s64 %a, %a, %c; mov.u32 %i, 0;\n"
// A line of indices, a gather, and a scatter.
#define ACCESSES                                                                                   \
    "ld.global.u32 %x, [%a]; mul.wide.u32 %d, %x, 4; add.s64 %d, %b, %d;\n"                        \
    "ld.global.f32 %f, [%d]; st.global.f32 [%d+4], %f; add.s32 %i, %i, 1;\n"
#define COUNTED HEAD "LOOP:\n" ACCESSES "setp.lt.u32 %p, %i, %n; @%p bra LOOP; ret;\n}\n"
#define UNKNOWN HEAD "LOOP:\n" ACCESSES "setp.ne.u32 %p, %x, 0; @%p bra LOOP; ret;\n}\n"
#define TESTS_FIRST                                                                                \
    HEAD "LOOP:\nsetp.ge.u32 %p, %i, %n; @%p bra END;\n" ACCESSES "bra LOOP; END: ret;\n}\n"

enum { INDICES, GATHER, SCATTER, INSTS };

struct measuring {
    struct test_program program;
    struct ir_module module;
    struct measurements *measured;
    struct pass_options options;
    struct plan plan;
    uint32_t insts[INSTS]; // the accesses
};

static void begin(struct measuring *m, const char *text)
{
    program_parse(&m->program, text, strlen(text));
    ir_build(&m->module, &m->program.arena, &m->program.tree, &m->program.diags);
    m->measured = measurements_new(&m->program.arena, &m->module);
    m->measured->sha256 = "";
    measured_function(m->measured, &m->program.arena, &m->module, 0);
    m->options =
        (struct pass_options){.cost = COST_REFINED, .reorder = true, .measured = m->measured};
    const struct ir_function *fn = &m->module.functions.v[0];
    for (uint32_t i = 0, at = 0; i < fn->insts.n && at < INSTS; i++) {
        bool access = fn->insts.v[i].class == CLASS_LOAD || fn->insts.v[i].class == CLASS_STORE;
        if (access && fn->insts.v[i].space == W_global)
            m->insts[at++] = i;
    }
}

static struct measured_inst *at(struct measuring *m, uint32_t which)
{
    return &m->measured->functions[0].insts[m->insts[which]];
}

static struct measured_loop *loop_of(struct measuring *m)
{
    return &m->measured->functions[0].loops[0];
}

// Returns the only loop.
static const struct block_plan *plan_loop(struct measuring *m)
{
    m->plan = (struct plan){.arena = &m->program.arena};
    pass_all(&pass_blocks, &m->module, &m->options, &m->plan);
    for (uint32_t i = 0; i < m->plan.blocks.n; i++)
        if (m->plan.blocks.v[i].kind == BLOCK_LOOP)
            return &m->plan.blocks.v[i];
    fail_msg("there is no loop");
    return NULL;
}

static void check_saved(struct measuring *m, double tx, double rx, unsigned measured)
{
    const struct block_plan *plan = plan_loop(m);
    assert_int_equal(plan->estimate.cost, COST_REFINED);
    assert_true(plan->estimate.saved_tx == tx);
    assert_true(plan->estimate.saved_rx == rx);
    assert_int_equal(plan->measured, measured);
}

// Without numbers, the indices stay in the loop and hit; the gather and the scatter count with the
// mean of 1 and 32 lines; the scatter's data are 32 words.
static void test_lines(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, COUNTED);
    check_saved(&m, 16.5 + 32 + 16.5, 16.5 * 32 + 16.5 / 4, 0);
    at(&m, GATHER)->all = (struct measured_lines){8, 20, 40, 1, 4};
    check_saved(&m, 2.5 + 32 + 16.5, 2.5 * 32 + 16.5 / 4, MEASURED_LINES);
    at(&m, SCATTER)->all = (struct measured_lines){8, 24, 40, 3, 3};
    check_saved(&m, 2.5 + 32 + 3, 2.5 * 32 + 3.0 / 4, MEASURED_LINES);
    // The indices lie in one line: that is proven, whatever is measured.
    at(&m, INDICES)->all = (struct measured_lines){8, 80, 80, 10, 10};
    check_saved(&m, 2.5 + 32 + 3, 2.5 * 32 + 3.0 / 4, MEASURED_LINES);
    program_free(&m.program);
}

static void test_misses(void **state)
{
    (void)state;
    struct measuring m;
    const unsigned both = MEASURED_LINES | MEASURED_MISSES;
    begin(&m, COUNTED);
    at(&m, GATHER)->all = (struct measured_lines){8, 20, 40, 1, 4};
    at(&m, SCATTER)->all = (struct measured_lines){8, 24, 40, 3, 3};
    // 5 hits and 5 that were on their way, of 20: half of 2.5 lines is left.
    at(&m, GATHER)->l1 = (struct measured_cache){20, 5, 5};
    check_saved(&m, 1.25 + 35, 1.25 * 32 + 0.75, both);
    // The last level serves 6 of the 10: 4 of 20.
    at(&m, GATHER)->llc = (struct measured_cache){10, 6, 0};
    check_saved(&m, 0.5 + 35, 0.5 * 32 + 0.75, both);
    // A load that goes past the first level.
    at(&m, GATHER)->l1 = (struct measured_cache){0};
    check_saved(&m, 1 + 35, 32 + 0.75, both);
    // What the analysis takes as served was not: a quarter of one line.
    at(&m, INDICES)->l1 = (struct measured_cache){8, 6, 0};
    check_saved(&m, 0.25 + 1 + 35, 8 + 32 + 0.75, both);
    program_free(&m.program);
}

// Saves 33.25 words per iteration, against 64 for the address and 1 for the counter: it saves from
// 2 iterations on.
static void make_dear(struct measuring *m)
{
    at(m, GATHER)->all = (struct measured_lines){1, 1, 1, 1, 1};
    at(m, GATHER)->l1 = (struct measured_cache){1, 1, 0};
    at(m, SCATTER)->all = (struct measured_lines){1, 1, 1, 1, 1};
}

static const struct block_estimate *trips(struct measuring *m, uint64_t entries,
                                          uint64_t iterations)
{
    *loop_of(m) = (struct measured_loop){entries, iterations, 1, iterations};
    return &plan_loop(m)->estimate;
}

static void test_trips(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, COUNTED);
    make_dear(&m);
    const struct block_estimate *e = &plan_loop(&m)->estimate;
    assert_true(e->in + e->out == 65 && e->saved_tx + e->saved_rx == 33.25);
    assert_true(e->candidate && e->conditional && e->threshold == 2);
    assert_true(e->weight == 2 * 33.25 - 65);
    e = trips(&m, 64, 96); // 1.5
    assert_false(e->candidate || e->conditional);
    e = trips(&m, 64, 160); // 2.5
    assert_true(e->candidate && e->conditional && e->threshold == 2);
    assert_true(e->weight == 2.5 * 33.25 - 65);
    assert_true(e->at_tx + e->at_rx == 65 - 2 * 33.25);
    assert_int_equal(plan_loop(&m)->measured, MEASURED_LINES | MEASURED_MISSES | MEASURED_TRIPS);
    program_free(&m.program);
}

static enum plan_rule loop_rule(const struct measuring *m)
{
    for (uint32_t i = 0; i < m->plan.rejections.n; i++) {
        const struct rejection *rejection = &m->plan.rejections.v[i];
        if (rejection->last != IR_NONE && rejection->shape == BLOCK_LOOP)
            return rejection->rule;
    }
    return RULE_COUNT;
}

static void test_trips_unknown(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, UNKNOWN);
    make_dear(&m);
    const struct block_plan *plan = plan_loop(&m);
    assert_int_equal(plan->trip, TRIP_UNKNOWN);
    assert_false(plan->estimate.candidate);
    assert_int_equal(loop_rule(&m), RULE_TRIP_UNKNOWN);
    const struct block_estimate *e = trips(&m, 1, 1);
    assert_false(e->candidate);
    assert_int_equal(loop_rule(&m), RULE_NO_SAVING);
    e = trips(&m, 1, 2);
    assert_true(e->candidate && !e->conditional);
    program_free(&m.program);
}

// Of three times at the header, the last one only tests the condition.
static void test_trips_tested_first(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, TESTS_FIRST);
    make_dear(&m);
    assert_false(trips(&m, 1, 2)->candidate);
    assert_true(trips(&m, 1, 3)->candidate);
    assert_true(plan_loop(&m)->measured_trips == 2);
    program_free(&m.program);
}

// The paper's model gives the same verdict with and without numbers.
static void test_tom(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, COUNTED);
    m.options.cost = COST_TOM;
    struct block_estimate before = plan_loop(&m)->estimate;
    make_dear(&m);
    struct block_estimate after = *trips(&m, 1, 1);
    assert_int_equal(after.cost, COST_TOM);
    assert_true(before.saved_tx == after.saved_tx && before.saved_rx == after.saved_rx);
    assert_true(before.weight == after.weight && before.threshold == after.threshold);
    assert_true(before.candidate && after.candidate);
    assert_false(plan_loop(&m)->other.candidate);
    program_free(&m.program);
}

// A chain is rejected if its lines hit in the caches, and not otherwise.
static void test_chains(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, HEAD "add.s64 %d, %a, %b; ld.global.f32 %f, [%a]; add.f32 %f, %f, 0f3F800000;\n"
                   "st.global.f32 [%d], %f; ret;\n}\n");
    struct measured_inst *load = at(&m, 0);
    load->all = (struct measured_lines){10, 10, 40, 1, 1};
    at(&m, 1)->all = load->all;
    static const struct {
        struct measured_cache l1;
        double expected;
    } rows[] = {
        {{10, 0, 0}, 6 + 6 - 2},
        {{10, 5, 0}, 3 + 6 - 2},
        {{10, 5, 5}, 0 + 6 - 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        load->l1 = rows[i].l1;
        m.plan = (struct plan){.arena = &m.program.arena};
        pass_all(&pass_chains, &m.module, &m.options, &m.plan);
        assert_int_equal(m.plan.chains.n, 1);
        assert_true(m.plan.chains.v[0].expected_saving == rows[i].expected);
    }
    program_free(&m.program);
    // A comparison has no store, whose lines pay for the packet: 6 · miss − 2.
    begin(&m, HEAD "ld.global.f32 %f, [%a]; setp.gt.f32 %p, %f, 0f3F800000;\n"
                   "@%p st.global.f32 [%b], 0f3F800000; ret;\n}\n");
    load = at(&m, 0);
    load->all = (struct measured_lines){12, 12, 48, 1, 1};
    for (uint64_t hits = 0; hits <= 12; hits++) {
        load->l1 = (struct measured_cache){12, hits, 0};
        m.plan = (struct plan){.arena = &m.program.arena};
        pass_all(&pass_chains, &m.module, &m.options, &m.plan);
        bool saves = 6 * (12 - hits) > 2 * 12;
        assert_int_equal(m.plan.chains.n, saves);
        if (saves)
            continue;
        const struct rejection *rejection = &m.plan.rejections.v[0];
        assert_int_equal(rejection->rule, RULE_REUSE);
        assert_non_null(strstr(rejection->text, "measured"));
        bool even = 6 * (12 - hits) == 2 * 12;
        assert_non_null(strstr(rejection->text, even ? "as many flits" : " flits more"));
        assert_null(strstr(rejection->text, "-0"));
    }
    program_free(&m.program);
}

// Sums of any counts neither overflow nor give impossible ratios.
static void test_extremes(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, COUNTED);
    struct measured_inst one = {.all = {INT64_MAX, INT64_MAX, INT64_MAX, 1, 512},
                                .l1 = {INT64_MAX, 1, 0},
                                .llc = {INT64_MAX, INT64_MAX, 0}};
    for (int i = 0; i < 4; i++)
        measured_add_inst(at(&m, GATHER), &one);
    assert_true(at(&m, GATHER)->all.lines == UINT64_MAX);
    struct measured_loop loop = {1, INT64_MAX, 1, INT64_MAX};
    measured_add_loop(loop_of(&m), &loop);
    const struct block_plan *plan = plan_loop(&m);
    assert_true(plan->estimate.saved_tx >= 48.5 && plan->estimate.saved_tx <= 512 + 48.5);
    assert_true(plan->measured_trips > 9e18);
    program_free(&m.program);
}

static uint32_t differences(struct measuring *m)
{
    plan_loop(m);
    m->program.diags.list.n = 0;
    measured_compare(&m->plan, &m->module, &m->options, &m->program.diags);
    return m->program.diags.list.n;
}

// Full warps that touch other numbers of lines than proven.
static void test_differences(void **state)
{
    (void)state;
    struct measuring m;
    begin(&m, COUNTED);
    at(&m, INDICES)->all = (struct measured_lines){8, 16, 16, 2, 2};
    assert_int_equal(differences(&m), 0); // parts of warps
    at(&m, INDICES)->full = (struct measured_lines){8, 8, 32, 1, 1};
    assert_int_equal(differences(&m), 0);
    at(&m, INDICES)->full = (struct measured_lines){8, 9, 32, 1, 2};
    assert_int_equal(differences(&m), 1);
    assert_string_equal(m.program.diags.list.v[0].id, "profile-differs");
    at(&m, GATHER)->full = (struct measured_lines){8, 256, 256, 32, 32};
    assert_int_equal(differences(&m), 1);
    at(&m, GATHER)->full = (struct measured_lines){8, 264, 264, 33, 33};
    assert_int_equal(differences(&m), 2);
    program_free(&m.program);
    begin(&m, HEAD "LOOP:\n" ACCESSES "setp.lt.u32 %p, %i, 5; @%p bra LOOP; ret;\n}\n");
    assert_int_equal(plan_loop(&m)->trip, TRIP_CONSTANT);
    *loop_of(&m) = (struct measured_loop){2, 10, 5, 5};
    assert_int_equal(differences(&m), 0);
    assert_int_equal(plan_loop(&m)->measured, 0);
    *loop_of(&m) = (struct measured_loop){2, 11, 5, 6};
    assert_int_equal(differences(&m), 1);
    *loop_of(&m) = (struct measured_loop){2, 8, 4, 4};
    assert_int_equal(differences(&m), 1);
    program_free(&m.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_misses),
        cmocka_unit_test(test_trips),
        cmocka_unit_test(test_trips_unknown),
        cmocka_unit_test(test_trips_tested_first),
        cmocka_unit_test(test_tom),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
