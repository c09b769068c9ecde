#include "backend/tables/profile_read.h"
#include "passes/analysis/memory/measured.h"
#include "support/search.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A plan, with its rejections sorted by function and place, and its chains by their instructions.
struct edit_side {
    const struct plan *plan;
    const struct rejection **rejections;
    const struct chain **chains;
};

// A change, with the place by which it is sorted.
struct change {
    uint32_t function, first, last;
    struct table_change entry;
};

struct change_finder {
    struct arena *arena;
    const struct ir_module *module;
    struct edit_side without, with;
    VEC(struct change) list;
};

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_location(const void *left, const void *right)
{
    const struct rejection *a = *(const struct rejection *const *)left;
    const struct rejection *b = *(const struct rejection *const *)right;
    int by = compare_u32(a->function, b->function);
    by = by ? by : compare_u32(a->inst, b->inst);
    return by ? by : (a > b) - (a < b);
}

static int compare_chains(const struct chain *a, const struct chain *b)
{
    int by = compare_u32(a->function, b->function);
    for (uint32_t i = 0; !by && i < a->count && i < b->count; i++)
        by = compare_u32(a->inst[i], b->inst[i]);
    by = by ? by : compare_u32(a->count, b->count);
    return by ? by : compare_u32(a->pattern, b->pattern);
}

static int by_members(const void *left, const void *right)
{
    return compare_chains(*(const struct chain *const *)left, *(const struct chain *const *)right);
}

static struct edit_side side_of(struct arena *arena, const struct plan *plan)
{
    struct edit_side side = {
        .plan = plan,
        .rejections = ARENA_ARRAY(arena, const struct rejection *, plan->rejections.n + 1),
        .chains = ARENA_ARRAY(arena, const struct chain *, plan->chains.n + 1),
    };
    for (uint32_t i = 0; i < plan->rejections.n; i++)
        side.rejections[i] = &plan->rejections.v[i];
    for (uint32_t i = 0; i < plan->chains.n; i++)
        side.chains[i] = &plan->chains.v[i];
    qsort(side.rejections, plan->rejections.n, sizeof *side.rejections, by_location);
    qsort(side.chains, plan->chains.n, sizeof *side.chains, by_members);
    return side;
}

// Returns the index of the first rejection at or after the place.
static uint32_t rejections_from(const struct edit_side *side, uint32_t function, uint32_t inst)
{
    const struct rejection **all = side->rejections;
    return SEARCH(i, 0, side->plan->rejections.n,
                  all[i]->function < function ||
                      (all[i]->function == function && all[i]->inst < inst));
}

static const char *text_of(const struct rejection *rejection)
{
    return rejection->text ? rejection->text : plan_rules[rejection->rule].text;
}

static void add(struct change_finder *f, uint32_t function, uint32_t first, uint32_t last,
                struct table_change entry)
{
    const struct ir_function *fn = &f->module->functions.v[function];
    const struct name *name = tree_name(f->module->tree, fn->name);
    struct source_position place = ir_position(f->module, fn, first);
    entry.kernel = arena_strndup(f->arena, name->text, name->length);
    entry.line = place.line;
    entry.column = place.column;
    entry.end_line = ir_position(f->module, fn, last).line;
    struct change change = {function, first, last, entry};
    vec_push(f->arena, &f->list, change);
}

// Chains

// Returns the reason why the chain's accesses are in no chain of this plan.
static const char *missing_reason(const struct edit_side *side, const struct chain *chain)
{
    for (uint32_t i = 0; i < chain->count; i++) {
        uint32_t at = rejections_from(side, chain->function, chain->inst[i]);
        for (; at < side->plan->rejections.n; at++) {
            const struct rejection *rejection = side->rejections[at];
            if (rejection->function != chain->function || rejection->inst != chain->inst[i])
                break;
            if (rejection->kind != CANDIDATE_BLOCK)
                return text_of(rejection);
        }
    }
    return "its instructions are in another chain";
}

static const char *chain_text(struct change_finder *f, const struct chain *chain)
{
    return arena_printf(f->arena, "offloaded, pattern %u, expected saving %.4g flits",
                        chain->pattern, chain->expected_saving);
}

static void add_chain(struct change_finder *f, const struct chain *chain, bool lost)
{
    uint32_t first = chain->inst[0], last = first;
    const char *reason = missing_reason(lost ? &f->with : &f->without, chain);
    for (uint32_t i = 1; i < chain->count; i++) {
        first = chain->inst[i] < first ? chain->inst[i] : first;
        last = chain->inst[i] > last ? chain->inst[i] : last;
    }
    if (!lost)
        reason = arena_printf(f->arena, "without the profile: %s", reason);
    add(f, chain->function, first, last,
        (struct table_change){.kind = CANDIDATE_CHAIN,
                              .before = lost ? chain_text(f, chain) : "not offloaded",
                              .after = lost ? "not offloaded" : chain_text(f, chain),
                              .reason = reason});
}

static void compare_all_chains(struct change_finder *f)
{
    const struct edit_side *a = &f->without, *b = &f->with;
    uint32_t i = 0, k = 0;
    while (i < a->plan->chains.n || k < b->plan->chains.n) {
        int by = i == a->plan->chains.n   ? 1
                 : k == b->plan->chains.n ? -1
                                          : compare_chains(a->chains[i], b->chains[k]);
        if (by < 0)
            add_chain(f, a->chains[i], true);
        if (by > 0)
            add_chain(f, b->chains[k], false);
        i += by <= 0;
        k += by >= 0;
    }
}

// Blocks

static const char *block_text(struct change_finder *f, const struct block_plan *block)
{
    const struct block_estimate *e = &block->estimate;
    if (!e->candidate)
        return "not offloaded";
    if (!block->chosen)
        return "passed over";
    if (!e->conditional)
        return "offloaded";
    return arena_printf(f->arena, "offloaded if %s >= %llu", block->trip_text,
                        (unsigned long long)e->threshold);
}

// Returns which of the block's numbers were measured, as the end of a sentence.
static const char *measured_words(struct change_finder *f, const struct block_plan *block)
{
    const char *words[3];
    uint32_t count = 0;
    if (block->measured & MEASURED_LINES)
        words[count++] = "lines of accesses";
    if (block->measured & MEASURED_MISSES)
        words[count++] = "misses";
    if (block->measured & MEASURED_TRIPS)
        words[count++] =
            block->kind == BLOCK_LOOP
                ? arena_printf(f->arena, "%.4g iterations on average", block->measured_trips)
                : "iterations of loops in it";
    const char *text = "";
    for (uint32_t i = 0; i < count; i++)
        text = arena_printf(f->arena, "%s%s%s", text, i ? ", " : "; measured: ", words[i]);
    return text;
}

static const char *block_reason(struct change_finder *f, const struct block_plan *block)
{
    const struct edit_side *side = &f->with;
    const char *text = NULL;
    for (uint32_t at = rejections_from(side, block->function, block->first);
         at < side->plan->rejections.n && !text; at++) {
        const struct rejection *rejection = side->rejections[at];
        if (rejection->function != block->function || rejection->inst != block->first)
            break;
        if (rejection->kind == CANDIDATE_BLOCK && rejection->last == block->last &&
            rejection->shape == block->kind)
            text = text_of(rejection);
    }
    if (!text)
        text = arena_printf(f->arena, "it saves %g words per warp", block->estimate.weight);
    return arena_printf(f->arena, "%s%s", text, measured_words(f, block));
}

// Candidate blocks do not depend on the profile: both plans have the same blocks in the same order.
static void compare_blocks(struct change_finder *f)
{
    const struct plan *a = f->without.plan, *b = f->with.plan;
    assert(a->blocks.n == b->blocks.n);
    for (uint32_t i = 0; i < b->blocks.n; i++) {
        const struct block_plan *before = &a->blocks.v[i], *after = &b->blocks.v[i];
        assert(before->function == after->function && before->first == after->first &&
               before->last == after->last && before->kind == after->kind);
        const char *was = block_text(f, before), *is = block_text(f, after);
        if (strcmp(was, is) != 0)
            add(f, after->function, after->first, after->last,
                (struct table_change){.kind = CANDIDATE_BLOCK,
                                      .before = was,
                                      .after = is,
                                      .reason = block_reason(f, after)});
    }
}

static int in_text(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    int by = compare_u32(a->function, b->function);
    by = by ? by : compare_u32(a->first, b->first);
    by = by ? by : compare_u32(b->last, a->last);
    by = by ? by : compare_u32(a->entry.kind, b->entry.kind);
    by = by ? by : strcmp(a->entry.before, b->entry.before);
    return by ? by : strcmp(a->entry.after, b->entry.after);
}

void changes_find(struct tables *tables, struct arena *arena, const struct ir_module *module,
                  const struct plan *without, const struct plan *with)
{
    struct change_finder f = {.arena = arena,
                              .module = module,
                              .without = side_of(arena, without),
                              .with = side_of(arena, with)};
    tables->compared = true;
    compare_all_chains(&f);
    compare_blocks(&f);
    if (f.list.n)
        qsort(f.list.v, f.list.n, sizeof *f.list.v, in_text);
    for (uint32_t i = 0; i < f.list.n; i++)
        vec_push(arena, &tables->changes, f.list.v[i].entry);
}
