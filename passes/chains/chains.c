// Finds the Load-Compute-Store chains [000 §4.1, Table 1].
//
// Requires the SSA overlay. Keeps everything: the pass only adds to the plan. Every load of global,
// generic or shared memory, and every store to it, is in a chain or gets the reason why it is not.
// Fused multiply-adds that would form a chain if divided are listed, too, and so are kernels whose
// shared memory leaves no room for the service queue.
#include "passes/chains/match.h"
#include "passes/base/passes.h"
#include "passes/chains/shared.h"
#include <stdlib.h>

static int by_number(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int by_position(const void *left, const void *right)
{
    return by_number(((const struct chain *)left)->inst, ((const struct chain *)right)->inst);
}

static int by_instruction(const void *left, const void *right)
{
    const struct rejection *a = left, *b = right;
    return by_number(&a->inst, &b->inst);
}

static void list_rejections(struct matcher *m, struct plan *plan)
{
    for (uint32_t i = 0; i < m->loads.n; i++) {
        const struct load *load = &m->loads.v[i];
        if (load->verdict.rule != RULE_COUNT)
            vec_push(&m->scratch, &m->rejections,
                     (struct rejection){m->function, CANDIDATE_LOAD, load->verdict.rule, load->inst,
                                        load->verdict.because, load->verdict.text,
                                        .last = IR_NONE});
    }
    if (m->rejections.n)
        qsort(m->rejections.v, m->rejections.n, sizeof *m->rejections.v, by_instruction);
    for (uint32_t i = 0; i < m->rejections.n; i++)
        vec_push(plan->arena, &plan->rejections, m->rejections.v[i]);
}

// Lists a kernel with chains whose shared memory leaves no room for the service queue.
static void check_shared(struct matcher *m, struct shared_search *search, const struct plan *plan,
                         uint32_t first_chain)
{
    if (plan->chains.n == first_chain || !m->fn->is_entry)
        return;
    struct shared_memory shared = shared_memory_of(search, m->function);
    if (shared_leaves_queue(m->capability, &shared))
        return;
    const char *text =
        arena_printf(m->arena,
                     "it uses %llu of the %u bytes of shared memory at a core, which leaves too "
                     "little for the %u of the service queue; its chains are computed only if all "
                     "their accesses go to one LLC partition",
                     (unsigned long long)shared.bytes, m->capability->shared_bytes,
                     m->capability->service_queue_bytes);
    vec_push(&m->scratch, &m->rejections,
             (struct rejection){m->function, CANDIDATE_KERNEL, RULE_SHARED, 0, shared.first, text,
                                .last = IR_NONE});
}

static void run_on(const struct pass_work *work, uint32_t function)
{
    struct plan *plan = work->plan;
    struct matcher m = {.module = work->module,
                        .options = work->options,
                        .fn = &work->module->functions.v[function],
                        .function = function,
                        .facts = facts_of(plan, work->module, work->options, function),
                        .capability = capability_of(work->options),
                        .arena = plan->arena};
    uint32_t first = plan->chains.n;
    arena_init(&m.scratch, plan->arena->memory);
    uses_init(&m.uses, &m.scratch, m.fn);
    match_find_copies(&m);
    match_loads(&m);
    match_patterns(&m);
    if (m.candidates.n)
        match_choose(&m, plan);
    stores_check(&m, plan, first);
    if (plan->chains.n > first)
        qsort(plan->chains.v + first, plan->chains.n - first, sizeof *plan->chains.v, by_position);
    check_shared(&m, work->state, plan, first);
    list_rejections(&m, plan);
    arena_free(&m.scratch);
}

static void run(const struct pass_work *work)
{
    for (uint32_t i = work->first; i < work->end; i++)
        if (work->module->functions.v[i].has_body)
            run_on(work, i);
}

static void *begin(struct arena *arena, const struct ir_module *module)
{
    return shared_search_new(arena, module);
}

const struct function_pass pass_chains = {begin, run, NULL};
