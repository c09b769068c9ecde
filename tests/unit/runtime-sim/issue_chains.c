#include "tests/unit/runtime-sim/issue_chains.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_chain(struct chain_table *table, struct arena *arena,
                      const struct ir_module *module, const struct chain *chain)
{
    struct chain_member **members = &table->functions[chain->function];
    uint32_t inst[CHAIN_MAX];
    if (!*members)
        *members =
            ARENA_ARRAY(arena, struct chain_member, module->functions.v[chain->function].insts.n);
    memcpy(inst, chain->inst, sizeof inst);
    qsort(inst, chain->count, sizeof *inst, by_number);
    table->count++;
    table->of_pattern[chain->pattern]++;
    for (uint32_t i = 0; i < chain->count; i++) {
        assert_int_equal((*members)[inst[i]].chain, 0);
        (*members)[inst[i]] = (struct chain_member){table->count, i, chain->count - 1};
    }
}

void chain_table_find(struct chain_table *table, struct arena *arena,
                      const struct ir_module *module, const struct pass_options *options)
{
    struct plan plan = {.arena = arena};
    pass_all(&pass_chains, (struct ir_module *)(uintptr_t)module, options, &plan);
    *table = (struct chain_table){
        .functions = ARENA_ARRAY(arena, struct chain_member *, module->functions.n + 1)};
    for (uint32_t i = 0; i < plan.chains.n; i++)
        if (!plan.chains.v[i].split)
            add_chain(table, arena, module, &plan.chains.v[i]);
}

struct chain_member chain_member_of(const struct chain_table *table, const struct warp *warp,
                                    const struct code *code)
{
    uint32_t function = warp->paths.v[warp->current].function;
    const struct chain_member *members =
        table ? table->functions[warp->program->functions.v[function].function] : NULL;
    return members ? members[code->inst] : (struct chain_member){0};
}

struct forming *forming_new(const struct chain_member *member, struct warp *warp,
                            const struct reg_slots_used *slots)
{
    struct forming *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->chain = member->chain;
    f->mask = warp->paths.v[warp->current].mask;
    f->frame = warp->paths.v[warp->current].frame;
    f->shadow = aligned_alloc(64, shadow_bytes(warp->program, slots));
    assert_non_null(f->shadow);
    shadow_begin(f->shadow, warp, slots);
    return f;
}

void forming_free(struct forming *f)
{
    for (uint32_t i = 0; i < f->load_count; i++)
        free(f->loads[i]);
    free(f->store);
    free(f->shadow);
    free(f);
}

static bool issue_load(struct forming *f, struct warp *warp, struct held *held)
{
    if (issue_execute(warp, held) == ISSUE_DONE)
        return false;
    shadow_capture_load(f->shadow, held);
    f->loads[f->load_count++] = held;
    return true;
}

static bool issue_store(struct forming *f, struct warp *warp, struct held *held)
{
    f->finishes = false;
    if (issue_capture_store(warp, f->shadow, held) == ISSUE_DONE)
        return false;
    f->store = held;
    return true;
}

bool forming_issue(struct forming *f, const struct chain_member *member, struct warp *warp,
                   const struct code *code, struct held *held)
{
    assert_int_equal(f->next, member->place);
    f->complete = f->next++ == member->last;
    switch (shadow_kind(code)) {
    case SHADOW_LOAD: return issue_load(f, warp, held);
    case SHADOW_STORE: return issue_store(f, warp, held);
    case SHADOW_COMPUTES:
        f->captured = f->finishes = true;
        assert_int_equal(issue_capture(warp, f->shadow), ISSUE_DONE);
        return false;
    default: fail_msg("instruction %u cannot be captured", code->inst); return false;
    }
}

bool forming_compute(struct forming *f, uint32_t wanted)
{
    uint32_t ready = wanted & ~f->computed;
    for (uint32_t i = 0; i < f->load_count; i++)
        ready &= ~f->loads[i]->left;
    if (ready) {
        shadow_compute(f->shadow, ready);
        if (f->finishes)
            shadow_finish(f->shadow, ready);
        f->computed |= ready;
    }
    return f->computed == FULL_MASK && (!f->store || !f->store->left);
}

uint32_t forming_give_up(struct forming *f, struct held *given[CHAIN_MAX])
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < f->load_count; i++)
        if (shadow_give_load(f->shadow, f->loads[i]))
            given[count++] = f->loads[i];
        else
            f->loads[kept++] = f->loads[i];
    f->load_count = kept;
    f->complete = true;
    return count;
}
