// The table of chains: it has all that the tagger has found in random kernels, and rejects anything
// else.
#include "runtime-sim/schemes/llc_omni/table.h"
#include "backend/tables/bodies.h"
#include "backend/tags/tags.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "tests/fuzz/kernels.h"
#include "tests/fuzz/tagged.h"
#include "tests/lib/patterns.h"
#include "tests/lib/sanitized.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = IS_SANITIZED ? 50 : 200 };

struct tagging {
    struct memory memory;
    struct arena arena;
    struct tagged tagged;
    struct source source;
    struct diags diags;
    struct tree tree;
    struct ir_module module;
    struct program program;
    struct tables tables;
    struct offload_config config;
    struct offload_table table;
};

static void load(struct tagging *t, const char *text, size_t length)
{
    char *copy = arena_alloc(&t->arena, length + 2);
    memcpy(copy, text, length);
    source_init(&t->source, &t->arena, "kernel.ptx", copy, (uint32_t)length);
    diags_init(&t->diags, &t->arena);
    ptx_parse(&t->tree, &t->arena, &t->source, &t->diags);
    ir_build(&t->module, &t->arena, &t->tree, &t->diags);
    assert_int_equal(t->diags.errors, 0);
    program_build(&t->program, &t->arena, &t->module, lanes_best());
}

static void begin(struct tagging *t)
{
    memset(t, 0, sizeof *t);
    if (setjmp(t->memory.on_failure))
        abort();
    arena_init(&t->arena, &t->memory);
    t->config = (struct offload_config){.policy = OFFLOAD_LLC, .chains_most = 256};
}

static void tag(struct tagging *t, const char *text, enum fma_mode fma)
{
    begin(t);
    tagged_make(&t->tagged, text, strlen(text), fma, MUTATE_NOTHING, 0);
    assert_string_equal(t->tagged.wrong, "");
    load(t, t->tagged.text, t->tagged.length);
    if (t->tagged.chains)
        assert_true(tags_read(&t->tables, &t->arena, &t->source, &t->diags));
}

static void tag_random(struct tagging *t, uint64_t seed)
{
    struct memory memory = {0};
    struct arena arena;
    struct random_kernel kernel;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    kernel_make(&kernel, &arena, seed);
    tag(t, kernel_text(&kernel, NULL, NULL), seed % 2 ? FMA_SPLIT : FMA_FUSED);
    arena_free(&arena);
}

static void end(struct tagging *t)
{
    tagged_free(&t->tagged);
    arena_free(&t->arena);
    memory_free(&t->memory);
}

static bool make(struct tagging *t)
{
    diags_init(&t->diags, &t->arena);
    bool good =
        offload_table_build(&t->table, &t->arena, &t->tables, &t->program, &t->config, &t->diags);
    assert_int_equal(good, !t->diags.errors);
    return good;
}

static void refused(struct tagging *t, const char *why)
{
    if (make(t))
        fail_msg("taken, and nothing said of '%s'", why);
    if (!strstr(t->diags.list.v[0].message, why))
        fail_msg("'%s' says nothing of '%s'", t->diags.list.v[0].message, why);
}

// Complete tables

static void same_chain(const struct tagging *t, uint32_t at, const struct table_chain *from)
{
    const struct offload_chain *chain = &t->table.chains.v[at];
    const struct ir_function *fn =
        &t->module.functions.v[t->program.functions.v[chain->function].function];
    uint32_t last = chain->count - 1u;
    assert_int_equal(chain->id, from->id);
    assert_int_equal(chain->pattern, from->pattern);
    assert_int_equal(chain->response, from->response);
    assert_int_equal(chain->response_flits, from->response_flits);
    assert_int_equal(chain->count, from->instructions.n);
    assert_int_equal(chain->stores, fn->insts.v[chain->inst[last]].class == CLASS_STORE);
    assert_int_equal(fn->insts.v[chain->inst[0]].class, CLASS_LOAD);
    uint32_t loads = 0;
    for (uint32_t i = 0; i <= last; i++) {
        assert_int_equal(chain->inst[i], from->instructions.v[i].index);
        loads += fn->insts.v[chain->inst[i]].class == CLASS_LOAD;
    }
    assert_int_equal(chain->loads, loads);
}

// Returns the number of instructions in chains. Each is in one chain only.
static uint32_t count_instructions(const struct tagging *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->table.chains.n; i++) {
        const struct offload_chain *chain = &t->table.chains.v[i];
        for (uint32_t k = 0; k < i; k++)
            for (uint32_t n = 0; n < chain->count; n++)
                for (uint32_t m = 0; m < t->table.chains.v[k].count; m++)
                    assert_false(t->table.chains.v[k].function == chain->function &&
                                 t->table.chains.v[k].inst[m] == chain->inst[n]);
        count += chain->count;
    }
    return count;
}

static void takes_all(void **state)
{
    uint32_t patterns[CHAIN_PATTERNS + 1] = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        struct tagging t;
        uint32_t chains = 0, places = 0;
        tag_random(&t, seed);
        if (!make(&t))
            fail_msg("seed %u: %s", (unsigned)seed, t.diags.list.v[0].message);
        for (uint32_t k = 0; k < t.tables.kernels.n; k++)
            for (uint32_t i = 0; i < t.tables.kernels.v[k].chains.n; i++) {
                const struct table_chain *from = &t.tables.kernels.v[k].chains.v[i];
                same_chain(&t, chains++, from);
                places += from->instructions.n;
                patterns[from->pattern]++;
            }
        assert_int_equal(t.table.chains.n, chains);
        assert_int_equal(chains, t.tagged.chains);
        assert_int_equal(count_instructions(&t), places);
        end(&t);
    }
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
        assert_true(patterns[i] >= 5 || !pattern_saves(i));
}

// Damage

static const char *opcode_of(struct tagging *t, uint32_t inst)
{
    struct bodies bodies = {0};
    bodies_find(&bodies, &t->arena, &t->tree);
    return body_opcode(&bodies.list.v[0], &t->arena, inst);
}

static void other_pattern(struct tagging *t, struct table_chain *chain)
{
    uint32_t was = chain->pattern;
    for (chain->pattern = 1; chain->pattern <= CHAIN_PATTERNS; chain->pattern++)
        if (chain->pattern != was)
            refused(t, "chain");
    chain->pattern = was;
}

static void other_response(struct tagging *t, struct table_chain *chain)
{
    enum response was = chain->response;
    chain->response = (was + 1) % 3;
    refused(t, "the response");
    chain->response = was;
}

// Returns true for a load at one address for all lanes: a chain can have it as its scalar, or as
// one of its loads with the other load as the scalar.
static bool is_uniform_load(const struct tagging *t, uint32_t inst)
{
    const struct ir_function *fn = &t->module.functions.v[0];
    const struct node *node = &t->tree.nodes.v[fn->insts.v[inst].node];
    return fn->insts.v[inst].class == CLASS_LOAD &&
           memmem(t->tree.source->text + node->begin, node->end - node->begin, "[%o", 3);
}

// Replaces each instruction of the chain by each other one that keeps their order.
static uint32_t other_instructions(struct tagging *t, struct table_chain *chain, uint32_t insts)
{
    uint32_t done = 0, count = chain->instructions.n;
    for (uint32_t i = 0; i < count; i++) {
        struct table_instruction *at = &chain->instructions.v[i], was = *at;
        uint32_t from = i ? at[-1].index + 1 : 0, to = i + 1 < count ? at[1].index : insts;
        for (uint32_t inst = from; inst < to; inst++) {
            if (inst == was.index || (is_uniform_load(t, inst) && is_uniform_load(t, was.index)))
                continue;
            at->index = inst;
            at->opcode = opcode_of(t, inst);
            refused(t, "chain");
            done++;
        }
        *at = was;
    }
    return done;
}

static void refuses_damage(void **state)
{
    uint32_t chains = 0, instructions = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= KERNELS / 10; seed++) {
        struct tagging t;
        tag_random(&t, seed);
        for (uint32_t i = 0; t.tagged.chains && i < t.tables.kernels.v[0].chains.n; i++) {
            struct table_chain *chain = &t.tables.kernels.v[0].chains.v[i];
            other_pattern(&t, chain);
            other_response(&t, chain);
            if (chains % 4 == 0)
                instructions += other_instructions(&t, chain, t.tables.kernels.v[0].instructions);
            chains++;
        }
        end(&t);
    }
    assert_true(chains > 50 && instructions > 1000);
}

// Faults of a whole table

static const char vecadd[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .entry k(.param .u64 p)\n{\n"
                             ".reg .b64 %a<5>; .reg .b32 %i<2>; .reg .f32 %f<4>;\n"
                             "ld.param.u64 %a1, [p]; cvta.to.global.u64 %a2, %a1;\n"
                             "mov.u32 %i1, %tid.x; mul.wide.u32 %a3, %i1, 4;\n"
                             "add.s64 %a4, %a2, %a3;\n"
                             "ld.global.f32 %f1, [%a4];\nld.global.f32 %f2, [%a4+4096];\n"
                             "add.f32 %f3, %f1, %f2;\nst.global.f32 [%a4+8192], %f3;\nret;\n}\n"
                             ".visible .entry empty()\n{\nret;\n}\n";

static void refuses_tables(void **state)
{
    struct tagging t;
    (void)state;
    tag(&t, vecadd, FMA_FUSED);
    struct table_kernel *kernel = &t.tables.kernels.v[0];
    struct table_chain *chain = &kernel->chains.v[0];
    assert_true(make(&t));
    assert_int_equal(t.table.chains.n, 1);
    assert_int_equal(t.table.chains.v[0].function, 0);

    chain->instructions.v[2].opcode = "sub.f32";
    refused(&t, "chain 0 of 'k': this is 'add.f32', but the chain has 'sub.f32' here");
    assert_int_equal(source_position_at(&t.source, t.diags.list.v[0].begin).line, 12);
    chain->instructions.v[2].opcode = "add.f32";

    t.tables.capability = "operations: [mul]";
    refused(&t, "the unit near the data cannot compute 'add.f32'");
    t.tables.capability = "";

    kernel->name = "other";
    refused(&t, "there are chains of 'other', but no such function");
    kernel->name = "k";

    t.module.functions.v[0].incomplete = true;
    refused(&t, "the function branches to unknown targets");
    t.module.functions.v[0].incomplete = false;

    kernel->instructions--;
    refused(&t, "they belong to 9 instructions, but the function has 10");
    kernel->instructions++;

    struct table_kernel again = *kernel;
    vec_push(&t.arena, &t.tables.kernels, again);
    refused(&t, "they are listed twice");
    t.tables.kernels.n--;

    t.config.chains_most = 0;
    refused(&t, "there are 1, but offload.chains_most is 0");
    t.config.policy = OFFLOAD_BASELINE; // which has no table
    assert_true(make(&t));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_all),
        cmocka_unit_test(refuses_damage),
        cmocka_unit_test(refuses_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
