#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/warp/steps.h"
#include <string.h>

struct cta *cta_new(struct arena *arena, const struct launch *launch, struct profile *profile,
                    struct fault *fault)
{
    struct cta *cta = ARENA_NEW(arena, struct cta);
    cta->launch = launch;
    cta->fault = fault;
    cta->cluster = (struct cluster){1, {cta}}; // until the caller sets another cluster
    cta->threads = launch->block[0] * launch->block[1] * launch->block[2];
    cta->warp_count = divide_up(cta->threads, LANES);
    cta->warps = aligned_lanes(arena, cta->warp_count * sizeof(struct warp));
    cta->shared_bytes = launch->shared_bytes;
    cta->shared = aligned_lanes(arena, cta->shared_bytes);
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct warp *warp = &cta->warps[i];
        warp->program = launch->program;
        warp->cta = cta;
        warp->paths.v = &warp->first_path;
        warp->paths.capacity = 1;
        warp->index = i;
        warp->first = i * LANES;
        warp->arena = arena;
        warp->ops = launch->program->lanes->memory;
        warp->fault = fault;
        warp->check = launch->check;
        warp->profile = profile;
        warp->bases[BASE_WARP] = aligned_lanes(arena, launch->program->warp_bytes);
        warp->bases[BASE_LAUNCH] = launch->values;
        warp->bases[BASE_PROGRAM] = launch->program->constants.v;
        special_fill_warp(warp);
    }
    return cta;
}

void cta_start(struct cta *cta, uint32_t linear)
{
    const struct launch *launch = cta->launch;
    cta->linear = linear;
    cta->place[0] = linear % launch->grid[0];
    cta->place[1] = linear / launch->grid[0] % launch->grid[1];
    cta->place[2] = linear / launch->grid[0] / launch->grid[1];
    uint32_t at[3];
    for (uint32_t i = 0; i < 3; i++)
        at[i] = cta->place[i] % launch->cluster[i];
    cta->rank = at[0] + launch->cluster[0] * (at[1] + launch->cluster[1] * at[2]);
    memset(cta->shared, 0, cta->shared_bytes);
    barrier_clear(cta);
    cta->opened = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        uint32_t left = cta->threads - i * LANES;
        warp_start(&cta->warps[i], launch->function, left < LANES ? (1u << left) - 1 : FULL_MASK);
        special_fill_cta(&cta->warps[i]);
    }
    if (launch->check)
        check_start(launch->check, cta);
}

// Runs every warp once, until it waits, ends or has used up its budget.
static enum warp_state run_once(struct cta *cta, int64_t budget)
{
    uint32_t done = 0, waiting = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct warp *warp = &cta->warps[i];
        if (!warp->live) {
            done++;
            continue;
        }
        warp->budget = budget;
        enum warp_state state = warp_run(warp);
        if (state == WARP_FAULT)
            return WARP_FAULT;
        done += state == WARP_DONE;
        waiting += state == WARP_WAITS;
    }
    if (done == cta->warp_count)
        return WARP_DONE;
    return done + waiting == cta->warp_count ? WARP_WAITS : WARP_YIELDS;
}

enum { PASSES = 256 };

// Called if there has been no progress for some time. Lanes that wait at a barrier may delay others
// at their reconvergence point, and the barrier may wait for these, or they may end.
static bool relieve(struct cta *cta, enum warp_state state)
{
    const struct launch *launch = cta->launch;
    bool released = false;
    if (state == WARP_YIELDS && !launch->program->functions.v[launch->function].ordered)
        return false; // does not depend on other threads, so it will end
    for (uint32_t i = 0; i < cta->warp_count; i++)
        released |= warp_relieve_barriers(&cta->warps[i]);
    return released;
}

bool cta_relieve(struct cta *cta)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        goes_on |= cta->warps[i].live && warp_next_ready(&cta->warps[i]) != IR_NONE;
    return relieve(cta, goes_on ? WARP_YIELDS : WARP_WAITS);
}

enum warp_state cta_run(struct cta *cta, int64_t budget)
{
    enum warp_state state = WARP_YIELDS;
    for (uint32_t i = 0; i < PASSES; i++) {
        uint64_t seen = cta->events;
        state = run_once(cta, budget);
        if (state != WARP_WAITS && state != WARP_YIELDS)
            return state;
        bool released = cta->events == seen && relieve(cta, state);
        if (state == WARP_YIELDS || (cta->events == seen && !released))
            return state;
    }
    return WARP_YIELDS; // a loop of barriers; other CTAs may have to make progress first
}

void lane_coordinates(const struct warp *warp, uint32_t lane, uint32_t cta[3], uint32_t thread[3])
{
    const struct launch *launch = warp->cta->launch;
    uint32_t linear = warp->first + lane;
    memcpy(cta, warp->cta->place, sizeof warp->cta->place);
    thread[0] = linear % launch->block[0];
    thread[1] = linear / launch->block[0] % launch->block[1];
    thread[2] = linear / launch->block[0] / launch->block[1];
}

void cta_lanes_ended(struct warp *warp)
{
    warp->cta->events++;
    barrier_check(warp->cta);
    cluster_barrier_check(warp->cta);
}
