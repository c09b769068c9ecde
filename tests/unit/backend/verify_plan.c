// The checker refutes plans with changed claims, and invalid chains.
#include "tests/unit/backend/verify_fixture.h"
#include <stdio.h>

// Claims of the plan, each changed alone

struct claims {
    unsigned chains, ins, outs, more;
};

static void change_chains(struct proof *p, struct claims *claims)
{
    for (uint32_t i = 0; i < p->plan.chains.n; i++) {
        struct chain *chain = &p->plan.chains.v[i], kept = *chain;
        const struct ir_function *fn = &p->module.functions.v[chain->function];
        chain->count--; // without its last instruction the value before it is read outside
        assert_non_null(refute_plan(p));
        *chain = kept;
        chain->pattern = chain->pattern == 9 ? 3 : 9 - (chain->pattern == 5 || chain->pattern == 8);
        if (chain->pattern != kept.pattern)
            assert_non_null(refute_plan(p));
        *chain = kept;
        chain->inst[0] = (chain->inst[0] + 1) % fn->insts.n;
        assert_non_null(refute_plan(p));
        *chain = kept;
        chain->inst[chain->count - 1] = kept.inst[chain->count - 2];
        chain->inst[chain->count - 2] = kept.inst[chain->count - 1];
        assert_non_null(refute_plan(p));
        *chain = kept;
        chain->response = (kept.response + 1) % 3;
        assert_non_null(refute_plan(p));
        *chain = kept;
        claims->chains += 5;
    }
}

// Every live-in and live-out is needed, so none can be left out; except for special registers,
// which the tests of the blocks cover.
static void list_more(struct proof *p, struct block_plan *block, struct claims *claims)
{
    struct live_value carry = {0, IR_NONE, W_UNKNOWN, IR_NONE};
    struct live_value place = {IR_NONE, SPECIAL_nsmid, W_UNKNOWN, IR_NONE};
    vec_push(&p->program.arena, &block->live_in, carry);
    assert_non_null(refute_plan(p));
    block->live_in.v[block->live_in.n - 1] = place;
    assert_non_null(refute_plan(p));
    block->live_in.n--;
    vec_push(&p->program.arena, &block->live_out, carry);
    assert_non_null(refute_plan(p));
    block->live_out.n--;
    double kept = block->estimate.at_tx;
    block->estimate.at_tx = -block->estimate.at_rx;
    assert_non_null(refute_plan(p));
    block->estimate.at_tx = kept;
    claims->more += 4;
}

static void change_blocks(struct proof *p, struct claims *claims)
{
    for (uint32_t i = 0; i < p->plan.blocks.n; i++) {
        struct block_plan *block = &p->plan.blocks.v[i];
        if (block->estimate.candidate && block->chosen)
            list_more(p, block, claims);
        for (uint32_t k = 0; block->estimate.candidate && block->chosen && k < block->live_in.n;
             k++) {
            struct live_value *live = &block->live_in.v[k], kept = *live;
            live->reg = IR_NONE;
            if (kept.reg != IR_NONE)
                assert_non_null(refute_plan(p));
            claims->ins += kept.reg != IR_NONE;
            *live = kept;
        }
        for (uint32_t k = 0; block->estimate.candidate && block->chosen && k < block->live_out.n;
             k++) {
            struct live_value *live = &block->live_out.v[k], kept = *live;
            live->reg = 0; // the carry
            assert_non_null(refute_plan(p));
            claims->outs++;
            *live = kept;
        }
    }
}

static void change_claims(struct proof *p, void *context)
{
    struct claims *claims = context;
    change_chains(p, claims);
    change_blocks(p, claims);
    assert_null(refute_plan(p));
}

static void claims(void **state)
{
    (void)state;
    struct claims claims = {0, 0, 0, 0};
    each_sample(change_claims, &claims);
    print_message(
        "refuted: %u changed chains, %u blocks without a live-in, %u without a live-out, %u that "
        "claim more\n",
        claims.chains, claims.ins, claims.outs, claims.more);
    assert_true(claims.chains > 100 && claims.ins > 30 && claims.outs > 3 && claims.more > 100);
}

// Chains that the passes did not find: a kernel's first load, the operation and the following
// store.
static void made_up_chains(void **state)
{
    (void)state;
#define CHAIN(before, operation)                                                                   \
    BODY("mov.u32 %r4, %tid.x;\nmov.u32 %r5, %ctaid.x;\n" before                                   \
         "ld.global.u32 %r1, [%rd1];\n" operation "st.global.u32 [%rd2], %r2;\n")
    static const struct {
        const char *text;
        uint32_t pattern;
        bool right;
    } cases[] = {
        {CHAIN("", "add.u32 %r2, %r1, 7;\n"), 7, true},
        {CHAIN("", "add.u32 %r2, %r1, 7;\n"), 4, false},
        {CHAIN("", "add.u32 %r2, %r1, %r5;\n"), 7, true},
        {CHAIN("", "add.u32 %r2, %r1, %r4;\n"), 7, false}, // varies
        {CHAIN("", "add.u32 %r2, %r1, %r1;\n"), 4, true},
        {CHAIN("", "add.u32 %r2, %r1, %r1;\n"), 7, false},
        {CHAIN("", "add.u32 %r2, %r5, 7;\n"), 7, false}, // the load has no part in it
        {CHAIN("mov.u32 %r2, 1;\n", "add.u32 %r3, %r1, 7;\n"), 7, false},
        {CHAIN("", "mov.b32 %r2, %r1;\n"), 3, true},
        {CHAIN("", "mov.b32 %r2, %r1;\n"), 4, false}, // a copy is no operation
        {CHAIN("", "mov.b32 %r2, %r5;\n"), 3, false},
        {CHAIN("", "mov.b32 %r2, 7;\n"), 3, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proof p;
        uint32_t first = 0;
        prove_begin(&p, cases[i].text, (struct pass_options){.cost = COST_REFINED});
        const struct ir_function *fn = &p.module.functions.v[0];
        while (fn->insts.v[first].class != CLASS_LOAD || fn->insts.v[first].space != W_global)
            first++;
        struct chain chain = {.pattern = cases[i].pattern,
                              .inst = {first, first + 1, first + 2},
                              .count = 3,
                              .response = RESPONSE_ACK,
                              .response_flits = 1};
        p.plan.chains.n = 0;
        vec_push(&p.program.arena, &p.plan.chains, chain);
        const char *wrong = refute_plan(&p);
        if (!wrong != cases[i].right)
            print_message("case %zu: %s\n", i, wrong ? wrong : "proven");
        assert_int_equal(!wrong, cases[i].right);
        program_free(&p.program);
    }
}

// Chains with guarded members: the first load, the second one, and the following operation.
static void guarded_chains(void **state)
{
    (void)state;
#define GUARDED(middle, after)                                                                     \
    BODY("mov.u32 %r4, %tid.x;\nsetp.lt.u32 %p1, %r4, 9;\nsetp.lt.u32 %p2, %r4, 5;\n"              \
         "mov.f32 %f3, 0f00000000;\n" middle after)
#define BOTH "@%p1 ld.global.f32 %f1, [%rd1];\n@%p1 ld.global.f32 %f2, [%rd2];\n"
    static const struct {
        const char *text;
        bool right;
    } cases[] = {
        // The result goes into a loaded register, and is read where the guard is false as well.
        {GUARDED(BOTH "@%p1 max.f32 %f1, %f1, %f2;\n", "st.global.f32 [%rd1], %f1;\n"), true},
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n", "st.global.f32 [%rd1], %f3;\n"), true},
        // Then what was loaded is read.
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n", "st.global.f32 [%rd1], %f1;\n"), false},
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n", "@%p1 st.global.f32 [%rd1], %f1;\n"), false},
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n", "@%p2 st.global.f32 [%rd1], %f1;\n"), false},
        // Under the complementary guard nothing of it is there.
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n", "@!%p1 st.global.f32 [%rd1], %f1;\n"), true},
        // But if that guard was written again.
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "setp.lt.u32 %p1, %r4, 4;\n@!%p1 st.global.f32 [%rd1], %f1;\n"),
         false},
        {GUARDED("@%p1 ld.global.f32 %f1, [%rd1];\nsetp.lt.u32 %p1, %r4, 4;\n"
                 "@%p1 ld.global.f32 %f2, [%rd2];\n@%p1 max.f32 %f3, %f1, %f2;\n",
                 ""),
         false},
        // Redefined under a guard, the loaded value stays in the other lanes.
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "@%p2 mov.f32 %f1, %f3;\nst.global.f32 [%rd1], %f1;\n"),
         false},
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "@%p1 mov.f32 %f1, %f3;\nst.global.f32 [%rd1], %f1;\n"),
         true},
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "@%p2 mov.f32 %f1, %f3;\n@%p2 st.global.f32 [%rd1], %f1;\n"),
         true},
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "@!%p1 mov.f32 %f1, %f3;\nst.global.f32 [%rd1], %f1;\n"),
         false},
        // Of a vector, one element.
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "@%p2 ld.shared.v2.f32 {%f5, %f2}, [s];\nst.global.f32 [%rd1], %f5;\n"),
         true},
        {GUARDED(BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "@%p2 ld.shared.v2.f32 {%f5, %f2}, [s];\nst.global.f32 [%rd1], %f2;\n"),
         false},
        // Round a loop in which the guard changes.
        {GUARDED("L:\n@!%p1 st.global.f32 [%rd2], %f1;\nsetp.lt.u32 %p1, %r4, 4;\n" BOTH
                 "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "add.u32 %r4, %r4, 1;\n@%p2 bra L;\n"),
         false},
        {GUARDED("L:\n@!%p1 st.global.f32 [%rd2], %f1;\n" BOTH "@%p1 max.f32 %f3, %f1, %f2;\n",
                 "add.u32 %r4, %r4, 1;\n@%p2 bra L;\n"),
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proof p;
        uint32_t count = 0;
        struct chain chain = {.pattern = 2, .response = RESPONSE_DATA, .response_flits = 5};
        prove_begin(&p, cases[i].text, (struct pass_options){.cost = COST_REFINED});
        const struct ir_function *fn = &p.module.functions.v[0];
        for (uint32_t inst = 0; inst < fn->insts.n; inst++) {
            bool loads =
                fn->insts.v[inst].class == CLASS_LOAD && fn->insts.v[inst].space == W_global;
            if (count < 3 && (loads || fn->insts.v[inst].op == OP_max))
                chain.inst[count++] = inst;
        }
        assert_int_equal(count, 3);
        chain.count = count;
        p.plan.chains.n = p.plan.blocks.n = 0;
        vec_push(&p.program.arena, &p.plan.chains, chain);
        const char *wrong = refute_plan(&p);
        if (!wrong != cases[i].right)
            print_message("case %zu: %s\n", i, wrong ? wrong : "proven");
        assert_int_equal(!wrong, cases[i].right);
        program_free(&p.program);
    }
}

// The old value that a guarded instruction keeps is a live-in of the block only if it is read
// there: %f1 in the second kernel, and the loop in the third round.

static void refute_without(struct proof *p, struct block_plan *block, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; i < block->live_in.n; i++) {
        struct live_value *live = &block->live_in.v[i], kept = *live;
        const struct ir_function *fn = &p->module.functions.v[0];
        const struct name *own = tree_name(&p->program.tree, fn->registers.v[live->reg].name);
        if (own->length != strlen(name) || memcmp(own->text, name, own->length))
            continue;
        live->reg = IR_NONE;
        assert_non_null(refute_plan(p));
        *live = kept;
        found = true;
    }
    assert_true(found);
}

static void kept_values(void **state)
{
    (void)state;
#define KEPT(before, after)                                                                        \
    BODY("ld.shared.f32 %f1, [s];\nL:\n" before "@%p1 ld.global.f32 %f1, [%rd1];\n" after          \
         "st.global.f32 [%rd1+64], %f2;\nst.global.f32 [%rd1+256], %f2;\n"                         \
         "st.global.f32 [%rd1+512], %f2;\nst.global.f32 [%rd1+768], %f2;\n@%p2 bra L;\n"           \
         "bar.sync 0;\nst.shared.f32 [s], %f1;\n")
    static const struct {
        const char *text;
        bool reads;
    } cases[] = {
        {KEPT("", ""), false},
        {KEPT("", "st.global.f32 [%rd1+4], %f1;\n"), true},
        {KEPT("st.global.f32 [%rd1+4], %f1;\n", ""), true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proof p;
        uint32_t blocks = 0;
        prove_begin(&p, cases[i].text, (struct pass_options){.cost = COST_REFINED});
        assert_null(refute_plan(&p));
        for (uint32_t k = 0; k < p.plan.blocks.n; k++) {
            struct block_plan *block = &p.plan.blocks.v[k];
            if (!block->chosen || !block->estimate.candidate)
                continue;
            blocks++;
            if (cases[i].reads)
                refute_without(&p, block, "%f1");
        }
        assert_true(blocks > 0);
        program_free(&p.program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims),
        cmocka_unit_test(made_up_chains),
        cmocka_unit_test(kept_values),
        cmocka_unit_test(guarded_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
