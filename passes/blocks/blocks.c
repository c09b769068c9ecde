// Candidate blocks of TOM [002 §3.1].
//
// Requires a module as ir_build makes it; changes nothing in it. For every function with a body,
// adds to plan->blocks the loops, and those other candidates that contain an access and no
// instruction that cannot be moved, with the cost of moving their live values and the saving of
// their accesses by equations (3) and (4). Adds to plan->rejections why candidates are not chosen.
//
// Interpretation of the paper:
//   - An address, a register and a datum of any width are one unit; a vector access is one access;
//     a guarded or otherwise conditional access counts as one.
//   - In a block around a loop, the loop's accesses are multiplied by its trip count if that is a
//     constant, and count once otherwise.
//   - A conditional candidate is evaluated at its threshold, the smallest trip count that saves; a
//     loop with a constant trip count at that count; everything else at one iteration.
//   - Of overlapping candidates, the set with the largest sum of these savings is chosen. A chosen
//     one with a condition has alternatives: the best set within it, for the case that the
//     condition is false.
//   - With --cost=refined, a loop whose iterations were measured is evaluated at their mean, and is
//     a candidate if that saves. Where the trip count is an expression, the condition remains.
// --candidates selects kinds of candidates; others are neither evaluated nor rejected. Loops and
// basic blocks are the candidates of the paper's tool [002 §5.2].
// With --cost=refined the terms are those of passes/blocks/candidates.h: true sizes, lines by the
// lanes' addresses, misses by the reuse, uniform values once. Both results are kept.
#include "passes/analysis/memory/call_variables.h"
#include "passes/analysis/memory/measured.h"
#include "passes/base/passes.h"
#include "passes/blocks/candidates.h"
#include "passes/blocks/estimate.h"
#include <stdlib.h>

// The work on nested candidates grows with their depth. It is limited to this multiple of the
// function's size, innermost candidates first.
enum { MAX_WORK = 64, MIN_WORK = 1 << 20 };

struct evaluated_candidate {
    const struct block_candidate *candidate;
    struct block_plan plan;
    bool evaluated; // live values and savings are known
};

struct block_pass {
    const struct ir_module *module;
    struct plan *plan;
    struct arena scratch; // for one function
    uint32_t function;
    const struct ir_function *fn;
    const struct pass_options *options;
    struct effects *effects;
    struct traffics traffics;
    struct candidates candidates;
    struct evaluated_candidate *considered; // by place in the text
    uint32_t count;
};

static void reject(struct block_pass *p, enum plan_rule rule, uint32_t inst, uint32_t because,
                   const char *text)
{
    struct rejection rejection = {p->function, CANDIDATE_BLOCK, rule, inst, because,
                                  text,        .last = IR_NONE};
    vec_push(p->plan->arena, &p->plan->rejections, rejection);
}

// Evaluation of one candidate

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void list_blocks(const struct block_pass *p, const struct block_candidate *candidate,
                        struct block_plan *plan)
{
    const struct regions *regions = &p->candidates.regions;
    plan->blocks = ARENA_ARRAY(p->plan->arena, uint32_t, candidate->counts.bodies + 1);
    for (uint32_t i = candidate->begin; i < candidate->end; i++) {
        const struct ir_block *block = &p->fn->blocks.v[regions->units[i].block];
        if (regions->units[i].part == UNIT_BODY && block->first < block->end)
            plan->blocks[plan->block_count++] = regions->units[i].block;
    }
    qsort(plan->blocks, plan->block_count, sizeof *plan->blocks, by_number);
}

// Returns true if a branch back to the entry stays in the candidate: it contains the entry's head.
static bool begins_at_head(const struct block_pass *p, const struct block_candidate *candidate)
{
    uint32_t place = p->candidates.regions.place[UNIT_HEAD][candidate->entry];
    return place >= candidate->begin && place < candidate->end;
}

static uint32_t clamp(uint64_t count)
{
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static struct bandwidth tom_bandwidth(const struct block_candidate *candidate,
                                      const struct transfer_count *moved)
{
    return bandwidth_of(moved->registers_in, moved->predicates_in, moved->registers_out,
                        moved->predicates_out, candidate->counts.loads, candidate->counts.stores);
}

static struct bandwidth refined_bandwidth(const struct block_pass *p,
                                          const struct block_candidate *candidate,
                                          const struct block_plan *plan)
{
    const struct traffics *t = &p->traffics;
    uint32_t last = candidate->exit.block == IR_NONE ? candidate->exit.tail : candidate->exit.block;
    uint64_t in = traffic_values(t, plan->live_in.v, plan->live_in.n, candidate->entry);
    uint64_t out = traffic_values(t, plan->live_out.v, plan->live_out.n, last);
    return bandwidth_refined(in, out, candidate->counts.tx, candidate->counts.rx);
}

static void evaluate_block(struct block_pass *p, struct transfers *transfers,
                           struct evaluated_candidate *considered)
{
    const struct block_candidate *candidate = considered->candidate;
    struct block_plan *plan = &considered->plan;
    plan->function = p->function;
    plan->kind = candidate->kind;
    plan->entry = candidate->entry;
    plan->tail = candidate->exit.block == IR_NONE ? candidate->exit.tail : IR_NONE;
    plan->again = begins_at_head(p, candidate);
    plan->first = candidate->counts.first;
    plan->last = candidate->counts.last;
    plan->loads = clamp(candidate->counts.loads);
    plan->stores = clamp(candidate->counts.stores);
    plan->trip = candidate->kind == BLOCK_LOOP ? candidate->trip.kind : TRIP_ONE;
    plan->trips = plan->trip == TRIP_CONSTANT ? candidate->trip.count : 0;
    if (plan->trip == TRIP_COUNTED)
        plan->trip_text = arena_printf(p->plan->arena, "%s", candidate->trip.text);
    plan->measured = candidate->counts.measured | (candidate->has_mean ? MEASURED_TRIPS : 0);
    plan->measured_trips = candidate->mean;
    list_blocks(p, candidate, plan);
    struct transfer_count moved =
        transfers_of(transfers, p->plan->arena, candidate->begin, candidate->end, plan);
    plan->reg_tx = moved.registers_in + moved.predicates_in / 32.0;
    plan->reg_rx = moved.registers_out + moved.predicates_out / 32.0;
    bool barred = candidate->open || candidate->counts.barred != IR_NONE;
    struct block_terms terms = {.kind = plan->kind,
                                .trip = plan->trip,
                                .trips = plan->trips,
                                .may_be_zero = candidate->trip.may_be_zero,
                                .mean = candidate->has_mean ? &candidate->mean : NULL};
    for (enum cost_model cost = 0; cost < COST_MODELS; cost++) {
        struct bandwidth bw = cost == COST_TOM ? tom_bandwidth(candidate, &moved)
                                               : refined_bandwidth(p, candidate, plan);
        struct block_estimate *to = cost == p->options->cost ? &plan->estimate : &plan->other;
        *to = block_evaluate(&terms, cost, &bw);
        to->candidate &= !barred;
        to->conditional &= !barred;
    }
    considered->evaluated = true;
}

// All candidates of a function

static int in_text(const void *a, const void *b)
{
    const struct block_candidate *x = ((const struct evaluated_candidate *)a)->candidate;
    const struct block_candidate *y = ((const struct evaluated_candidate *)b)->candidate;
    if (x->counts.first != y->counts.first)
        return x->counts.first < y->counts.first ? -1 : 1;
    if (x->counts.last != y->counts.last)
        return x->counts.last > y->counts.last ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void sort_candidates(struct block_pass *p)
{
    p->considered = ARENA_ARRAY(&p->scratch, struct evaluated_candidate, p->candidates.list.n + 1);
    p->count = 0;
    for (uint32_t i = 0; i < p->candidates.list.n; i++) {
        const struct block_candidate *candidate = &p->candidates.list.v[i];
        bool is_kind = !p->options->kinds || p->options->kinds >> candidate->kind & 1;
        if (is_kind && candidate->counts.first != IR_NONE)
            p->considered[p->count++].candidate = candidate;
    }
    if (p->count)
        qsort(p->considered, p->count, sizeof *p->considered, in_text);
}

static uint64_t work_of(const struct block_candidate *candidate)
{
    return candidate->end - candidate->begin +
           (uint64_t)(candidate->counts.last - candidate->counts.first);
}

static int by_work(const void *a, const void *b)
{
    const struct evaluated_candidate *x = *(struct evaluated_candidate *const *)a,
                                     *y = *(struct evaluated_candidate *const *)b;
    uint64_t work_x = work_of(x->candidate), work_y = work_of(y->candidate);
    if (work_x != work_y)
        return work_x < work_y ? -1 : 1;
    return x < y ? -1 : x > y;
}

// Loops are always evaluated, because they are always shown; other candidates only if they may be
// chosen.
static bool is_wanted(const struct block_candidate *candidate)
{
    return candidate->kind == BLOCK_LOOP ||
           (!candidate->open && candidate->counts.barred == IR_NONE);
}

static void evaluate_all(struct block_pass *p)
{
    struct transfers *transfers =
        transfers_new(&p->scratch, p->module, p->fn, &p->candidates.regions);
    struct evaluated_candidate **smallest_first =
        ARENA_ARRAY(&p->scratch, struct evaluated_candidate *, p->count + 1);
    uint64_t left =
        MAX_WORK * ((uint64_t)p->fn->insts.n + p->candidates.regions.unit_count) + MIN_WORK;
    for (uint32_t i = 0; i < p->count; i++)
        smallest_first[i] = &p->considered[i];
    if (p->count)
        qsort(smallest_first, p->count, sizeof *smallest_first, by_work);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct block_candidate *candidate = smallest_first[i]->candidate;
        if (!is_wanted(candidate))
            continue;
        if (work_of(candidate) > left)
            break;
        left -= work_of(candidate);
        evaluate_block(p, transfers, smallest_first[i]);
    }
}

// Verdicts

static void choose(struct block_pass *p, struct block_span *spans)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct evaluated_candidate *considered = &p->considered[i];
        const struct block_plan *plan = &considered->plan;
        const struct block_estimate *e = &plan->estimate;
        double weight = e->candidate ? e->weight : 0;
        spans[i] = (struct block_span){.begin = considered->candidate->begin,
                                       .end = considered->candidate->end,
                                       .weight = weight,
                                       .conditional = e->conditional};
    }
    select_best(&p->scratch, spans, p->count);
    for (uint32_t i = 0; i < p->count; i++)
        p->considered[i].plan.chosen = spans[i].chosen;
}

static uint32_t last_of(const struct block_pass *p, uint32_t block)
{
    const struct ir_block *b = &p->fn->blocks.v[block];
    return b->first < b->end ? b->end - 1 : IR_NONE;
}

static void reject_open(struct block_pass *p, const struct block_candidate *candidate)
{
    uint32_t because =
        candidate->exits.other == IR_NONE ? IR_NONE : last_of(p, candidate->exits.other);
    if (candidate->counts.barred != IR_NONE)
        because = candidate->counts.barred;
    reject(p, RULE_DIVERGES, candidate->counts.first, because,
           reason_open(p->plan->arena, p->module, p->fn, candidate));
}

static void reject_barred(struct block_pass *p, const struct block_candidate *candidate)
{
    uint32_t inst = candidate->counts.barred;
    enum plan_rule rule = p->candidates.effects[inst].rule;
    if (candidate->cuts) {
        reject(p, RULE_SPACE, candidate->counts.first, inst,
               reason_cut(p->plan->arena, p->module, p->fn, inst));
        return;
    }
    if (rule == RULE_COUNT)
        rule = RULE_DIVERGES; // a return
    reject(p, rule, candidate->counts.first, inst,
           reason_barred(p->plan->arena, p->module, p->fn, inst, rule));
}

static void reject_cost(struct block_pass *p, const struct evaluated_candidate *considered)
{
    const struct block_candidate *candidate = considered->candidate;
    const struct block_plan *plan = &considered->plan;
    bool mean = candidate->has_mean && p->options->cost == COST_REFINED;
    bool unknown = plan->trip == TRIP_UNKNOWN && plan->estimate.threshold && !mean;
    reject(p, unknown ? RULE_TRIP_UNKNOWN : RULE_NO_SAVING, plan->first,
           unknown ? candidate->trip.because : IR_NONE,
           reason_cost(p->plan->arena, p->module, p->fn, candidate, plan));
}

static void reject_rival(struct block_pass *p, const struct block_span *span,
                         const struct block_span *spans,
                         const struct evaluated_candidate *considered)
{
    const struct block_span *rival = &spans[span->rival];
    const struct block_plan *plan = &p->considered[span->rival].plan;
    bool around = rival->begin <= span->begin && rival->end >= span->end;
    reject(p, RULE_PASSED_OVER, considered->plan.first, plan->first,
           reason_rival(p->plan->arena, p->module, p->fn, plan, around));
}

static void explain(struct block_pass *p, const struct evaluated_candidate *considered,
                    const struct block_span *span, const struct block_span *spans)
{
    const struct block_candidate *candidate = considered->candidate;
    bool accesses = candidate->counts.loads || candidate->counts.stores;
    if (candidate->open)
        reject_open(p, candidate);
    else if (candidate->counts.barred != IR_NONE)
        reject_barred(p, candidate);
    else if (!accesses)
        reject(p, RULE_NO_ACCESS, candidate->counts.first, IR_NONE,
               "it has no access to global or local memory");
    else if (!considered->evaluated)
        reject(p, RULE_TOO_DEEP, candidate->counts.first, IR_NONE,
               "the candidates in it are nested too deeply; those were examined instead");
    else if (!considered->plan.estimate.candidate)
        reject_cost(p, considered);
    else if (!span->chosen && span->rival != UINT32_MAX)
        reject_rival(p, span, spans, considered);
}

// Bars blocks that would cut the parameter scope of a call.
static void bar_cuts(struct block_pass *p)
{
    struct call_variables variables;
    call_variables_find(&variables, &p->scratch, p->module, p->function);
    for (uint32_t i = 0; i < p->candidates.list.n && variables.list.n; i++) {
        struct block_candidate *candidate = &p->candidates.list.v[i];
        struct block_counts *counts = &candidate->counts;
        if (counts->barred != IR_NONE || counts->first == IR_NONE)
            continue;
        counts->barred = call_variables_cut(&variables, counts->first, counts->last);
        candidate->cuts = counts->barred != IR_NONE;
    }
}

static void evaluate_function(struct block_pass *p)
{
    traffics_init(&p->traffics, p->plan, p->module, p->options, p->function);
    candidates_find(&p->candidates, &p->scratch, p->module, p->fn, p->effects, &p->traffics);
    bar_cuts(p);
    sort_candidates(p);
    evaluate_all(p);
    struct block_span *spans = ARENA_ARRAY(&p->scratch, struct block_span, p->count + 1);
    choose(p, spans);
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->considered[i].evaluated)
            vec_push(p->plan->arena, &p->plan->blocks, p->considered[i].plan);
        uint32_t before = p->plan->rejections.n;
        explain(p, &p->considered[i], &spans[i], spans);
        for (uint32_t k = before; k < p->plan->rejections.n; k++) {
            p->plan->rejections.v[k].last = p->considered[i].candidate->counts.last;
            p->plan->rejections.v[k].shape = p->considered[i].candidate->kind;
        }
    }
}

// Code that is not analysed

static uint32_t first_access(const struct block_pass *p, uint32_t from, uint32_t to)
{
    for (uint32_t inst = from; inst < to; inst++) {
        struct memory_effect effect = effect_of(p->effects, p->fn, inst);
        if (effect.loads || effect.stores)
            return inst;
    }
    return IR_NONE;
}

static void reject_unreachable(struct block_pass *p)
{
    for (uint32_t i = 0; i < p->fn->blocks.n; i++) {
        const struct ir_block *block = &p->fn->blocks.v[i];
        uint32_t access =
            block->rpo == IR_NONE ? first_access(p, block->first, block->end) : IR_NONE;
        if (access != IR_NONE)
            reject(p, RULE_UNREACHABLE, block->first, access, "this code is unreachable");
    }
}

static void reject_incomplete(struct block_pass *p)
{
    uint32_t access = first_access(p, 0, p->fn->insts.n);
    if (access != IR_NONE)
        reject(p, RULE_INCOMPLETE, access, IR_NONE,
               "the function has errors or indirect branches without a list of targets");
}

static void run(const struct pass_work *work)
{
    struct block_pass pass = {.module = work->module,
                              .plan = work->plan,
                              .options = work->options,
                              .effects = work->state};
    arena_init(&pass.scratch, work->plan->arena->memory);
    for (uint32_t i = work->first; i < work->end; i++) {
        pass.function = i;
        pass.fn = &work->module->functions.v[i];
        if (!pass.fn->has_body || !pass.fn->blocks.n)
            continue;
        if (pass.fn->incomplete) {
            reject_incomplete(&pass);
            continue;
        }
        evaluate_function(&pass);
        reject_unreachable(&pass);
        arena_reset(&pass.scratch);
    }
    arena_free(&pass.scratch);
}

static void *begin(struct arena *arena, const struct ir_module *module)
{
    return effects_new(arena, module);
}

const struct function_pass pass_blocks = {begin, run, NULL};
