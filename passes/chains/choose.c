// Chooses the best set of candidates.
//
// A loaded register has one reader, so candidates share no instruction, but making the members of
// one adjacent may keep those of another apart. Whether a set of chains is legal does not depend on
// the order in which they are joined: it is legal if the dependences have no cycle once each chain
// is one node. Candidates without a common place do not affect each other, so each group of
// overlapping candidates is examined on its own.
//
// Groups of up to EXACT_MAX candidates get the set with the largest saving, in which a chain may
// also lose its store (patterns 1 and 9 become 2 and 8). After MAX_ATTEMPTS, and in larger groups,
// chains with larger savings are chosen first; of equal ones, those whose members are already
// adjacent, then those that come first in the text. If a chain excludes at most k others, this
// saves at least 1/k of the optimum: each chosen chain stands for those that it excludes, none of
// which saves more.
#include "passes/chains/match.h"
#include "passes/chains/saving.h"
#include <stdlib.h>

enum { EXACT_MAX = 8, EXACT_SPAN = 512, MAX_ATTEMPTS = 2000 };

enum decision { OUT, WITHOUT_STORE, WHOLE };

struct choice {
    struct candidate *candidate;
    uint32_t first, last;   // of its members, in the text
    double saves[3];        // by decision
    enum decision decision; // of the best set so far
    bool together;          // its members are adjacent in the text
};

struct search {
    struct matcher *m;
    struct choice *choices; // of the group, larger savings first
    uint32_t count, attempts;
    uint32_t first, span; // range of places
    double *rest;         // upper bound on the saving of the choices from each one on
    double best;
    enum decision now[EXACT_MAX];
    uint32_t *saved; // room for the places of each depth
};

static double weight_of(struct matcher *m, uint32_t pattern, const uint32_t *members,
                        uint32_t count)
{
    return saving_of(m->facts, m->capability, pattern, members, count).saved;
}

// Accepted and rejected candidates

static int by_number(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void accept(struct matcher *m, struct candidate *candidate, struct plan *plan)
{
    struct saving saving =
        saving_of(m->facts, m->capability, candidate->pattern, candidate->inst, candidate->count);
    struct chain chain = {.function = m->function,
                          .pattern = candidate->pattern,
                          .count = candidate->count,
                          .split = candidate->split,
                          .across = candidate->across,
                          .response = chain_patterns[candidate->pattern].response,
                          .response_flits = saving.response_flits,
                          .saving = saving.saved,
                          .expected_saving = saving.expected};
    for (uint32_t i = 0; i < candidate->count; i++)
        chain.inst[i] = candidate->inst[i];
    if (!m->options->reorder || candidate->across)
        qsort(chain.inst, chain.count, sizeof *chain.inst, by_number);
    vec_push(plan->arena, &plan->chains, chain);
    candidate->done = true;
    for (uint32_t i = 0; i < candidate->aside_count; i++)
        verdict_aside(m, match_load_at(m, candidate->aside[i]), candidate);
}

// Returns the number of loads that are rejected with it: its own, and those of its other forms.
static uint32_t load_count(const struct candidate *candidate)
{
    return chain_patterns[candidate->pattern].loads + candidate->aside_count;
}

static struct load *nth_load(struct matcher *m, const struct candidate *candidate, uint32_t n)
{
    uint32_t own = chain_patterns[candidate->pattern].loads;
    return match_load_at(m, n < own ? candidate->inst[n] : candidate->aside[n - own]);
}

static void reject_candidate(struct matcher *m, const struct candidate *candidate,
                             const struct obstacle *why)
{
    for (uint32_t i = 0; i < load_count(candidate); i++)
        verdict_obstacle(m, nth_load(m, candidate, i), why, candidate);
}

// Drops the candidate's store, or the candidate if it has no store to drop.
static void give_up(struct matcher *m, struct candidate *candidate, const struct obstacle *why)
{
    uint32_t without = pattern_without_store(candidate->pattern);
    if (without) {
        stores_left_out(m, candidate, why);
        candidate->pattern = without;
        candidate->count -= candidate->tail;
        candidate->tail = 0;
    } else {
        reject_candidate(m, candidate, why);
        candidate->done = true;
    }
}

// Reasons against a single candidate

static const char *capacity_fault(const struct matcher *m, const struct candidate *candidate)
{
    const struct chain_pattern *row = &chain_patterns[candidate->pattern];
    uint32_t use =
        capability_packet_use(m->capability, row->loads + row->stores, candidate->scalars);
    uint32_t bytes = 4;
    for (uint32_t i = row->loads; i < candidate->count && candidate->scalars; i++) {
        const struct ir_inst *at = &m->fn->insts.v[candidate->inst[i]];
        uint32_t its = ir_type_bits(at->type2 == W_UNKNOWN ? at->type : at->type2) / 8u;
        bytes = at->class != CLASS_STORE && its > bytes ? its : bytes;
    }
    if (candidate->scalars > m->capability->scalars)
        return "has a scalar operand, which packets do not support";
    if (candidate->scalars && bytes > m->capability->scalar_bytes)
        return "has a scalar operand that is too long for packets";
    return use > m->capability->packet_bytes ? "has more operands than fit into a packet" : NULL;
}

// Drops the store, or the candidate, until it fits into a packet.
static void fit(struct matcher *m, struct candidate *candidate)
{
    const char *wrong;
    while (!candidate->done && (wrong = capacity_fault(m, candidate))) {
        struct obstacle why = {RULE_CAPACITY, candidate->inst[candidate->count - 1], IR_NONE};
        bool goes_on = pattern_without_store(candidate->pattern);
        for (uint32_t i = 0; i < load_count(candidate) && !goes_on; i++)
            verdict_capacity(m, nth_load(m, candidate, i), candidate, wrong);
        give_up(m, candidate, &why);
    }
}

static void check_across(struct matcher *m, struct candidate *candidate)
{
    struct obstacle why;
    uint32_t last = candidate->inst[candidate->count - 1];
    for (uint32_t i = 0; i + 1 < candidate->count && !candidate->done; i++)
        if (!across_allows(&m->across, candidate->inst[i], last, &why))
            give_up(m, candidate, &why);
}

// Rejects a candidate for which the refined cost model finds no saving: its loads certainly hit in
// L1, or its packets cost more than they save.
static void check_expected(struct matcher *m, struct candidate *candidate)
{
    struct saving saving =
        saving_of(m->facts, m->capability, candidate->pattern, candidate->inst, candidate->count);
    if (m->options->cost != COST_REFINED || saving.certain > 0)
        return;
    for (uint32_t i = 0; i < load_count(candidate); i++)
        verdict_saving(m, nth_load(m, candidate, i), candidate, &saving);
    candidate->done = true;
}

static bool gains_too_little(const struct matcher *m, const struct candidate *candidate,
                             uint32_t pattern, uint32_t count)
{
    const double *min = verdict_min_saving(m, candidate);
    return min &&
           saving_of(m->facts, m->capability, pattern, candidate->inst, count).expected < *min;
}

// Rejects a candidate that is expected to save less than the options require. A scattered store may
// need more packets than it saves; the chain then continues without it.
static void check_gain(struct matcher *m, struct candidate *candidate)
{
    if (!gains_too_little(m, candidate, candidate->pattern, candidate->count))
        return;
    uint32_t without = pattern_without_store(candidate->pattern), count = candidate->count;
    if (without && !gains_too_little(m, candidate, without, count - candidate->tail)) {
        struct obstacle why = {RULE_NO_GAIN, candidate->inst[count - 1], IR_NONE};
        give_up(m, candidate, &why);
        return;
    }
    for (uint32_t i = 0; i < load_count(candidate); i++)
        verdict_gain(m, nth_load(m, candidate, i), candidate);
    candidate->done = true;
}

// Forms of one candidate

// One form of a candidate, and its saving.
struct chain_form {
    struct candidate candidate;
    struct saving saving;
    bool possible;
};

static bool stands(struct matcher *m, const struct candidate *candidate)
{
    struct obstacle why;
    bool may = !capacity_fault(m, candidate);
    for (uint32_t i = 0; i + 1 < candidate->count && candidate->across && may; i++)
        may = across_allows(&m->across, candidate->inst[i], candidate->inst[candidate->count - 1],
                            &why);
    if (!candidate->across && may)
        may = order_allows(&m->order, candidate->inst, candidate->count, &why);
    return may && !gains_too_little(m, candidate, candidate->pattern, candidate->count);
}

static struct chain_form form_of(struct matcher *m, const struct candidate *candidate)
{
    struct chain_form form = {.candidate = *candidate};
    struct candidate left = *candidate;
    uint32_t without = pattern_without_store(left.pattern);
    form.possible = stands(m, &left);
    if (!form.possible && without) {
        left.pattern = without;
        left.count -= left.tail;
        form.possible = stands(m, &left);
    }
    form.saving = saving_of(m->facts, m->capability, left.pattern, left.inst, left.count);
    form.possible &= m->options->cost != COST_REFINED || form.saving.certain > 0;
    return form;
}

// Compares forms by the saving in the paper's numbers, then by the expected saving, then by whether
// they round like the program, then by the number of instructions near the data.
static bool is_better(const struct chain_form *a, const struct chain_form *b)
{
    if (a->possible != b->possible)
        return a->possible;
    if (a->saving.saved != b->saving.saved)
        return a->saving.saved > b->saving.saved;
    if (a->saving.expected != b->saving.expected)
        return a->saving.expected > b->saving.expected;
    if (a->candidate.split != b->candidate.split)
        return b->candidate.split;
    return a->candidate.count > b->candidate.count;
}

static bool has_inst(const struct candidate *candidate, uint32_t inst)
{
    for (uint32_t i = 0; i < candidate->count; i++)
        if (candidate->inst[i] == inst)
            return true;
    return false;
}

// Sets aside the loads of a form that was not chosen.
static void set_aside(struct candidate *to, const struct candidate *form)
{
    for (uint32_t i = 0; i < chain_patterns[form->pattern].loads; i++) {
        bool there = has_inst(to, form->inst[i]);
        for (uint32_t k = 0; k < to->aside_count; k++)
            there |= to->aside[k] == form->inst[i];
        if (!there && to->aside_count < MAX_ASIDE)
            to->aside[to->aside_count++] = form->inst[i];
    }
}

static void choose_form(struct matcher *m, struct candidate *candidate)
{
    struct chain_form best = form_of(m, candidate);
    const struct candidate first = *candidate;
    for (uint32_t at = first.next; at; at = m->alternatives.v[at - 1].next) {
        struct chain_form form = form_of(m, &m->alternatives.v[at - 1]);
        if (is_better(&form, &best))
            best = form;
    }
    *candidate = best.candidate;
    set_aside(candidate, &first);
    for (uint32_t at = first.next; at; at = m->alternatives.v[at - 1].next)
        set_aside(candidate, &m->alternatives.v[at - 1]);
}

// Removes candidates that cannot be chains, whatever the others are.
static void sift(struct matcher *m, struct plan *plan)
{
    struct obstacle why;
    for (uint32_t i = 0; i < m->candidates.n; i++) {
        struct candidate *candidate = &m->candidates.v[i];
        if (candidate->next)
            choose_form(m, candidate);
        fit(m, candidate);
        if (candidate->across && !candidate->done)
            check_across(m, candidate);
        while (!candidate->done && !candidate->across &&
               !order_allows(&m->order, candidate->inst, candidate->count, &why))
            give_up(m, candidate, &why);
        if (!candidate->done)
            check_expected(m, candidate);
        if (!candidate->done)
            check_gain(m, candidate);
        if (candidate->across && !candidate->done) {
            order_hold(&m->order, candidate->inst, candidate->count);
            accept(m, candidate, plan);
        }
    }
}

// Groups

static struct choice choice_of(struct matcher *m, struct candidate *candidate)
{
    uint32_t without = pattern_without_store(candidate->pattern);
    struct choice choice = {.candidate = candidate, .together = true};
    choice.first = choice.last = candidate->inst[0];
    for (uint32_t i = 1; i < candidate->count; i++) {
        uint32_t inst = candidate->inst[i];
        choice.first = inst < choice.first ? inst : choice.first;
        choice.last = inst > choice.last ? inst : choice.last;
        choice.together &= inst == candidate->inst[i - 1] + 1;
    }
    choice.saves[WHOLE] = weight_of(m, candidate->pattern, candidate->inst, candidate->count);
    uint32_t rest = candidate->count - candidate->tail;
    if (without && !gains_too_little(m, candidate, without, rest))
        choice.saves[WITHOUT_STORE] = weight_of(m, without, candidate->inst, rest);
    return choice;
}

static int by_first(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    return by_number(&a->first, &b->first);
}

static int by_saving(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    if (a->saves[WHOLE] != b->saves[WHOLE])
        return a->saves[WHOLE] > b->saves[WHOLE] ? -1 : 1;
    if (a->together != b->together)
        return a->together ? -1 : 1;
    return a->candidate < b->candidate ? -1 : 1;
}

static void choose_one(struct matcher *m, struct candidate *candidate, struct plan *plan)
{
    struct obstacle why;
    check_gain(m, candidate); // it may have lost its store
    if (candidate->done)
        return;
    if (order_allows(&m->order, candidate->inst, candidate->count, &why)) {
        order_join(&m->order, candidate->inst, candidate->count);
        accept(m, candidate, plan);
    } else {
        why.rule = RULE_OVERLAP;
        give_up(m, candidate, &why);
    }
}

// Chooses by decreasing saving. Candidates that lost their store are considered again afterwards.
static void choose_greedily(struct matcher *m, struct choice *choices, uint32_t count,
                            struct plan *plan)
{
    for (uint32_t i = 0; i < count; i++)
        choose_one(m, choices[i].candidate, plan);
    for (uint32_t i = 0; i < count; i++)
        while (!choices[i].candidate->done)
            choose_one(m, choices[i].candidate, plan);
}

static void keep_best(struct search *s, double sum)
{
    s->best = sum;
    for (uint32_t i = 0; i < s->count; i++)
        s->choices[i].decision = s->now[i];
}

// Tries all decisions from this choice on.
static void descend(struct search *s, uint32_t at, double sum)
{
    if (at == s->count && sum > s->best)
        keep_best(s, sum);
    if (at == s->count || sum + s->rest[at] <= s->best)
        return;
    struct choice *choice = &s->choices[at];
    const struct candidate *candidate = choice->candidate;
    uint32_t *saved = s->saved + (size_t)2 * s->span * at;
    for (enum decision decision = WHOLE; decision > OUT; decision--) {
        struct obstacle why;
        uint32_t count = candidate->count - (decision == WITHOUT_STORE);
        if (choice->saves[decision] <= 0 || ++s->attempts > MAX_ATTEMPTS ||
            !order_allows(&s->m->order, candidate->inst, count, &why))
            continue;
        s->now[at] = decision;
        order_save(&s->m->order, s->first, s->span, saved);
        order_join(&s->m->order, candidate->inst, count);
        descend(s, at + 1, sum + choice->saves[decision]);
        order_restore(&s->m->order, s->first, s->span, saved);
    }
    s->now[at] = OUT;
    descend(s, at + 1, sum);
}

static void search_group(struct matcher *m, struct choice *choices, uint32_t count, uint32_t first,
                         uint32_t span)
{
    struct search s = {.m = m, .choices = choices, .count = count, .first = first, .span = span};
    double rest[EXACT_MAX + 1] = {0};
    for (uint32_t i = count; i-- > 0;) {
        double max = choices[i].saves[WHOLE];
        max = choices[i].saves[WITHOUT_STORE] > max ? choices[i].saves[WITHOUT_STORE] : max;
        rest[i] = rest[i + 1] + (max > 0 ? max : 0);
    }
    s.rest = rest;
    s.best = -1;
    if (!m->saved)
        m->saved = ARENA_ARRAY(&m->scratch, uint32_t, 2 * EXACT_SPAN * EXACT_MAX);
    s.saved = m->saved;
    descend(&s, 0, 0);
}

// Applies the decisions in the same order. Rejected candidates get the obstacle.
static void carry_out(struct matcher *m, struct choice *choices, uint32_t count, struct plan *plan)
{
    struct obstacle why;
    for (uint32_t i = 0; i < count; i++) {
        struct candidate *candidate = choices[i].candidate;
        bool whole = choices[i].decision == WHOLE;
        uint32_t members = candidate->count - (whole ? 0 : candidate->tail);
        if (choices[i].decision == OUT || !order_allows(&m->order, candidate->inst, members, &why))
            continue;
        order_join(&m->order, candidate->inst, members);
        if (members == candidate->count)
            accept(m, candidate, plan);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct candidate *candidate = choices[i].candidate;
        if (choices[i].decision == WITHOUT_STORE && !candidate->done) {
            uint32_t last = candidate->inst[candidate->count - candidate->tail - 1];
            why = (struct obstacle){RULE_OVERLAP, candidate->inst[candidate->count - 1], last};
            give_up(m, candidate, &why);
            accept(m, candidate, plan);
        }
        while (!candidate->done)
            choose_one(m, candidate, plan);
    }
}

static void choose_group(struct matcher *m, struct choice *choices, uint32_t count, uint32_t last,
                         struct plan *plan)
{
    uint32_t first = choices[0].first;
    qsort(choices, count, sizeof *choices, by_saving);
    if (count < 2 || count > EXACT_MAX || last - first >= EXACT_SPAN) {
        choose_greedily(m, choices, count, plan);
    } else {
        search_group(m, choices, count, first, last + 1 - first);
        carry_out(m, choices, count, plan);
    }
}

void match_choose(struct matcher *m, struct plan *plan)
{
    uint32_t count = 0, first = 0;
    struct choice *choices = ARENA_ARRAY(&m->scratch, struct choice, m->candidates.n + 1);
    order_init(&m->order, &m->scratch, m->facts);
    across_init(&m->across, &m->scratch, &m->order);
    sift(m, plan);
    for (uint32_t i = 0; i < m->candidates.n; i++)
        if (!m->candidates.v[i].done)
            choices[count++] = choice_of(m, &m->candidates.v[i]);
    if (count)
        qsort(choices, count, sizeof *choices, by_first);
    for (uint32_t i = 0, last = 0; i < count; i++) {
        last = choices[i].last > last ? choices[i].last : last;
        if (i + 1 < count && choices[i + 1].first <= last)
            continue;
        choose_group(m, choices + first, i + 1 - first, last, plan);
        first = i + 1;
    }
}
