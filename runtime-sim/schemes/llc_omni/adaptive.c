#include "runtime-sim/schemes/llc_omni/adaptive.h"
#include <string.h>

const struct stat_key chain_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/llc_omni/chain_stats.def"
#define STATS_OF struct chain_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t chain_stat_key_count = ARRAY_LENGTH(chain_stat_keys);

void adaptive_init_off(struct adaptive_chain *chain)
{
    for (uint32_t i = 0; i < ADAPTIVE_KINDS; i++)
        chain->kind[i] =
            (struct adaptive_counts){.saved = -1, .instances = ADAPTIVE_MIN, .off = true};
}

void adaptive_init(struct adaptive *a, struct arena *arena, const struct adaptive_chain *chains,
                   uint32_t count, const struct cache_config *l1)
{
    *a = (struct adaptive){.arena = arena, .chains = chains, .l1 = l1};
    a->skipped = ARENA_ARRAY(arena, uint32_t, count + 1);
    a->begun = ARENA_ARRAY(arena, uint32_t, count + 1);
    a->line = ARENA_ARRAY(arena, uint64_t, l1->sets * l1->ways);
    a->used = ARENA_ARRAY(arena, uint64_t, l1->sets * l1->ways);
    a->users = ARENA_ARRAY(arena, uint64_t, l1->sets * l1->ways);
    a->debtor = ARENA_ARRAY(arena, struct adaptive_debtor, l1->sets * l1->ways);
    a->evicted = ARENA_ARRAY(arena, uint64_t, l1->sets * l1->ways);
    a->creditor = ARENA_ARRAY(arena, struct adaptive_debtor, l1->sets * l1->ways);
    adaptive_flush(a);
}

void adaptive_flush(struct adaptive *a)
{
    memset(a->line, 0xff, a->l1->sets * a->l1->ways * sizeof *a->line);
    memset(a->evicted, 0xff, a->l1->sets * a->l1->ways * sizeof *a->evicted);
}

// Bits of a set of users of a line: chains of the same bit share it, and all other loads have one.
enum { PLAIN_BIT = 63 };

static uint64_t user_bit(uint32_t chain)
{
    return UINT64_C(1) << chain % PLAIN_BIT;
}

// Returns the place of an evicted line, which has the set of the line.
static uint32_t evicted_place(const struct adaptive *a, uint64_t line)
{
    return cache_set(a->l1, line) * a->l1->ways + (uint32_t)(line / a->l1->sets % a->l1->ways);
}

// Records the line that `by` evicts by its load, and forgets it if `by` is no chain.
static void evict(struct adaptive *a, uint64_t line, struct adaptive_debtor by)
{
    uint32_t at = evicted_place(a, line);
    if (line == UINT64_MAX || (!by.is_any && a->evicted[at] != line))
        return;
    a->evicted[at] = by.is_any ? line : UINT64_MAX;
    a->creditor[at] = by;
}

// Returns the index of a line, which becomes the most recently used of its set, and evicts another
// line if it is new: then it has no users. `by` is the chain that loads it, if any.
static uint32_t use_line(struct adaptive *a, uint64_t line, struct adaptive_debtor by)
{
    uint32_t ways = a->l1->ways;
    uint32_t first = cache_set(a->l1, line) * ways, oldest = first;
    for (uint32_t i = first; i < first + ways; i++) {
        if (a->line[i] == line) {
            a->used[i] = ++a->uses;
            return i;
        }
        if (a->line[oldest] != UINT64_MAX &&
            (a->line[i] == UINT64_MAX || a->used[i] < a->used[oldest]))
            oldest = i;
    }
    evict(a, a->line[oldest], by);
    a->line[oldest] = line;
    a->used[oldest] = ++a->uses;
    a->users[oldest] = 0;
    a->debtor[oldest] = (struct adaptive_debtor){0};
    return oldest;
}

static bool has(uint64_t users, uint32_t chain)
{
    return users >> PLAIN_BIT || users & user_bit(chain);
}

bool adaptive_has(const struct adaptive *a, uint64_t line, uint32_t chain)
{
    uint32_t first = cache_set(a->l1, line) * a->l1->ways;
    for (uint32_t i = first; i < first + a->l1->ways; i++)
        if (a->line[i] == line)
            return has(a->users[i], chain);
    return false;
}

bool adaptive_load(struct adaptive *a, uint64_t line, uint32_t chain, enum adaptive_kind kind)
{
    struct adaptive_debtor self = {true, chain, kind, adaptive_sent(a, chain, kind)};
    uint32_t at = use_line(a, line, self);
    bool had = has(a->users[at], chain);
    if (!a->users[at])
        a->debtor[at] = self;
    else if (!(a->users[at] & user_bit(chain)))
        a->debtor[at].is_any = false; // without one of them, the other would have brought it
    a->users[at] |= user_bit(chain);
    return had;
}

struct adaptive_plain adaptive_load_plain(struct adaptive *a, uint64_t line)
{
    struct adaptive_plain plain = {{0}, {0}};
    uint32_t evicted = evicted_place(a, line);
    if (a->evicted[evicted] == line) {
        plain.creditor = a->creditor[evicted];
        a->evicted[evicted] = UINT64_MAX;
    }
    uint32_t at = use_line(a, line, (struct adaptive_debtor){0});
    plain.debtor = a->debtor[at];
    a->debtor[at] = (struct adaptive_debtor){0};
    a->users[at] |= UINT64_C(1) << PLAIN_BIT;
    return plain;
}

bool adaptive_begins(struct adaptive *a, uint32_t chain, bool *probes)
{
    const struct adaptive_counts *kind = a->chains[chain].kind;
    bool all = true, any = false;
    for (int i = 0; i < ADAPTIVE_KINDS; i++) {
        all &= !kind[i].off;
        any |= !kind[i].off;
    }
    *probes = !all && (++a->skipped[chain] + a->phase) % ADAPTIVE_PROBE == 0;
    return (any && !a->chains[chain].slow) || *probes;
}

enum adaptive_turn adaptive_turn(struct adaptive *a, uint32_t chain)
{
    const struct adaptive_counts *kind = a->chains[chain].kind;
    bool off = true;
    for (int i = 0; i < ADAPTIVE_KINDS; i++)
        off &= kind[i].off;
    if (off)
        return ADAPTIVE_UNTIMED;
    uint32_t turn = (++a->begun[chain] + a->phase) % ADAPTIVE_SAMPLE;
    return turn == 0 ? ADAPTIVE_AT_CORE : turn == 1 ? ADAPTIVE_AWAY : ADAPTIVE_UNTIMED;
}

void adaptive_time(struct adaptive *a, uint32_t chain, bool offloaded, uint64_t cycles)
{
    struct adaptive_lesson lesson = {.chain = chain,
                                     .event = offloaded ? ADAPTIVE_TIMED : ADAPTIVE_TIMED_CORE,
                                     .saving = adaptive_saving((int64_t)cycles)};
    if (!a->only_measures)
        vec_push(a->arena, &a->lessons, lesson);
}

bool adaptive_allows(const struct adaptive *a, uint32_t chain, enum adaptive_kind kind)
{
    return !a->chains[chain].kind[kind].off;
}

void adaptive_learn(struct adaptive *a, uint32_t chain, enum adaptive_kind kind,
                    enum adaptive_event event, struct adaptive_saving saving)
{
    struct adaptive_lesson lesson = {chain, kind, event, saving, 0};
    vec_push(a->arena, &a->lessons, lesson);
}

void adaptive_correct(struct adaptive *a, uint32_t chain, enum adaptive_kind kind, uint32_t since,
                      struct adaptive_saving more)
{
    struct adaptive_lesson lesson = {chain, kind, ADAPTIVE_CORRECTED, more, since};
    vec_push(a->arena, &a->lessons, lesson);
}

uint32_t adaptive_sent(const struct adaptive *a, uint32_t chain, enum adaptive_kind kind)
{
    return a->chains[chain].kind[kind].instances;
}

static void add(struct adaptive_counts *counts, const struct adaptive_lesson *lesson)
{
    if (lesson->event == ADAPTIVE_CORRECTED) {
        uint32_t halves = (counts->instances - lesson->since) / ADAPTIVE_HALF;
        counts->saved += halves < 63 ? lesson->saving.counts / (INT64_C(1) << halves) : 0;
        return;
    }
    counts->saved += lesson->saving.counts - counts->saved / ADAPTIVE_MEMORY;
    counts->discarded += lesson->event == ADAPTIVE_DISCARDED;
    counts->instances += lesson->event == ADAPTIVE_SENT;
}

static void apply_lesson(struct adaptive_chain *chain, const struct adaptive_lesson *lesson,
                         bool decides)
{
    struct adaptive_counts *counts = &chain->kind[lesson->kind];
    struct chain_stats *stats = &chain->stats;
    bool was_off = counts->off;
    add(counts, lesson);
    counts->off = decides && counts->saved < 0 &&
                  (counts->instances >= ADAPTIVE_MIN || counts->discarded >= ADAPTIVE_DISCARDS);
    if (counts->off && (!was_off || counts->saved < -ADAPTIVE_OFF))
        counts->saved = -ADAPTIVE_OFF;
    stats->weighed += lesson->event != ADAPTIVE_CORRECTED;
    stats->saved += lesson->saving.hops > 0 ? (uint64_t)lesson->saving.hops : 0;
    stats->lost += lesson->saving.hops < 0 ? (uint64_t)-lesson->saving.hops : 0;
    stats->turned_off += counts->off && !was_off;
    stats->turned_on += was_off && !counts->off;
}

static void apply_time(struct adaptive_chain *chain, const struct adaptive_lesson *lesson,
                       bool limits)
{
    bool core = lesson->event == ADAPTIVE_TIMED_CORE;
    uint64_t cycles = (uint64_t)lesson->saving.counts * ADAPTIVE_SCALE;
    uint32_t part = ++chain->timed[core];
    part = part < ADAPTIVE_TIMES ? part : ADAPTIVE_TIMES;
    chain->time[core] += cycles / part - chain->time[core] / part;
    chain->slow = !limits && chain->timed[0] >= ADAPTIVE_PAIRS &&
                  chain->timed[1] >= ADAPTIVE_PAIRS &&
                  chain->time[0] > chain->time[1] - chain->time[1] / ADAPTIVE_FASTER;
}

void adaptive_teach(struct adaptive *a, struct adaptive_chain *chains, bool limits)
{
    for (uint32_t i = 0; i < a->lessons.n; i++) {
        const struct adaptive_lesson *lesson = &a->lessons.v[i];
        struct adaptive_chain *chain = &chains[lesson->chain];
        if (lesson->event >= ADAPTIVE_TIMED)
            apply_time(chain, lesson, limits);
        else
            apply_lesson(chain, lesson, !a->only_measures);
    }
    a->lessons.n = 0;
}
