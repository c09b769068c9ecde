#include "passes/analysis/facts.h"

struct facts_table {
    struct facts **of; // per function
    struct reuse_memo *memo;
    struct spaces *spaces;
};

struct facts *facts_of(struct plan *plan, const struct ir_module *module,
                       const struct pass_options *options, uint32_t function)
{
    if (!plan->facts) {
        plan->facts = ARENA_NEW(plan->arena, struct facts_table);
        plan->facts->of = ARENA_ARRAY(plan->arena, struct facts *, module->functions.n + 1);
        plan->facts->memo = reuse_memo_new(plan->arena);
        plan->facts->spaces = spaces_new(plan->arena, module);
    }
    struct facts **at = &plan->facts->of[function];
    if (*at)
        return *at;
    const struct ir_function *fn = &module->functions.v[function];
    struct arena *arena = plan->facts_arena ? plan->facts_arena : plan->arena;
    *at = ARENA_NEW(arena, struct facts);
    **at = (struct facts){.arena = arena, .module = module, .fn = fn, .options = *options};
    (*at)->shape = shape_of(module, fn, options->block);
    (*at)->memo = plan->facts->memo;
    (*at)->spaces = plan->facts->spaces;
    return *at;
}

void facts_forget(struct plan *plan, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; plan->facts && i < end; i++)
        plan->facts->of[i] = NULL;
}

const struct divergence *facts_divergence(struct facts *f)
{
    if (!f->divergence)
        f->divergence = divergence_new(f->arena, f->module, f->fn, f->shape, SHAPE_ASSUMED);
    return f->divergence;
}

// Only values that depend on %tid.y or %tid.z depend on the assumed shape.
const struct divergence *facts_certain(struct facts *f)
{
    if (f->certain)
        return f->certain;
    if (shape_is_known(&f->shape) || !shape_has_rows(f->fn))
        f->certain = facts_divergence(f);
    else
        f->certain = divergence_new(f->arena, f->module, f->fn, f->shape, SHAPE_ANY);
    return f->certain;
}

struct affines *facts_affines(struct facts *f)
{
    if (!f->affines)
        f->affines = affines_new(f->arena, f->module, f->fn, facts_divergence(f), f->shape);
    return f->affines;
}

struct coalescings *facts_coalescings(struct facts *f)
{
    if (!f->coalescings)
        f->coalescings = coalescings_new(f->arena, f->module, f->fn, facts_affines(f), f->shape);
    return f->coalescings;
}

struct reuses *facts_reuses(struct facts *f)
{
    if (!f->reuses)
        f->reuses = reuses_new(f);
    return f->reuses;
}
