// Finds the Load-Compute-Store chains [000 §4.1, Table 1].
//
// Needs the SSA overlay. Keeps everything: the pass only adds to the plan. Every load of global,
// generic or shared memory, and every store to it, ends in a chain or with the reason why it does
// not; a fused multiply-add that would be a chain if divided is listed, too.
//
// Candidates do not overlap (match.c), but bringing one together may keep another apart. Chains
// that save more go first, among equals the one that comes first in the text. One that cannot be
// brought together with its store is tried without it (patterns 2 and 8).
#include "passes/match.h"
#include "passes/passes.h"
#include <stdlib.h>

enum { REQUEST = 1, ACK = 1, BITMAP = 1, DATA = 5, PACKET = 1 }; // flits, see struct chain

static const struct pattern {
    uint8_t loads, stores;
    enum response response;
    uint8_t without_store; // the pattern that is left, or 0
} patterns[] = {
    [1] = {2, 1, RESPONSE_ACK, 2},    [2] = {2, 0, RESPONSE_DATA, 0},
    [3] = {1, 1, RESPONSE_ACK, 0},    [4] = {1, 1, RESPONSE_ACK, 0},
    [5] = {2, 0, RESPONSE_BITMAP, 0}, [6] = {1, 0, RESPONSE_BITMAP, 0},
    [7] = {1, 1, RESPONSE_ACK, 0},    [8] = {2, 0, RESPONSE_DATA, 0},
    [9] = {2, 1, RESPONSE_ACK, 8},
};
enum { PATTERN_COUNT = sizeof patterns / sizeof *patterns };

static uint32_t response_flits(const struct pattern *pattern)
{
    static const uint32_t flits[] = {
        [RESPONSE_ACK] = ACK, [RESPONSE_DATA] = DATA, [RESPONSE_BITMAP] = BITMAP};
    return flits[pattern->response];
}

static uint32_t saving_of(const struct pattern *pattern)
{
    uint32_t alone = pattern->loads * (REQUEST + DATA) + pattern->stores * (DATA + ACK);
    return alone - (PACKET + response_flits(pattern));
}

static int by_number(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void accept(struct matcher *m, const struct candidate *candidate, struct plan *plan)
{
    const struct pattern *pattern = &patterns[candidate->pattern];
    struct chain chain = {.function = m->function,
                          .pattern = candidate->pattern,
                          .count = candidate->count,
                          .split = candidate->split,
                          .response = pattern->response,
                          .response_flits = response_flits(pattern),
                          .saving = saving_of(pattern)};
    for (uint32_t i = 0; i < candidate->count; i++)
        chain.inst[i] = candidate->inst[i];
    if (!m->options->reorder)
        qsort(chain.inst, chain.count, sizeof *chain.inst, by_number);
    vec_push(plan->arena, &plan->chains, chain);
}

static void turn_down(struct matcher *m, const struct candidate *candidate,
                      const struct obstacle *why)
{
    for (uint32_t i = 0; i < patterns[candidate->pattern].loads; i++)
        verdict_obstacle(m, match_load_at(m, candidate->inst[i]), why, candidate);
}

// It goes on without its store, or not at all.
static void give_up(struct matcher *m, struct candidate *candidate, const struct obstacle *why)
{
    if (patterns[candidate->pattern].without_store) {
        stores_left_out(m, candidate, why);
        candidate->pattern = patterns[candidate->pattern].without_store;
        candidate->count--;
    } else {
        turn_down(m, candidate, why);
        candidate->done = true;
    }
}

// What cannot stand together whatever becomes of the others.
static void sift(struct matcher *m)
{
    struct obstacle why;
    for (uint32_t i = 0; i < m->candidates.n; i++) {
        struct candidate *candidate = &m->candidates.v[i];
        while (!candidate->done &&
               !order_allows(&m->order, candidate->inst, candidate->count, &why))
            give_up(m, candidate, &why);
    }
}

static void choose(struct matcher *m, struct candidate *candidate, struct plan *plan)
{
    struct obstacle why;
    if (order_allows(&m->order, candidate->inst, candidate->count, &why)) {
        order_join(&m->order, candidate->inst, candidate->count);
        accept(m, candidate, plan);
        candidate->done = true;
    } else {
        why.rule = RULE_OVERLAP;
        give_up(m, candidate, &why);
    }
}

static bool stands_together(const struct candidate *candidate)
{
    for (uint32_t i = 1; i < candidate->count; i++)
        if (candidate->inst[i] != candidate->inst[i - 1] + 1)
            return false;
    return true;
}

static void choose_level(struct matcher *m, uint32_t saving, bool together, struct plan *plan)
{
    for (uint32_t i = 0; i < m->candidates.n; i++) {
        struct candidate *candidate = &m->candidates.v[i];
        if (!candidate->done && saving_of(&patterns[candidate->pattern]) == saving &&
            (!together || stands_together(candidate)))
            choose(m, candidate, plan);
    }
}

static void choose_all(struct matcher *m, struct plan *plan)
{
    uint32_t levels[PATTERN_COUNT] = {0};
    for (uint32_t i = 1; i < PATTERN_COUNT; i++)
        levels[i] = saving_of(&patterns[i]);
    qsort(levels, PATTERN_COUNT, sizeof *levels, by_number);
    sift(m);
    for (uint32_t level = PATTERN_COUNT; level-- > 1;) {
        if (level + 1 < PATTERN_COUNT && levels[level] == levels[level + 1])
            continue;
        choose_level(m, levels[level], true, plan);
        choose_level(m, levels[level], false, plan);
    }
}

static int by_place(const void *left, const void *right)
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

static void run_on(struct ir_module *module, uint32_t function, const struct pass_options *options,
                   struct plan *plan)
{
    struct matcher m = {.module = module,
                        .options = options,
                        .fn = &module->functions.v[function],
                        .function = function,
                        .facts = facts_of(plan, module, options, function),
                        .arena = plan->arena};
    uint32_t first = plan->chains.n;
    arena_init(&m.scratch, plan->arena->memory);
    uses_init(&m.uses, &m.scratch, m.fn);
    match_loads(&m);
    match_patterns(&m);
    if (m.candidates.n) {
        order_init(&m.order, &m.scratch, m.facts);
        choose_all(&m, plan);
    }
    stores_judge(&m, plan, first);
    if (plan->chains.n > first)
        qsort(plan->chains.v + first, plan->chains.n - first, sizeof *plan->chains.v, by_place);
    list_rejections(&m, plan);
    arena_free(&m.scratch);
}

bool pass_chains(struct ir_module *module, const struct pass_options *options, struct plan *plan)
{
    uint32_t before = plan->chains.n + plan->rejections.n;
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body)
            run_on(module, i, options, plan);
    return plan->chains.n + plan->rejections.n > before;
}
