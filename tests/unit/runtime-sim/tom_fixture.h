// A machine with memory stacks that offloads blocks, for tests.
#pragma once
#include "backend/tags/tags.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "tests/fuzz/tagged.h"
#include "tests/unit/runtime-sim/machine_fixture.h"

#define ENTRY(name, body)                                                                          \
    ".visible .entry " name "(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 lanes)\n"   \
    "{\n.reg .b32 %r<12>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .pred %p<4>;\n"                   \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %d4, %r1, 4;\n"                                   \
    "mov.u32 %r6, %nctaid.x; mul.lo.u32 %r6, %r6, %r2; mul.wide.u32 %d3, %r6, 4;\n"                \
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u32 %r4, [n];\n"                       \
    "ld.param.u32 %r5, [lanes]; add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4;\n"                   \
    "setp.ge.u32 %p1, %r3, %r5; mov.f32 %f3, 0f3F800000;\n" body "ret;\n}\n"

// A loop for the first lanes: sums words of a, and writes each sum to b. The first access is the
// first instruction, or follows two additions.
#define LOOP(first)                                                                                \
    "@%p1 bra OUT; mov.u32 %r8, %r4;\nL:\n" first                                                  \
    "ld.global.f32 %f1, [%d1]; add.f32 %f3, %f3, %f1; st.global.f32 [%d2], %f3;\n"                 \
    "add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3; sub.u32 %r8, %r8, 1;\n"                         \
    "setp.ne.u32 %p2, %r8, 0; @%p2 bra L;\n"                                                       \
    "OUT: st.global.f32 [%d2], %f3;\n"

static const char text[] = HEAD("7.0", "sm_70") ENTRY("plain", LOOP(""))
    ENTRY("ahead", LOOP("add.f32 %f3, %f3, %f3; add.f32 %f3, %f3, 0f3F000000;\n"));

enum { LIMIT = 1 << 19 };

struct block_rig {
    struct rig r;
    struct tables tables;
    struct tom_table table;
    struct tom *tom;
    float *a, *b;
};

static inline const struct tom_config *config_of(const struct rig *r)
{
    return r->config.of_scheme[machine_scheme_number(&r->config, &tom_blocks)];
}

// Builds the machine of a text, with schemes that are registered for it.
static inline void build_with(struct block_rig *b, const char *source, const char *const *settings,
                              const struct scheme_ops *const *known)
{
    static char tagged_text[1 << 16];
    const struct pass_options options = {.cost = COST_TOM,
                                         .kinds = 1 << BLOCK_LOOP | 1 << BLOCK_BASIC};
    struct tagged tagged;
    struct machine_plans plans = {0};
    memset(b, 0, sizeof *b);
    tagged_make_by(&tagged, source, strlen(source), &options, MUTATE_NOTHING, 0);
    assert_string_equal(tagged.wrong, "");
    snprintf(tagged_text, sizeof tagged_text, "%s", tagged.text);
    tagged_free(&tagged);
    rig_configure_from(&b->r, tagged_text, "tom", 0, settings, known);
    struct kernel *k = &b->r.k;
    assert_true(tags_read(&b->tables, &k->arena, &k->source, &k->diags));
    assert_true(tom_table_build(&b->table, &k->arena, &b->tables, &k->program, config_of(&b->r),
                                &k->diags));
    assert_true(b->table.blocks.n > 0);
    machine_plan_add(&plans, &b->r.k.arena, &tom_blocks, &b->table);
    rig_build_planned(&b->r, &plans);
    b->tom = machine_scheme(b->r.machine, &tom_blocks);
}

static inline void build(struct block_rig *b, const char *const *settings)
{
    build_with(b, text, settings, schemes);
    assert_int_equal(b->table.blocks.n, 2);
}

// Runs a kernel for some iterations and lanes. Returns its cycles.
static inline uint64_t run(struct block_rig *b, const char *kernel, uint32_t grid, uint32_t block,
                           uint32_t iterations, uint32_t lanes)
{
    b->a = kernel_buffer(&b->r.k, LIMIT * 4);
    b->b = kernel_buffer(&b->r.k, LIMIT * 4);
    kernel_u32(&b->r.k, iterations);
    kernel_u32(&b->r.k, lanes);
    for (uint32_t i = 0; i < LIMIT; i++)
        b->a[i] = (float)(i % 7) * 0.25F;
    return rig_run(&b->r, kernel, grid, block);
}

// Compares with a machine that offloads nothing.
static inline void check(const struct block_rig *b, const char *kernel, uint32_t grid,
                         uint32_t block, uint32_t iterations, uint32_t lanes)
{
    static struct block_rig plain;
    build(&plain, SETTINGS("tom.policy=baseline"));
    run(&plain, kernel, grid, block, iterations, lanes);
    assert_memory_equal(plain.b, b->b, LIMIT * 4);
    rig_free(&plain.r);
}

#define CTRL "tom.policy=tom-ctrl"

// Makes all steps of a decision.
static inline enum tom_decision answer(const struct tom_decision_inputs *q)
{
    enum tom_decision first = tom_decide_first(q);
    return first == TOM_OFFLOAD ? tom_decide_stack(q) : first;
}
