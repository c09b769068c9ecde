#include "passes/blocks/candidates.h"
#include "passes/analysis/memory/measured.h"

struct candidate_search {
    struct candidates *result;
    struct arena *arena;
    struct arena scratch;
    const struct ir_module *module;
    const struct ir_function *fn;
    const struct traffics *traffics;
    uint32_t *accesses;               // see trip_accesses
    struct block_counts *part_counts; // per part
    struct block_candidate *loops;
    const struct loop_exits *exits;   // per loop
    VEC(struct candidate_item) items; // of the current sequence
};

// A step of a sequence: straight-line code, or a region.
struct candidate_item {
    bool is_code;
    bool starts; // a candidate may start here
    bool open;
    uint32_t begin, end, entry;
    struct block_exit exit;
    struct block_counts counts;
    struct block_counts jump; // before a region; part of candidates that start before it
};

static const struct block_counts empty = {.barred = IR_NONE, .first = IR_NONE, .last = IR_NONE};

// Counts

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t scaled(uint64_t a, double by)
{
    double product = (double)a * by;
    return product < 0x1p63 ? (uint64_t)product : UINT64_MAX;
}

static void add_counts(struct block_counts *to, const struct block_counts *more, uint64_t times)
{
    to->loads = sum(to->loads, product(more->loads, times));
    to->stores = sum(to->stores, product(more->stores, times));
    to->tx = sum(to->tx, product(more->tx, times));
    to->rx = sum(to->rx, product(more->rx, times));
    to->measured |= more->measured;
    to->barred = smaller(to->barred, more->barred);
    to->first = smaller(to->first, more->first);
    if (to->last == IR_NONE || (more->last != IR_NONE && more->last > to->last))
        to->last = more->last;
    to->bodies += more->bodies;
}

// Adds a loop that is within another loop or a region.
static void add_loop(struct block_counts *to, const struct block_counts *body,
                     const struct block_candidate *loop)
{
    struct block_counts all = *body;
    if (loop->has_mean) {
        all.tx = scaled(all.tx, loop->mean);
        all.rx = scaled(all.rx, loop->mean);
        all.measured |= MEASURED_TRIPS;
    }
    add_counts(to, &all, loop->trip.kind == TRIP_CONSTANT ? loop->trip.count : 1);
}

static bool has_access(const struct block_counts *counts)
{
    return counts->loads || counts->stores;
}

static void add_inst(const struct candidate_search *s, struct block_counts *to, uint32_t inst)
{
    const struct memory_effect *effect = &s->result->effects[inst];
    bool leaves = s->fn->insts.v[inst].class == CLASS_RETURN;
    struct traffic traffic = {0};
    if (s->traffics)
        traffic = traffic_of(s->traffics, inst, effect);
    struct block_counts one = {
        effect->loads, effect->stores, traffic.tx, traffic.rx, traffic.measured,
        IR_NONE,       inst,           inst,       0};
    if (effect->rule != RULE_COUNT || leaves)
        one.barred = inst;
    add_counts(to, &one, 1);
}

static bool has_tail(const struct ir_function *fn, const struct ir_block *block)
{
    return block->first < block->end && (fn->insts.v[block->end - 1].flags & INST_TERMINATOR);
}

static void count_unit(const struct candidate_search *s, const struct region_part *part,
                       struct block_counts *to)
{
    const struct ir_block *block = &s->fn->blocks.v[part->index];
    bool tail = has_tail(s->fn, block);
    if (part->unit == UNIT_TAIL && tail)
        add_inst(s, to, block->end - 1);
    if (part->unit != UNIT_BODY)
        return;
    to->bodies++;
    for (uint32_t inst = block->first; inst < block->end - tail; inst++)
        add_inst(s, to, inst);
}

// Loops

static void find_loop(struct candidate_search *s, const struct region_part *part,
                      const struct block_counts *counts)
{
    struct block_candidate *candidate = &s->loops[part->index];
    *candidate = (struct block_candidate){.kind = BLOCK_LOOP,
                                          .begin = part->begin,
                                          .end = part->end,
                                          .loop = part->index,
                                          .counts = *counts};
    candidate->entry = s->fn->loops.v[part->index].header;
    candidate->exits = s->exits[part->index];
    candidate->exit = (struct block_exit){candidate->exits.to, IR_NONE};
    candidate->open = !candidate->exits.edges || candidate->exits.other != IR_NONE;
    candidate->trip = trip_of(s->arena, s->module, s->fn, part->index, &candidate->exits,
                              s->accesses, s->traffics ? s->traffics->facts : NULL);
    if (s->traffics && candidate->trip.kind != TRIP_CONSTANT)
        candidate->has_mean = measured_trips(
            s->traffics->facts, part->index,
            trip_tests_first(s->fn, part->index, &candidate->exits, s->accesses), &candidate->mean);
}

static void count_parts(struct candidate_search *s)
{
    const struct regions *regions = &s->result->regions;
    for (uint32_t i = 0; i < regions->part_count; i++)
        s->part_counts[i] = empty;
    for (uint32_t i = 0; i < regions->bottom_up_count; i++) {
        uint32_t id = regions->bottom_up[i];
        const struct region_part *part = &regions->parts[id];
        if (part->kind == PART_UNIT)
            count_unit(s, part, &s->part_counts[id]);
        if (part->kind == PART_LOOP)
            find_loop(s, part, &s->part_counts[id]);
        if (part->parent == IR_NONE)
            continue;
        if (part->kind == PART_LOOP)
            add_loop(&s->part_counts[part->parent], &s->part_counts[id], &s->loops[part->index]);
        else
            add_counts(&s->part_counts[part->parent], &s->part_counts[id], 1);
    }
}

// Items of a sequence

static struct candidate_item *last_item(struct candidate_search *s)
{
    return s->items.n ? &s->items.v[s->items.n - 1] : NULL;
}

static bool follows_in_text(const struct ir_function *fn, const struct candidate_item *item,
                            uint32_t block)
{
    return item && item->is_code && fn->blocks.v[item->exit.tail].end == fn->blocks.v[block].first;
}

// Code continues across a jump to the next block in the text.
static void add_body(struct candidate_search *s, const struct region_part *part,
                     const struct block_counts *counts, const struct region_part *between,
                     const struct block_counts *jump)
{
    struct candidate_item *item = last_item(s);
    if (between && follows_in_text(s->fn, item, part->index)) {
        add_counts(&item->counts, jump, 1);
        add_counts(&item->counts, counts, 1);
        item->end = part->end;
        item->exit.tail = part->index;
        return;
    }
    struct candidate_item code = {.is_code = true,
                                  .starts = true,
                                  .begin = part->begin,
                                  .end = part->end,
                                  .entry = part->index,
                                  .exit = {IR_NONE, part->index},
                                  .counts = *counts,
                                  .jump = empty};
    if (between) {
        struct candidate_item region = {
            .begin = between->begin, .end = between->end, .counts = *jump, .jump = empty};
        region.exit.block = part->index;
        region.exit.tail = IR_NONE;
        vec_push(&s->scratch, &s->items, region);
    }
    vec_push(&s->scratch, &s->items, code);
}

static void add_region(struct candidate_search *s, const struct region_part *part,
                       const struct block_counts *counts, const struct block_counts *jump)
{
    struct candidate_item region = {.starts = part->at_block,
                                    .open = part->open,
                                    .begin = part->begin,
                                    .end = part->end,
                                    .entry = part->entry,
                                    .exit = {part->exit, IR_NONE},
                                    .counts = *counts,
                                    .jump = *jump};
    vec_push(&s->scratch, &s->items, region);
}

// Between two neighbouring bodies are one or two regions without bodies: the jump from one and the
// head of the other.
static void list_items(struct candidate_search *s, const struct region_part *sequence)
{
    const struct regions *regions = &s->result->regions;
    struct region_part between = {0};
    struct block_counts jump = empty;
    bool pending = false;
    s->items.n = 0;
    for (uint32_t i = 0; i < sequence->child_count; i++) {
        uint32_t id = regions->children[sequence->child + i];
        const struct region_part *part = &regions->parts[id];
        const struct block_counts *counts = &s->part_counts[id];
        if (part->kind == PART_UNIT) {
            add_body(s, part, counts, pending ? &between : NULL, &jump);
            pending = false;
        } else if (part->open || counts->bodies || counts->barred != IR_NONE) {
            add_region(s, part, counts, pending ? &jump : &empty);
            pending = false;
        } else {
            uint32_t begin = pending ? between.begin : part->begin;
            between = *part;
            between.begin = begin;
            if (!pending)
                jump = empty;
            add_counts(&jump, counts, 1);
            pending = true;
        }
    }
}

// Candidates of a sequence

static void add_candidate(struct candidate_search *s, uint32_t from, uint32_t to)
{
    const struct candidate_item *first = &s->items.v[from], *last = &s->items.v[to];
    struct block_candidate candidate = {.kind = from == to && first->is_code ? BLOCK_BASIC
                                                                             : BLOCK_REGION,
                                        .begin = first->begin,
                                        .end = last->end,
                                        .entry = first->entry,
                                        .exit = last->exit,
                                        .loop = IR_NONE,
                                        .counts = empty};
    for (uint32_t i = from; i <= to; i++) {
        add_counts(&candidate.counts, &s->items.v[i].counts, 1);
        if (i > from)
            add_counts(&candidate.counts, &s->items.v[i].jump, 1);
        candidate.open |= s->items.v[i].open;
    }
    candidate.exits = (struct loop_exits){0, IR_NONE, IR_NONE, IR_NONE};
    if (candidate.counts.first != IR_NONE)
        vec_push(s->arena, &s->result->list, candidate);
}

static bool is_clean(const struct candidate_item *item)
{
    return !item->open && item->counts.barred == IR_NONE;
}

// Returns true for a region that consists of a loop, and perhaps the block where its exits merge.
// It is listed as a loop.
static bool is_loop(const struct candidate_search *s, const struct candidate_item *item)
{
    const struct regions *regions = &s->result->regions;
    uint32_t loop = s->fn->blocks.v[item->entry].loop;
    for (; loop != IR_NONE; loop = s->fn->loops.v[loop].parent) {
        const struct region_part *part = &regions->parts[regions->loops + loop];
        bool within = part->begin >= item->begin && part->end <= item->end;
        if (within && s->fn->loops.v[loop].block_count == item->counts.bodies)
            return true;
    }
    return false;
}

// Adds the longest sequence of these items, and the one without outer items that have no access.
static void add_sequences(struct candidate_search *s, uint32_t from, uint32_t to)
{
    const struct candidate_item *items = s->items.v;
    while (from < to && (!items[from].starts || items[from].counts.first == IR_NONE))
        from++;
    while (to > from && items[to].counts.first == IR_NONE)
        to--;
    uint32_t first = from, last = to, begin = from;
    while (first < to && !has_access(&items[first].counts))
        first++;
    while (last > first && !has_access(&items[last].counts))
        last--;
    if (!items[from].starts || !has_access(&items[first].counts))
        return;
    for (uint32_t i = from; i <= first; i++)
        begin = items[i].starts ? i : begin;
    bool smallest =
        last == begin || (last == begin + 1 && !items[last].is_code && !items[last].starts);
    if (!smallest)
        add_candidate(s, begin, last);
    if (from != begin || to != last)
        add_candidate(s, from, to);
}

static void add_smallest(struct candidate_search *s, uint32_t at)
{
    const struct candidate_item *item = &s->items.v[at];
    if (!has_access(&item->counts))
        return;
    bool decides = at && item[-1].is_code && is_clean(item) && is_clean(&item[-1]);
    if (item->is_code)
        add_candidate(s, at, at);
    else if (item->starts && !is_loop(s, item))
        add_candidate(s, at, at);
    else if (!item->starts && decides)
        add_candidate(s, at - 1, at);
    else if (!item->starts && !is_clean(item))
        add_candidate(s, at, at);
}

static void search_sequence(struct candidate_search *s, const struct region_part *sequence)
{
    list_items(s, sequence);
    for (uint32_t i = 0; i < s->items.n; i++)
        add_smallest(s, i);
    for (uint32_t i = 0; i < s->items.n; i++) {
        uint32_t to = i;
        if (!is_clean(&s->items.v[i]))
            continue;
        while (to + 1 < s->items.n && is_clean(&s->items.v[to + 1]))
            to++;
        add_sequences(s, i, to);
        i = to;
    }
}

void candidates_find(struct candidates *candidates, struct arena *arena,
                     const struct ir_module *module, const struct ir_function *fn,
                     struct effects *effects, const struct traffics *traffics)
{
    struct candidate_search s = {
        .result = candidates, .arena = arena, .module = module, .fn = fn, .traffics = traffics};
    *candidates = (struct candidates){0};
    arena_init(&s.scratch, arena->memory);
    regions_build(&candidates->regions, arena, fn);
    candidates->effects = ARENA_ARRAY(arena, struct memory_effect, fn->insts.n + 1);
    bool *accesses = ARENA_ARRAY(&s.scratch, bool, fn->insts.n + 1);
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        struct memory_effect effect = effect_of(effects, fn, i);
        candidates->effects[i] = effect;
        accesses[i] = effect.loads || effect.stores;
    }
    s.accesses = trip_accesses(&s.scratch, fn, accesses);
    s.part_counts =
        ARENA_ARRAY(&s.scratch, struct block_counts, candidates->regions.part_count + 1);
    s.loops = ARENA_ARRAY(&s.scratch, struct block_candidate, fn->loops.n + 1);
    s.exits = loop_exits_list(&s.scratch, fn);
    count_parts(&s);
    for (uint32_t i = 0; i < fn->loops.n; i++)
        vec_push(arena, &candidates->list, s.loops[i]);
    for (uint32_t i = 0; i < candidates->regions.bottom_up_count; i++) {
        const struct region_part *part =
            &candidates->regions.parts[candidates->regions.bottom_up[i]];
        if (part->kind == PART_SEQUENCE)
            search_sequence(&s, part);
    }
    arena_free(&s.scratch);
}
