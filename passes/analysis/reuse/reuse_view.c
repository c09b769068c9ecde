// Groups loads whose addresses differ by constants, and collects what is known of each address.
#include "passes/analysis/reuse/reuse_view.h"
#include "passes/analysis/facts.h"
#include <string.h>

enum { MAX_ROUNDS = 4096 }; // iterations that are evaluated

struct reuses *reuses_new(struct facts *facts)
{
    struct reuses *r = ARENA_NEW(facts->arena, struct reuses);
    *r = (struct reuses){.arena = facts->arena,
                         .facts = facts,
                         .module = facts->module,
                         .fn = facts->fn,
                         .affines = facts_affines(facts),
                         .coalescings = facts_coalescings(facts),
                         .shape = facts->shape,
                         .memo = facts->memo};
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

static struct reuse_group *group_for(struct reuses *r, const struct affine *address, uint32_t loop,
                                     uint16_t space)
{
    uint64_t hash = hash_of(address, loop, space);
    struct reuse_group **at = &r->table[hash & r->table_mask];
    for (struct reuse_group *group = *at; group; group = group->next)
        if (group->hash == hash && group->loop == loop && group->space == space &&
            same_terms(&group->address, address))
            return group;
    struct reuse_group *group = ARENA_NEW(r->arena, struct reuse_group);
    *group = (struct reuse_group){.hash = hash, .loop = loop, .space = space, .address = *address};
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
    struct reuse_group *group = group_for(r, &address, loop_of(r, inst), c.space);
    r->group_of[inst] = group;
    r->position_of[inst] = group->members.n;
    vec_push(r->arena, &group->members,
             (struct reuse_member){inst, c.bytes, address.constant, NULL});
}

static void make_groups(struct reuses *r)
{
    uint32_t count = r->fn->insts.n, size = 64;
    while (size < count / 4)
        size *= 2;
    r->table = ARENA_ARRAY(r->arena, struct reuse_group *, size);
    r->table_mask = size - 1;
    r->group_of = ARENA_ARRAY(r->arena, struct reuse_group *, count);
    r->position_of = ARENA_ARRAY(r->arena, uint32_t, count);
    r->rounds = ARENA_ARRAY(r->arena, struct rounds, r->fn->loops.n);
    for (uint32_t i = 0; i < count; i++)
        enter(r, i);
}

struct reuse_group *reuse_group(struct reuses *r, uint32_t inst)
{
    if (!r->table)
        make_groups(r);
    return r->group_of[inst];
}

// Iterations

static struct rounds find_rounds(struct reuses *r, uint32_t loop)
{
    if (!r->exits)
        r->exits = loop_exits_list(r->arena, r->fn);
    const struct loop_exits *exits = &r->exits[loop];
    struct trip trip = trip_of(r->arena, r->module, r->fn, loop, exits, NULL, r->facts);
    bool known = exits->edges == 1 && trip.kind == TRIP_CONSTANT && trip.count <= MAX_ROUNDS;
    return (struct rounds){true, known ? trip.count : 0, exits->from};
}

// Returns the executions of an instruction's block per execution of the loop; 0: not constant.
static uint64_t rounds_of(struct reuses *r, uint32_t loop, uint32_t inst)
{
    struct rounds *rounds = &r->rounds[loop];
    uint32_t block = r->fn->insts.v[inst].block;
    if (!rounds->asked)
        *rounds = find_rounds(r, loop);
    if (!rounds->count)
        return 0;
    bool behind = block != rounds->test && ir_dominates(r->fn, rounds->test, block);
    return rounds->count - behind;
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

// Computes the bytes from one iteration to the next. Returns false if they differ: without the
// iteration's number, the address must not change in the loop.
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

// Returns the sum without the terms that start with the atom.
static struct affine without(struct reuses *r, const struct affine *address, uint32_t atom)
{
    struct affine_term *terms = ARENA_ARRAY(r->arena, struct affine_term, address->count);
    struct affine rest = *address;
    rest.terms = terms;
    rest.count = 0;
    for (uint32_t i = 0; i < address->count; i++)
        if (address->terms[i].atom[0] != atom)
            terms[rest.count++] = address->terms[i];
    return rest;
}

// Finds the warps at a known distance from the first; only the first if rows are assumed.
static void find_warps(struct view *view, bool rows)
{
    struct reuses *r = view->r;
    bool known = shape_is_known(&r->shape);
    uint32_t warps = known ? coalescing_warps(&r->shape) : MAX_WARPS, tid[3] = {0};
    int64_t first;
    view->warps = 1;
    if (!view->lanes_known)
        return;
    uint32_t block = r->fn->insts.v[view->member->inst].block;
    view->lanes = affine_lanes(r->affines, &view->address, block, 0);
    warps = warps < MAX_WARPS ? warps : MAX_WARPS;
    view->others = warps > 1;
    if (rows || !coalescing_warp_offset(r->coalescings, &view->address, tid, &first))
        return;
    for (; view->warps < warps; view->warps++) {
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
    view->others = false;
}

// Finds the start of the first warp's access.
static void find_start(struct view *view, uint32_t bytes)
{
    struct reuses *r = view->r;
    struct affine first = view->address;
    uint32_t loop = view->group->loop;
    view->start = (struct start){0, bytes};
    if (!view->lanes_known)
        return;
    if (view->rounds && view->step)
        first = without(r, &first, iteration_atom(r, &first, loop));
    view->start = coalescing_start(r->coalescings, &first, 0, bytes);
}

struct view reuse_view(struct reuses *r, uint32_t inst)
{
    struct view view = {.r = r, .group = r->group_of[inst]};
    struct coalescing c = coalescing_of(r->coalescings, inst);
    view.member = &view.group->members.v[r->position_of[inst]];
    view.address = view.group->address;
    view.address.constant = view.member->constant;
    view.lanes_known = c.known;
    view.in_loop =
        view.group->loop != IR_NONE && find_step(r, view.group->loop, &view.address, &view.step);
    uint64_t size = view.step < 0 ? -(uint64_t)view.step : (uint64_t)view.step;
    view.reach = size && size < LINE_BYTES ? LINE_BYTES / size : 1;
    if (view.in_loop)
        view.rounds = rounds_of(r, view.group->loop, inst);
    find_start(&view, c.bytes);
    find_warps(&view, c.assumes & COALESCING_ROWS);
    r->own.list.n = r->lanes_bytes = 0;
    view_put_warp(&view, &r->own, 0, c.bytes);
    view.pieces = r->own.list.n;
    return view;
}
