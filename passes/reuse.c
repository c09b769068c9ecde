#include "passes/reuse.h"
#include "passes/coalescing_places.h"
#include "support/bits.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WARPS = 8,  // of a CTA that are looked at; as many has one of unknown shape
    MOST_OTHERS = 8, // loads before and behind one that are looked at
};

// Loads in the same innermost loop whose addresses differ by constants, in the order of the text.
struct member {
    uint32_t inst, bytes;
    int64_t constant;
    const struct reuse *reuse; // NULL: not asked for yet
};

struct group {
    uint64_t hash;
    uint32_t loop;
    uint16_t space;
    struct affine address; // of the first
    VEC(struct member) members;
    struct group *next;
};

struct interval {
    int64_t begin, end;
};

struct intervals {
    VEC(struct interval) list;
};

struct reuses {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct affines *affines;
    struct coalescings *coalescings;
    struct block_shape shape;
    struct group **table; // by hash; NULL: not made yet
    uint32_t table_mask;
    struct group **group_of;                     // per instruction
    uint32_t *place_of;                          // in its group's members
    struct intervals touched, earlier, own, all; // of one question
};

struct reuses *reuses_new(struct arena *arena, const struct ir_module *module,
                          const struct ir_function *fn, struct affines *affines,
                          struct coalescings *coalescings, struct block_shape shape)
{
    struct reuses *r = ARENA_NEW(arena, struct reuses);
    *r = (struct reuses){.arena = arena,
                         .module = module,
                         .fn = fn,
                         .affines = affines,
                         .coalescings = coalescings,
                         .shape = shape};
    return r;
}

// Groups

static uint32_t loop_of(const struct reuses *r, uint32_t inst)
{
    return r->fn->blocks.v[r->fn->insts.v[inst].block].loop;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

static uint64_t hash_of(const struct affine *address, uint32_t loop, uint16_t space)
{
    uint64_t hash = mix(loop, space);
    for (uint32_t i = 0; i < address->count; i++) {
        hash = mix(hash, (uint64_t)address->terms[i].coefficient);
        for (uint32_t k = 0; k < AFFINE_FACTORS; k++)
            hash = mix(hash, address->terms[i].atom[k]);
    }
    return hash;
}

static bool same_terms(const struct affine *a, const struct affine *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].coefficient != b->terms[i].coefficient ||
            memcmp(a->terms[i].atom, b->terms[i].atom, sizeof a->terms[i].atom))
            return false;
    return true;
}

static struct group *group_for(struct reuses *r, const struct affine *address, uint32_t loop,
                               uint16_t space)
{
    uint64_t hash = hash_of(address, loop, space);
    struct group **at = &r->table[hash & r->table_mask];
    for (struct group *group = *at; group; group = group->next)
        if (group->hash == hash && group->loop == loop && group->space == space &&
            same_terms(&group->address, address))
            return group;
    struct group *group = ARENA_NEW(r->arena, struct group);
    *group = (struct group){.hash = hash, .loop = loop, .space = space, .address = *address};
    group->next = *at;
    *at = group;
    return group;
}

static void enter(struct reuses *r, uint32_t inst)
{
    struct affine address;
    if (r->fn->insts.v[inst].class != CLASS_LOAD)
        return;
    struct coalescing c = coalescing_of(r->coalescings, inst);
    if (!c.access || !affine_of_address(r->affines, inst, &address))
        return;
    struct group *group = group_for(r, &address, loop_of(r, inst), c.space);
    r->group_of[inst] = group;
    r->place_of[inst] = group->members.n;
    vec_push(r->arena, &group->members, (struct member){inst, c.bytes, address.constant, NULL});
}

static void make_groups(struct reuses *r)
{
    uint32_t count = r->fn->insts.n, size = 64;
    while (size < count / 4)
        size *= 2;
    r->table = ARENA_ARRAY(r->arena, struct group *, size);
    r->table_mask = size - 1;
    r->group_of = ARENA_ARRAY(r->arena, struct group *, count);
    r->place_of = ARENA_ARRAY(r->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        enter(r, i);
}

// Bytes

static int compare(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void put(struct arena *arena, struct intervals *to, int64_t begin, int64_t end)
{
    if (begin >= end)
        return;
    uint32_t n = to->list.n;
    if (n && to->list.v[n - 1].begin <= begin && begin <= to->list.v[n - 1].end) {
        if (end > to->list.v[n - 1].end)
            to->list.v[n - 1].end = end;
        return;
    }
    vec_push(arena, &to->list, (struct interval){begin, end});
}

static void sort(struct intervals *intervals)
{
    bool sorted = true;
    for (uint32_t i = 1; i < intervals->list.n && sorted; i++)
        sorted = intervals->list.v[i - 1].begin <= intervals->list.v[i].begin;
    if (!sorted)
        qsort(intervals->list.v, intervals->list.n, sizeof *intervals->list.v, compare);
}

static int64_t floor_of(int64_t value, int64_t unit)
{
    return value >= 0 ? value / unit : -((unit - 1 - value) / unit);
}

// Sorts and brings together what overlaps or adjoins.
static void merge(struct intervals *intervals)
{
    uint32_t count = intervals->list.n;
    sort(intervals);
    intervals->list.n = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct interval at = intervals->list.v[i];
        struct interval *last =
            intervals->list.n ? &intervals->list.v[intervals->list.n - 1] : NULL;
        if (!last || at.begin > last->end)
            intervals->list.v[intervals->list.n++] = at;
        else if (at.end > last->end)
            last->end = at.end;
    }
}

// Lines that sorted intervals touch, summed over all places of byte 0 in a line that `start` leaves
// open. There are n = line / granule of them, and floor((m + 0) / n) + … + floor((m + n - 1) / n)
// is m: so many granules from one byte to another are so many ends of lines between them, all
// places together. Of a gap, each place has one end at most that brings a line.
static uint64_t lines_of(const struct intervals *intervals, const struct start *start)
{
    int64_t granule = (int64_t)start->granule, places = COALESCING_LINE / granule, last = 0;
    uint64_t count = intervals->list.n ? (uint64_t)places : 0;
    for (uint32_t i = 0; i < intervals->list.n; i++) {
        const struct interval *at = &intervals->list.v[i];
        int64_t first = floor_of(at->begin + (int64_t)start->value, granule),
                end = floor_of(at->end - 1 + (int64_t)start->value, granule);
        if (!i)
            last = first;
        if (first > last) {
            count += (uint64_t)(first - last < places ? first - last : places);
            last = first;
        }
        if (end > last) {
            count += (uint64_t)(end - last);
            last = end;
        }
    }
    return count;
}

// What a load touches

enum { OF_LOOP = 1, OF_OTHERS = 2 };

struct view {
    struct reuses *r;
    const struct group *group;
    const struct member *member;
    const struct member *only; // NULL, or the one other load that is looked at
    struct affine address;
    bool lanes_known; // else one lane is looked at
    bool in_loop;     // with a step that is known
    int64_t step;
    uint32_t warps;
    int64_t at[MOST_WARPS];    // first byte of each warp, from that of the first
    struct affine_lanes lanes; // of the first
    struct start start;
};

// Lanes side by side, as they are in most accesses, go as one.
static void put_lanes(struct arena *arena, struct intervals *to, const struct affine_lanes *lanes,
                      int64_t at, uint32_t bytes)
{
    int64_t begin = 0, end = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        int64_t own = at + lanes->offset[i];
        if (!(lanes->active >> i & 1))
            continue;
        if (begin < end && begin <= own && own <= end) {
            end = own + bytes > end ? own + bytes : end;
            continue;
        }
        put(arena, to, begin, end);
        begin = own;
        end = own + bytes;
    }
    put(arena, to, begin, end);
}

// Bytes of one access of a warp, for an access of `bytes` bytes; the first byte of warp 0 is 0.
static void put_warp(const struct view *view, struct intervals *to, uint32_t warp, uint32_t bytes)
{
    struct reuses *r = view->r;
    if (!view->lanes_known) {
        put(r->arena, to, 0, bytes);
        return;
    }
    struct affine_lanes other;
    const struct affine_lanes *lanes = &view->lanes;
    if (warp && !lanes->same_in_all_warps) {
        uint32_t block = r->fn->insts.v[view->member->inst].block;
        other = affine_lanes(r->affines, &view->address, block, warp);
        lanes = &other;
    }
    put_lanes(r->arena, to, lanes, view->at[warp], bytes);
}

// What was touched by a load of the group before: in earlier iterations, as far as they reach back
// by a line; in this one if it stands in front.
static void put_member(const struct view *view, struct intervals *to,
                       const struct intervals *touched, const struct member *other, unsigned of)
{
    int64_t apart = other->constant - view->member->constant, step = view->step;
    uint64_t size = step < 0 ? -(uint64_t)step : (uint64_t)step;
    int64_t more = size && size < COALESCING_LINE ? (int64_t)((COALESCING_LINE / size) * size) : 0;
    bool loops = view->in_loop && (other == view->member ? of & OF_LOOP : of & OF_OTHERS);
    bool before = other < view->member && of & OF_OTHERS;
    for (uint32_t i = 0; i < touched->list.n; i++) {
        int64_t begin = touched->list.v[i].begin + apart, end = touched->list.v[i].end + apart;
        if (before)
            put(view->r->arena, to, begin, end);
        if (loops)
            put(view->r->arena, to, begin - step - (step > 0 ? more : 0),
                end - step + (step < 0 ? more : 0));
    }
}

// Control that comes to `inst` has passed the other before, in this iteration or the last.
static bool precedes(const struct view *view, const struct member *other)
{
    const struct ir_function *fn = view->r->fn;
    uint32_t own = fn->insts.v[view->member->inst].block, its = fn->insts.v[other->inst].block;
    if (other < view->member)
        return ir_dominates(fn, its, own);
    return view->in_loop &&
           (its == own || ir_dominates(fn, its, fn->loops.v[view->group->loop].latch));
}

// What lies around the load in its group: from `from` on, `*count` of them.
static uint32_t others_of(const struct view *view, uint32_t *count)
{
    const struct group *group = view->group;
    uint32_t place = (uint32_t)(view->member - group->members.v);
    uint32_t from = place > MOST_OTHERS ? place - MOST_OTHERS : 0;
    *count = group->members.n - from < 2 * MOST_OTHERS ? group->members.n - from : 2 * MOST_OTHERS;
    return from;
}

// Warps from `first` on, so many.
struct warps {
    uint32_t first, count;
};

static bool takes_part(const struct view *view, const struct member *other, unsigned of)
{
    if (other == view->member)
        return true;
    return of & OF_OTHERS && (!view->only || view->only == other) && precedes(view, other);
}

static void put_earlier(const struct view *view, struct intervals *to, struct warps warps,
                        unsigned of)
{
    uint32_t count, from = others_of(view, &count);
    struct intervals *touched = &view->r->touched;
    uint32_t bytes = 0; // of the accesses that `touched` is for
    for (uint32_t i = from; i < from + count; i++) {
        const struct member *other = &view->group->members.v[i];
        if (!takes_part(view, other, of))
            continue;
        if (bytes != other->bytes) {
            touched->list.n = 0;
            for (uint32_t w = 0; w < warps.count; w++)
                put_warp(view, touched, warps.first + w, other->bytes);
            merge(touched);
            bytes = other->bytes;
        }
        put_member(view, to, touched, other, of);
    }
    merge(to);
}

// Lines, over all places where the first warp may begin.
struct counts {
    uint64_t fresh, total;
};

// New lines of those that these warps touch together; earlier accesses of others count for nothing.
static struct counts count_lines(const struct view *view, struct warps warps, unsigned of)
{
    struct intervals *earlier = &view->r->earlier, *own = &view->r->own, *all = &view->r->all;
    struct counts counts = {0};
    earlier->list.n = all->list.n = 0;
    put_earlier(view, earlier, warps, of);
    for (uint32_t i = 0; i < earlier->list.n; i++)
        put(view->r->arena, all, earlier->list.v[i].begin, earlier->list.v[i].end);
    for (uint32_t w = 0; w < warps.count; w++) {
        own->list.n = 0;
        put_warp(view, own, warps.first + w, view->member->bytes);
        for (uint32_t i = 0; i < own->list.n; i++)
            put(view->r->arena, all, own->list.v[i].begin, own->list.v[i].end);
        sort(own);
        counts.total += lines_of(own, &view->start);
    }
    sort(all);
    counts.fresh = lines_of(all, &view->start) - lines_of(earlier, &view->start);
    return counts;
}

// True if the warp touches what the one before it does, whole lines further.
static bool is_like_the_last(const struct view *view, uint32_t warp)
{
    return view->lanes.same_in_all_warps &&
           (view->at[warp] - view->at[warp - 1]) % COALESCING_LINE == 0;
}

// New lines if no warp finds what another has brought.
static uint64_t fresh_apart(const struct view *view, unsigned of)
{
    uint64_t fresh = 0, last = 0;
    for (uint32_t w = 0; w < view->warps; w++) {
        if (!w || !is_like_the_last(view, w))
            last = count_lines(view, (struct warps){w, 1}, of).fresh;
        fresh += last;
    }
    return fresh;
}

// The view

static uint32_t iteration_atom(const struct reuses *r, const struct affine *address, uint32_t loop)
{
    for (uint32_t i = 0; i < address->count; i++)
        for (uint32_t k = 0; k < AFFINE_FACTORS && address->terms[i].atom[k] != IR_NONE; k++) {
            const struct affine_atom *atom = affine_atom(r->affines, address->terms[i].atom[k]);
            if (atom->kind == AFFINE_ITERATION && atom->index == loop)
                return address->terms[i].atom[k];
        }
    return IR_NONE;
}

// Bytes from one iteration to the next, if they are the same each time: what is left without the
// loop's number does not change in it.
static bool find_step(struct reuses *r, uint32_t loop, const struct affine *address, int64_t *step)
{
    uint32_t atom = iteration_atom(r, address, loop);
    struct affine found;
    *step = 0;
    if (atom == IR_NONE)
        return affine_invariant(r->affines, address, loop);
    if (!affine_step(r->affines, address, atom, &found) || !affine_is_constant(&found))
        return false;
    for (uint32_t i = 0; i < address->count; i++) {
        struct affine term = {.terms = &address->terms[i], .count = 1};
        if (address->terms[i].atom[0] != atom && !affine_invariant(r->affines, &term, loop))
            return false;
    }
    *step = found.constant;
    return true;
}

// The warps whose distance from the first is known.
static void find_warps(struct view *view)
{
    struct reuses *r = view->r;
    bool known = shape_is_known(&r->shape);
    uint32_t warps = known ? coalescing_warps(&r->shape) : MOST_WARPS, tid[3] = {0};
    int64_t first;
    view->warps = 1;
    if (!view->lanes_known)
        return;
    uint32_t block = r->fn->insts.v[view->member->inst].block;
    view->lanes = affine_lanes(r->affines, &view->address, block, 0);
    if (!coalescing_warp_offset(r->coalescings, &view->address, tid, &first))
        return;
    for (; view->warps < warps && view->warps < MOST_WARPS; view->warps++) {
        uint32_t thread = view->warps * WARP_LANES;
        int64_t *at = &view->at[view->warps];
        if (known)
            shape_thread(&r->shape, thread, tid);
        else
            tid[0] = thread;
        if (!coalescing_warp_offset(r->coalescings, &view->address, tid, at))
            return;
        *at -= first;
    }
}

static struct view view_of(struct reuses *r, uint32_t inst)
{
    struct view view = {.r = r, .group = r->group_of[inst]};
    struct coalescing c = coalescing_of(r->coalescings, inst);
    view.member = &view.group->members.v[r->place_of[inst]];
    view.address = view.group->address;
    view.address.constant = view.member->constant;
    view.lanes_known = c.known;
    view.start = c.known ? coalescing_start(r->coalescings, &view.address, 0, c.bytes)
                         : (struct start){0, c.bytes};
    view.in_loop =
        view.group->loop != IR_NONE && find_step(r, view.group->loop, &view.address, &view.step);
    find_warps(&view);
    return view;
}

// Reuse

static struct reuse reuse_new(const struct view *view)
{
    return (struct reuse){.kind = REUSE_NONE,
                          .miss = {1, 1},
                          .lines = 1,
                          .warps = view->warps,
                          .step = view->step,
                          .loop = view->group->loop};
}

// Local memory: each word of a warp is a line of its own.
static struct reuse reuse_local(const struct view *view)
{
    struct reuse reuse = reuse_new(view);
    if (view->in_loop && !view->step) {
        reuse.kind = REUSE_SAME;
        reuse.miss = (struct ratio){0, 1};
        reuse.served[CAUSE_LOOP] = 1;
    }
    return reuse;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void shorten(struct reuse *reuse)
{
    uint64_t divisor = reuse->lines;
    for (int i = 0; i < REUSE_CAUSES; i++)
        divisor = gcd(divisor, reuse->served[i]);
    reuse->lines /= divisor;
    for (int i = 0; i < REUSE_CAUSES; i++)
        reuse->served[i] /= divisor;
}

static enum reuse_kind kind_of(const struct reuse *reuse)
{
    static const enum reuse_kind kinds[REUSE_CAUSES] = {REUSE_LOOP, REUSE_OTHER, REUSE_WARPS};
    int most = 0;
    for (int i = 1; i < REUSE_CAUSES; i++)
        if (reuse->served[i] > reuse->served[most])
            most = i;
    if (!reuse->served[most])
        return REUSE_NONE;
    return most == CAUSE_LOOP && !reuse->step ? REUSE_SAME : kinds[most];
}

// What the causes leave, one after the other.
static struct reuse judge(const struct view *view)
{
    struct reuse reuse = reuse_new(view);
    struct counts together = count_lines(view, (struct warps){0, view->warps}, OF_LOOP | OF_OTHERS);
    uint64_t left = together.total;
    if (view->in_loop) {
        uint64_t fresh = fresh_apart(view, OF_LOOP);
        reuse.served[CAUSE_LOOP] = left - fresh;
        left = fresh;
    }
    if (view->group->members.n > 1 && left > together.fresh) {
        uint64_t fresh = fresh_apart(view, OF_LOOP | OF_OTHERS);
        reuse.served[CAUSE_OTHER] = left - fresh;
        left = fresh;
    }
    reuse.served[CAUSE_WARPS] = left - together.fresh;
    reuse.miss = ratio_of(together.fresh, together.total);
    reuse.lines = together.total;
    shorten(&reuse);
    reuse.kind = kind_of(&reuse);
    return reuse;
}

static struct reuse look_at(struct reuses *r, uint32_t inst)
{
    struct view view = view_of(r, inst);
    struct reuse reuse = view.group->space == W_local ? reuse_local(&view) : judge(&view);
    if (!view.lanes_known && !view.in_loop && reuse.kind == REUSE_NONE)
        reuse.kind = REUSE_UNKNOWN;
    return reuse;
}

struct reuse reuse_of(struct reuses *r, uint32_t inst)
{
    if (!r->table)
        make_groups(r);
    if (!r->group_of[inst])
        return (struct reuse){
            .kind = REUSE_UNKNOWN, .miss = {1, 1}, .lines = 1, .loop = loop_of(r, inst)};
    struct member *member = &r->group_of[inst]->members.v[r->place_of[inst]];
    if (!member->reuse) {
        struct reuse *reuse = ARENA_NEW(r->arena, struct reuse);
        *reuse = look_at(r, inst);
        member->reuse = reuse;
    }
    return *member->reuse;
}

// Of the other loads the one that serves most alone.
static uint32_t best_other(struct view *view, bool *all)
{
    const unsigned of = OF_LOOP | OF_OTHERS;
    uint64_t together = fresh_apart(view, of), least = UINT64_MAX;
    uint32_t count, from = others_of(view, &count), best = IR_NONE;
    for (uint32_t i = from + count; i-- > from;) {
        const struct member *other = &view->group->members.v[i];
        if (other == view->member || !precedes(view, other))
            continue;
        view->only = other;
        uint64_t fresh = fresh_apart(view, of);
        if (fresh < least) {
            least = fresh;
            best = other->inst;
        }
    }
    view->only = NULL;
    *all = least == together;
    return best;
}

struct reuse_other reuse_other(struct reuses *r, uint32_t inst)
{
    struct reuse_other other;
    struct view view = view_of(r, inst);
    other.line = ir_place(r->module, r->fn, best_other(&view, &other.all)).line;
    return other;
}
