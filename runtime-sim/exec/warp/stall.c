// No additional state is maintained during a launch: the positions of paths and the last access of
// a warp are part of the state.
#include "runtime-sim/exec/warp/stall.h"
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/memory/mbarrier.h"
#include <string.h>

static struct code_position position_at(const struct warp *warp, uint32_t function, uint32_t pc)
{
    return (struct code_position){function, warp->program->codes.v[pc].inst};
}

// Lanes that have reached the end of the kernel wait at no instruction.
static bool has_position(const struct warp *warp, const struct reconvergence *reconvergence)
{
    return reconvergence->pc < warp->program->codes.n;
}

// A path that waits at a barrier is already at the next instruction.
static struct code_position path_position(const struct warp *warp, const struct path *path)
{
    return position_at(warp, path->function, path->pc - (path->state == PATH_BARRIER));
}

// Returns the place of some of the lanes.
static struct code_position lanes_position(const struct warp *warp, uint32_t lanes)
{
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        const struct path *path = &warp->paths.v[i];
        if (path->state != PATH_DONE && path->mask & lanes)
            return path_position(warp, path);
    }
    for (uint32_t i = 0; i < warp->reconvergences.n; i++) {
        const struct reconvergence *reconvergence = &warp->reconvergences.v[i];
        if (reconvergence->expected && reconvergence->arrived & lanes &&
            has_position(warp, reconvergence))
            return position_at(warp, reconvergence->function, reconvergence->pc);
    }
    return (struct code_position){0};
}

static void add_missing(struct stall *stall, const struct warp *warp, uint32_t lanes)
{
    uint32_t n = stall->missing_count++;
    if (n >= STALL_MISSING)
        return;
    struct stall_missing *missing = &stall->missing[n];
    *missing = (struct stall_missing){.warp = warp->index, .lanes = lanes, .ended = !warp->live};
    memcpy(missing->cta, warp->cta->place, sizeof missing->cta);
    if (warp->live)
        missing->at = lanes_position(warp, lanes);
}

// Counts arrivals. Ended threads are not waited for, unless the barrier counts threads.
static void look_at_barrier(struct stall *stall, const struct cta *cta)
{
    const struct barrier *barrier = &cta->barriers[stall->number];
    stall->threads = barrier->expected;
    stall->expected = barrier->expected;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        const struct warp *warp = &cta->warps[i];
        uint32_t come = barrier->arrived[i], missing = warp->live & ~come;
        stall->come += stall->threads ? (uint32_t)__builtin_popcount(come) : come && !missing;
        stall->expected += !stall->threads && warp->live;
        stall->ended |= (uint64_t)!warp->live << i;
        if (missing || (stall->threads && !warp->live && !come))
            add_missing(stall, warp, missing);
    }
}

static void look_at_cluster(struct stall *stall, const struct cluster *cluster)
{
    for (uint32_t c = 0; c < cluster->count; c++)
        for (uint32_t i = 0; i < cluster->ctas[c]->warp_count; i++) {
            const struct warp *warp = &cluster->ctas[c]->warps[i];
            uint32_t missing = warp->live & ~warp->cluster_arrived;
            stall->expected += warp->live != 0;
            stall->come += warp->live && !missing;
            if (missing)
                add_missing(stall, warp, missing);
        }
}

// Loops

static bool find_loop(struct stall *stall, const struct warp *warp)
{
    const struct program *program = warp->program;
    const struct ir_function *fn =
        &program->module->functions.v[program->functions.v[stall->at.function].function];
    uint32_t loop = fn->blocks.v[fn->insts.v[stall->at.inst].block].loop;
    if (loop == IR_NONE)
        return false;
    stall->first = UINT32_MAX;
    IR_LOOP_EACH (number, fn, loop) {
        const struct ir_block *block = &fn->blocks.v[number];
        if (block->first == block->end)
            continue;
        if (block->first < stall->first)
            stall->first = block->first;
        if (block->end - 1 > stall->last)
            stall->last = block->end - 1;
    }
    return true;
}

static void settle(struct stall *stall, const struct cta *cta)
{
    uint64_t own = stall->address - SHARED_WINDOW - cta->rank * SHARED_STRIDE;
    if (stall->space == W_shared || stall->space == W_global || stall->space == W_local)
        return;
    stall->space = W_global;
    if (own < SHARED_STRIDE) {
        stall->space = W_shared;
        stall->address = own;
    }
}

static void look_at_mbarrier(struct stall *stall, const struct cta *cta)
{
    if (stall->space != W_shared || stall->address + 8 > cta->shared_bytes)
        return;
    mbarrier_look(cta->shared + stall->address, &stall->come, &stall->expected, &stall->bytes);
}

// In cooperative_groups each CTA adds 1, except that the first one adds a number such that the
// highest bit changes when the last one arrives.
static void look_at_grid(struct stall *stall, const struct launch *launch)
{
    uint32_t ctas = launch->grid[0] * launch->grid[1] * launch->grid[2], count;
    const uint8_t *at = image_at(launch->image, launch->workspace + 4, 4, &(uint32_t){0});
    memcpy(&count, at, sizeof count);
    count &= INT32_MAX;
    stall->expected = ctas;
    stall->come = count < ctas ? count : count + ctas - (UINT32_C(1) << 31);
}

// Describes the last access of the loop.
static void look_at_access(struct stall *stall, struct warp *warp, const struct path *path)
{
    const struct access *access = &warp->access;
    uint32_t lanes = access->mask & path->mask;
    const struct launch *launch = warp->cta->launch;
    if (!access->code || access->function != path->function || !lanes ||
        access->code->inst < stall->first || access->code->inst > stall->last)
        return;
    stall->has_address = true;
    stall->space = access->memory->space;
    stall->address = access->address[__builtin_ctz(lanes)];
    settle(stall, warp->cta);
    access_describe(warp, stall->space, stall->address, stall->nearest, sizeof stall->nearest);
    if (access->code->step == step_mbarrier) {
        stall->kind = STALL_MBARRIER;
        look_at_mbarrier(stall, warp->cta);
    } else if (launch->workspace && stall->address - launch->workspace < 8) {
        stall->kind = STALL_GRID;
        look_at_grid(stall, launch);
    }
}

// Paths

static void look_at_path(struct stall *stall, struct warp *warp, const struct path *path)
{
    stall->lanes = path->mask;
    stall->at = path_position(warp, path);
    stall->first = stall->last = stall->at.inst;
    if (path->state == PATH_LANES) {
        stall->kind = STALL_LANES;
    } else if (path->state != PATH_BARRIER) {
        stall->kind = STALL_LOOP;
        if (find_loop(stall, warp))
            look_at_access(stall, warp, path);
    } else if (path->wait == CLUSTER_WAIT) {
        stall->kind = STALL_CLUSTER;
        look_at_cluster(stall, &warp->cta->cluster);
    } else {
        stall->kind = STALL_BARRIER;
        stall->number = path->wait;
        look_at_barrier(stall, warp->cta);
    }
}

// Returns true for paths at the same instruction or, if they spin, in the same loop.
static bool is_alike(const struct stall *a, const struct stall *b)
{
    return a->kind == b->kind && a->at.function == b->at.function && a->first == b->first &&
           a->last == b->last && a->number == b->number;
}

static void add(struct stalls *stalls, const struct stall *made, uint32_t cta)
{
    for (uint32_t i = 0; i < stalls->count; i++) {
        struct stall *stall = &stalls->list[i];
        if (!is_alike(stall, made))
            continue;
        stall->warps++;
        stall->ctas += stall->last_cta != cta;
        stall->last_cta = cta;
        return;
    }
    if (stalls->count == STALLS) {
        stalls->others++;
        return;
    }
    stalls->list[stalls->count] = *made;
    stalls->list[stalls->count].warps = stalls->list[stalls->count].ctas = 1;
    stalls->list[stalls->count++].last_cta = cta;
}

static void look_at_warp(struct stalls *stalls, struct warp *warp)
{
    struct stall one = {.warp = warp->index};
    memcpy(one.cta, warp->cta->place, sizeof one.cta);
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        const struct path *path = &warp->paths.v[i];
        if (path->state == PATH_DONE)
            continue;
        struct stall stall = one;
        look_at_path(&stall, warp, path);
        if (path->state == PATH_LANES)
            add_missing(&stall, warp, warp->live & ~path->mask);
        add(stalls, &stall, warp->cta->linear);
    }
    for (uint32_t i = 0; i < warp->reconvergences.n; i++) {
        const struct reconvergence *reconvergence = &warp->reconvergences.v[i];
        if (!reconvergence->expected || !reconvergence->arrived ||
            !has_position(warp, reconvergence))
            continue;
        struct stall stall = one;
        stall.kind = STALL_RECONVERGENCE;
        stall.at = position_at(warp, reconvergence->function, reconvergence->pc);
        stall.first = stall.last = stall.at.inst;
        stall.lanes = reconvergence->arrived;
        add_missing(&stall, warp, reconvergence->expected & ~reconvergence->arrived);
        add(stalls, &stall, warp->cta->linear);
    }
}

void stall_look(struct stalls *stalls, struct cta *const *ctas, uint32_t count)
{
    *stalls = (struct stalls){.there = count};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ctas[i]->warp_count; k++)
            if (ctas[i]->warps[k].live)
                look_at_warp(stalls, &ctas[i]->warps[k]);
}
