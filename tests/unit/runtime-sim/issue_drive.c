#include "tests/unit/runtime-sim/issue_drive.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, LONG = 3000, GIVE_UP = 200 };

struct pending {
    struct held *held;
    uint64_t time; // when it may be served
    uint32_t code; // where its instruction begins
    uint32_t frame;
    bool orders;
    struct forming *chain; // whose it is: it writes no register of the warp
};

struct lane_group {
    struct warp *warp;
    VEC(struct pending) pending; // in the order of issue
    VEC(struct forming *) forming;
};

struct waiting {
    uint32_t code, frame;
};

struct resident {
    struct cta *cta;
    struct lane_group *warps;
};

struct driver {
    struct drive *drive;
    struct launch *launch;
    struct arena arena;
    struct grid_result *result;
    struct reg_slots_used slots;
    size_t held_bytes;
    VEC(struct resident) residents, idle;
    uint64_t next, count, round;
    uint64_t state;  // of the random numbers
    uint8_t *before; // of the frames of a warp
    size_t before_bytes;
    VEC(struct waiting) waiting; // its paths that waited for lanes then
};

static uint32_t draw(struct driver *d, uint32_t below)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(d->state >> 33) % below;
}

// CTAs

static void add_resident(struct driver *d, struct cta *cta)
{
    struct resident resident = {cta, ARENA_ARRAY(&d->arena, struct lane_group, cta->warp_count)};
    for (uint32_t i = 0; i < cta->warp_count; i++)
        resident.warps[i].warp = &cta->warps[i];
    vec_push(&d->arena, &d->residents, resident);
}

static bool start_one(struct driver *d)
{
    if (d->next == d->count)
        return false;
    struct cluster cluster = {.count = grid_cluster_ctas(d->launch)};
    uint32_t first = d->residents.n;
    for (uint32_t i = 0; i < cluster.count; i++) {
        if (d->idle.n)
            vec_push(&d->arena, &d->residents, d->idle.v[--d->idle.n]);
        else
            add_resident(d, cta_new(&d->arena, d->launch, d->launch->profile, &d->result->fault));
        cluster.ctas[i] = d->residents.v[first + i].cta;
    }
    for (uint32_t i = 0; i < cluster.count; i++) {
        cluster.ctas[i]->cluster = cluster;
        cta_start(cluster.ctas[i], grid_cta(d->launch, d->next, i));
    }
    d->next++;
    return true;
}

static bool has_ended(const struct resident *resident)
{
    for (uint32_t i = 0; i < resident->cta->warp_count; i++)
        if (resident->warps[i].warp->live || resident->warps[i].pending.n ||
            resident->warps[i].forming.n)
            return false;
    return true;
}

// Ends CTAs that are done. CTAs of a cluster end together, and are adjacent.
static bool end_some(struct driver *d)
{
    uint32_t together = grid_cluster_ctas(d->launch), kept = 0;
    for (uint32_t i = 0; i < d->residents.n; i += together) {
        bool ended = true;
        for (uint32_t k = 0; k < together; k++)
            ended &= has_ended(&d->residents.v[i + k]);
        for (uint32_t k = 0; k < together; k++) {
            struct resident resident = d->residents.v[i + k];
            if (ended) {
                grid_count(d->result, resident.cta);
                vec_push(&d->arena, &d->idle, resident);
            } else {
                d->residents.v[kept++] = resident;
            }
        }
    }
    bool some = kept < d->residents.n;
    d->residents.n = kept;
    return some;
}

// Frames: an instruction may change only its declared results, or those of instructions that waited
// for its lanes

static void keep_frames(struct driver *d, const struct warp *warp)
{
    if (!d->drive->checked)
        return;
    if (d->before_bytes < warp->frame_bytes) {
        d->before_bytes = warp->frame_bytes;
        d->before = arena_alloc(&d->arena, d->before_bytes);
    }
    memcpy(d->before, warp->frames, warp->frame_bytes);
    d->waiting.n = 0;
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        const struct path *path = &warp->paths.v[i];
        if (path->state == PATH_LANES)
            vec_push(&d->arena, &d->waiting, (struct waiting){path->pc, path->frame});
    }
}

static bool is_said(const struct driver *d, uint32_t code, uint32_t offset, bool late)
{
    const struct reg_slot_use *uses;
    uint32_t count = code_reg_slots_used(&d->slots, code, &uses);
    for (uint32_t i = 0; i < count; i++)
        if (uses[i].written && (!late || uses[i].late) && offset - uses[i].offset < uses[i].bytes)
            return true;
    return false;
}

static bool is_said_of_waiting(const struct driver *d, uint32_t offset, bool late)
{
    for (uint32_t i = 0; i < d->waiting.n && !late; i++)
        if (is_said(d, d->waiting.v[i].code, offset - d->waiting.v[i].frame, false))
            return true;
    return false;
}

static void compare_frames(const struct driver *d, const struct warp *warp, uint32_t code,
                           uint32_t frame, bool late)
{
    const struct code *at = &warp->program->codes.v[code];
    if (!d->drive->checked)
        return;
    while (!at->counted && !at->ends)
        at++;
    if (at->step == step_call || at->step == step_return)
        return;
    if (!memcmp(d->before, warp->frames, warp->frame_bytes))
        return;
    for (uint32_t i = 0; i < warp->frame_bytes; i++)
        if (d->before[i] != warp->frames[i] && !is_said(d, code, i - frame, late) &&
            !is_said_of_waiting(d, i, late))
            fail_msg("instruction %u writes byte %u of its frame%s", at->inst, i - frame,
                     late ? " when it is served" : "");
}

// Serving

static void remove_pending(struct lane_group *group, uint32_t n)
{
    for (uint32_t i = n; i + 1 < group->pending.n; i++)
        group->pending.v[i] = group->pending.v[i + 1];
    group->pending.n--;
}

static bool lane_lines(const struct held *held, uint32_t mask, uint64_t line, uint32_t space)
{
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint32_t own = held->global >> lane & 1 ? 0 : held->shared >> lane & 1 ? 1 : 2 + lane;
        if (own == space && held->address[lane] / LINE == line)
            return true;
    }
    return false;
}

// Returns the lanes whose line has no earlier pending access of the same warp.
static uint32_t may_be_served(const struct lane_group *group, uint32_t n, uint32_t mask)
{
    const struct held *held = group->pending.v[n].held;
    uint32_t may = 0;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint32_t space = held->global >> lane & 1 ? 0 : held->shared >> lane & 1 ? 1 : 2 + lane;
        bool free = true;
        for (uint32_t i = 0; i < n && free; i++)
            free = !lane_lines(group->pending.v[i].held, group->pending.v[i].held->left,
                               held->address[lane] / LINE, space);
        may |= (uint32_t)free << lane;
    }
    return may;
}

static bool serve(struct driver *d, struct lane_group *group, uint32_t n)
{
    struct pending *pending = &group->pending.v[n];
    struct held *held = pending->held;
    uint32_t mask =
        draw(d, 3) ? held->left : held->left & (draw(d, UINT32_MAX) | 1u << draw(d, 32));
    mask = may_be_served(group, n, mask);
    if (pending->chain && held == pending->chain->store)
        mask &= pending->chain->computed;
    if (!mask)
        return true;
    d->drive->parts++;
    keep_frames(d, group->warp);
    if (!held_serve(held, mask))
        return false;
    if (!pending->chain)
        compare_frames(d, group->warp, pending->code, pending->frame, true);
    else if (d->drive->checked)
        assert_memory_equal(d->before, group->warp->frames, group->warp->frame_bytes);
    if (held->left)
        return true;
    if (!pending->chain)
        free(held);
    remove_pending(group, n);
    return true;
}

// Issue

static bool overlap(const struct reg_slot_use *a, uint32_t frame_a, const struct reg_slot_use *b,
                    uint32_t frame_b)
{
    uint32_t begin_a = frame_a + a->offset, begin_b = frame_b + b->offset;
    return begin_a < begin_b + b->bytes && begin_b < begin_a + a->bytes;
}

static bool waits_for(const struct driver *d, uint32_t code, uint32_t frame,
                      const struct pending *pending)
{
    const struct reg_slot_use *uses, *written;
    uint32_t count = code_reg_slots_used(&d->slots, code, &uses);
    uint32_t write_count = code_reg_slots_used(&d->slots, pending->code, &written);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < write_count; k++)
            if (written[k].late && overlap(&uses[i], frame, &written[k], pending->frame))
                return true;
    return false;
}

static bool may_issue(const struct driver *d, const struct lane_group *group, uint32_t code)
{
    const struct code_reg_slots *used = &d->slots.codes[code];
    uint32_t frame = group->warp->paths.v[group->warp->current].frame;
    if ((used->drains || used->orders) && group->pending.n)
        return false;
    for (uint32_t i = 0; i < group->pending.n; i++)
        if (group->pending.v[i].orders ||
            (!group->pending.v[i].chain && waits_for(d, code, frame, &group->pending.v[i])))
            return false;
    return true;
}

static struct held *new_held(const struct driver *d)
{
    struct held *held = aligned_alloc(64, d->held_bytes);
    assert_non_null(held);
    return held;
}

static void took(struct driver *d, struct lane_group *group, uint32_t code, uint32_t frame,
                 struct held *held, struct forming *chain)
{
    if (held->served) {
        assert_true(held->touched.count && held->touched.count <= TOUCHED_PARTS);
        d->drive->served++;
        free(held);
        return;
    }
    assert_int_equal(held->global | held->shared | held->local, held->mask);
    assert_int_equal(held->left, held->mask);
    d->drive->held++;
    struct pending pending = {
        held, d->round + draw(d, d->drive->max_delay + 1), code, frame, d->slots.codes[code].orders,
        chain};
    vec_push(&d->arena, &group->pending, pending);
}

// Executes an instruction. Those that access memory themselves must be declared by held_touches.
static enum issue_result execute(struct warp *warp, const struct code *at, struct held *held)
{
    struct touched_part parts[TOUCHED_PARTS];
    struct touched touched = {.parts = parts};
    while (!at->counted && !at->ends)
        at++;
    warp->touched = &touched;
    enum issue_result result = issue_execute(warp, held);
    warp->touched = NULL;
    if (touched.count && at->step != step_load && at->step != step_store) // of parameters
        fail_msg("instruction %u accesses memory in the dark", at->inst);
    return result;
}

enum turn { TURN_NONE, TURN_DONE, TURN_FAULT, TURN_PLAIN };

// Chains

static void end_chain(struct lane_group *group, uint32_t n)
{
    forming_free(group->forming.v[n]);
    group->forming.v[n] = group->forming.v[--group->forming.n];
}

// Gives up a chain: its loads return to the warp, unless something was captured that reads them.
static void give_up(struct driver *d, struct lane_group *group, uint32_t n)
{
    struct forming *chain = group->forming.v[n];
    struct held *given[CHAIN_MAX];
    uint32_t count = forming_give_up(chain, given);
    d->drive->given_up++;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < group->pending.n; k++)
            if (group->pending.v[k].held == given[i])
                group->pending.v[k].chain = NULL;
        if (!given[i]->left)
            free(given[i]);
    }
    if (!chain->captured)
        end_chain(group, n);
}

static bool has_complete(const struct lane_group *group)
{
    for (uint32_t i = 0; i < group->forming.n; i++)
        if (group->forming.v[i]->complete)
            return true;
    return false;
}

// Computes the complete chains, and gives up those that the warp has left.
static void compute_chains(struct driver *d, struct lane_group *group)
{
    for (uint32_t i = group->forming.n; i-- > 0;) {
        if (!group->warp->live && !group->forming.v[i]->complete)
            give_up(d, group, i);
        else if (group->forming.v[i]->complete &&
                 forming_compute(group->forming.v[i],
                                 draw(d, 2) ? FULL_MASK
                                            : draw(d, UINT32_MAX) | 1u << draw(d, 32))) {
            d->drive->computed++;
            end_chain(group, i);
        }
    }
}

// Returns the chain whose next member the path has reached. Other instances of the chain are given
// up, and sometimes it is too.
static struct forming *find_chain(struct driver *d, struct lane_group *group,
                                  const struct chain_member *member)
{
    const struct path *path = &group->warp->paths.v[group->warp->current];
    for (uint32_t i = group->forming.n; i-- > 0;) {
        struct forming *chain = group->forming.v[i];
        if (chain->chain != member->chain)
            continue;
        if (chain->mask == path->mask && chain->frame == path->frame &&
            chain->next == member->place && draw(d, 16))
            return chain;
        give_up(d, group, i);
    }
    return NULL;
}

static enum turn issue_member(struct driver *d, struct lane_group *group, const struct code *at,
                              const struct chain_member *member)
{
    struct warp *warp = group->warp;
    uint32_t code = (uint32_t)(at - warp->program->codes.v);
    uint32_t frame = warp->paths.v[warp->current].frame;
    uint64_t before = d->drive->given_up;
    struct forming *chain = find_chain(d, group, member);
    if (d->drive->given_up != before)
        return TURN_NONE; // what it waits for has changed
    if (!chain && (member->place || !draw(d, 8)))
        return TURN_PLAIN;
    if (!chain) {
        chain = forming_new(member, warp, &d->slots);
        vec_push(&d->arena, &group->forming, chain);
    }
    struct held *held = new_held(d);
    keep_frames(d, warp);
    if (forming_issue(chain, member, warp, at, held))
        took(d, group, code, frame, held, chain);
    else
        free(held);
    if (d->drive->checked)
        assert_memory_equal(d->before, warp->frames, warp->frame_bytes);
    return TURN_DONE;
}

static enum turn issue(struct driver *d, struct lane_group *group)
{
    struct warp *warp = group->warp;
    uint32_t mask;
    const struct code *at = warp->live && !has_complete(group) ? issue_next(warp, &mask) : NULL;
    if (!at)
        return TURN_NONE;
    uint32_t code = (uint32_t)(at - warp->program->codes.v);
    uint32_t frame = warp->paths.v[warp->current].frame;
    if (!may_issue(d, group, code))
        return TURN_NONE;
    struct chain_member member = chain_member_of(d->drive->chains, warp, at);
    enum turn turn = member.chain ? issue_member(d, group, at, &member) : TURN_PLAIN;
    if (turn != TURN_PLAIN)
        return turn;
    struct held *held = new_held(d);
    keep_frames(d, warp);
    enum issue_result result = execute(warp, at, held);
    if (result == ISSUE_FAULT) {
        free(held);
        return TURN_FAULT;
    }
    compare_frames(d, warp, code, frame, false);
    if (result == ISSUE_HELD)
        took(d, group, code, frame, held, NULL);
    else
        free(held);
    return TURN_DONE;
}

// Lets each warp issue and be served. Returns false after a fault. Sets `stands` if no warp can
// proceed.
static bool round_of_all(struct driver *d, bool *stands)
{
    *stands = true;
    for (uint32_t c = 0; c < d->residents.n; c++) {
        struct resident *resident = &d->residents.v[c];
        for (uint32_t w = 0; w < resident->cta->warp_count; w++) {
            struct lane_group *group = &resident->warps[w];
            uint32_t times = draw(d, 4);
            *stands &= !group->pending.n && !has_complete(group) && times;
            compute_chains(d, group);
            for (; times; times--) {
                enum turn turn = issue(d, group);
                if (turn == TURN_FAULT)
                    return false;
                if (turn == TURN_NONE)
                    break;
                *stands = false;
            }
            uint32_t n = group->pending.n ? draw(d, group->pending.n) : 0;
            if (group->pending.n && group->pending.v[n].time <= d->round && !serve(d, group, n))
                return false;
        }
    }
    return true;
}

static uint64_t progress(const struct driver *d)
{
    uint64_t events = d->next;
    for (uint32_t i = 0; i < d->residents.n; i++)
        events += d->residents.v[i].cta->events;
    return events;
}

static bool relieve(struct driver *d)
{
    bool released = false;
    for (uint32_t i = 0; i < d->residents.n; i++)
        released |= cta_relieve(d->residents.v[i].cta);
    return released;
}

static void free_all(struct driver *d)
{
    for (uint32_t i = 0; i < d->residents.n; i++)
        for (uint32_t w = 0; w < d->residents.v[i].cta->warp_count; w++) {
            struct lane_group *group = &d->residents.v[i].warps[w];
            for (uint32_t k = 0; k < group->pending.n; k++)
                if (!group->pending.v[k].chain)
                    free(group->pending.v[k].held);
            while (group->forming.n)
                end_chain(group, group->forming.n - 1);
        }
    arena_free(&d->arena);
}

static void run_all(struct driver *d)
{
    uint64_t seen = 0, idle = 0, still = 0;
    while (d->launch->cooperative && start_one(d))
        ;
    while (d->residents.n || d->next < d->count) {
        bool stands;
        while (d->residents.n < d->drive->ctas && start_one(d))
            ;
        d->round++;
        if (!round_of_all(d, &stands))
            return;
        bool ended = end_some(d);
        uint64_t now = progress(d);
        idle = now == seen && !ended ? idle + 1 : 0;
        still = stands && !idle ? 0 : stands ? still + 1 : 0;
        seen = now;
        if (idle && (idle % LONG == 0 || still > 8) && !relieve(d) && !start_one(d) &&
            (still > 8 || idle > (uint64_t)GIVE_UP * LONG)) {
            d->result->stuck = true;
            return;
        }
    }
}

void drive_run(void *machine, struct launch *launch, struct arena *arena,
               struct grid_result *result)
{
    struct driver d = {.drive = machine, .launch = launch, .result = result};
    *result = (struct grid_result){0};
    arena_init(&d.arena, arena->memory);
    d.state = d.drive->seed;
    if (grid_begin(launch, &d.arena, &result->fault)) {
        reg_slots_used_build(&d.slots, &d.arena, launch->program);
        d.held_bytes = held_bytes(launch->program);
        d.count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] /
                  grid_cluster_ctas(launch);
        run_all(&d);
    }
    grid_end(launch);
    free_all(&d);
}
