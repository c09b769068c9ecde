// Divergence of lanes at branches, and reconvergence at joins.
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/meet.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/warp/warp.h"

static uint32_t free_path(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->paths.n; i++)
        if (warp->paths.v[i].state == PATH_DONE)
            return i;
    vec_push(warp->arena, &warp->paths, (struct path){.state = PATH_DONE});
    return warp->paths.n - 1;
}

void warp_fork(struct warp *warp, const struct path *from, uint32_t pc, uint32_t mask,
               uint32_t reconvergence)
{
    struct path path = *from; // `from` may move
    path.pc = pc;
    path.mask = mask;
    path.reconvergence = reconvergence;
    path.state = PATH_READY;
    uint32_t index = free_path(warp);
    warp->paths.v[index] = path;
}

uint32_t warp_new_reconvergence(struct warp *warp, const struct path *from, uint32_t pc,
                                uint32_t mask)
{
    struct reconvergence reconvergence = {.pc = pc,
                                          .expected = mask,
                                          .parent = from->reconvergence,
                                          .frame = from->frame,
                                          .local = from->local,
                                          .local_end = from->local_end,
                                          .function = from->function};
    for (uint32_t i = 0; i < warp->reconvergences.n; i++) {
        if (warp->reconvergences.v[i].expected)
            continue;
        warp->reconvergences.v[i] = reconvergence;
        return i;
    }
    vec_push(warp->arena, &warp->reconvergences, reconvergence);
    return warp->reconvergences.n - 1;
}

// Lets the lanes that have arrived continue together.
static void release(struct warp *warp, uint32_t index)
{
    struct reconvergence *reconvergence = &warp->reconvergences.v[index];
    struct path path = {.frame = reconvergence->frame,
                        .local = reconvergence->local,
                        .local_end = reconvergence->local_end,
                        .function = reconvergence->function};
    uint32_t mask = reconvergence->arrived;
    reconvergence->expected &= ~mask;
    reconvergence->arrived = 0;
    warp_fork(warp, &path, reconvergence->pc, mask, reconvergence->parent);
}

static void complete(struct warp *warp, uint32_t index)
{
    struct reconvergence *reconvergence = &warp->reconvergences.v[index];
    if (reconvergence->arrived && reconvergence->arrived == reconvergence->expected)
        release(warp, index);
}

// Removes lanes that continue elsewhere, or end, from the expected lanes of the joins from
// `reconvergence` up to and without `until`.
void warp_leave_reconvergences(struct warp *warp, uint32_t reconvergence, uint32_t until,
                               uint32_t mask)
{
    while (reconvergence != until) {
        uint32_t parent = warp->reconvergences.v[reconvergence].parent;
        warp->reconvergences.v[reconvergence].expected &= ~mask;
        complete(warp, reconvergence);
        reconvergence = parent;
    }
}

static enum step_result remove_lanes(struct warp *warp, struct path *path, uint32_t mask)
{
    path->mask &= ~mask;
    if (!path->mask)
        path->state = PATH_DONE;
    (void)warp;
    return path->mask ? STEP_NEXT : STEP_LEAVE;
}

void warp_arrive(struct warp *warp, uint32_t reconvergence, uint32_t mask)
{
    warp->reconvergences.v[reconvergence].arrived |= mask;
    complete(warp, reconvergence);
}

enum step_result step_reconverge(struct warp *warp, struct path *path, const struct code *code,
                                 uint32_t mask)
{
    (void)code;
    (void)mask;
    uint32_t index = path->reconvergence;
    if (index == IR_NONE)
        return STEP_NEXT;
    const struct reconvergence *reconvergence = &warp->reconvergences.v[index];
    if (reconvergence->call || reconvergence->pc != path->pc + 1 ||
        reconvergence->frame != path->frame)
        return STEP_NEXT;
    if (path->mask == reconvergence->expected) { // all expected lanes have arrived
        path->reconvergence = reconvergence->parent;
        warp->reconvergences.v[index].expected = 0;
        return STEP_NEXT;
    }
    uint32_t lanes = path->mask;
    enum step_result result = remove_lanes(warp, path, lanes);
    warp_arrive(warp, index, lanes);
    return result;
}

void warp_relieve(struct warp *warp, const struct path *path)
{
    if (!warp->program->functions.v[path->function].ordered)
        return;
    for (uint32_t i = path->reconvergence; i != IR_NONE;) {
        uint32_t parent = warp->reconvergences.v[i].parent;
        if (warp->reconvergences.v[i].arrived)
            release(warp, i); // may move paths
        i = parent;
    }
}

static bool some_path(const struct warp *warp, enum path_state state)
{
    for (uint32_t i = 0; i < warp->paths.n; i++)
        if (warp->paths.v[i].state == state)
            return true;
    return false;
}

static bool release_all(struct warp *warp)
{
    bool released = false;
    for (uint32_t i = 0; i < warp->reconvergences.n; i++) {
        if (!warp->reconvergences.v[i].expected || !warp->reconvergences.v[i].arrived)
            continue;
        release(warp, i);
        released = true;
    }
    return released;
}

bool warp_relieve_all(struct warp *warp)
{
    return some_path(warp, PATH_LANES) && release_all(warp);
}

bool warp_relieve_barriers(struct warp *warp)
{
    return some_path(warp, PATH_BARRIER) && release_all(warp);
}

// Jumps backward. Lanes that wait for each other must all get their turn.
static enum step_result turn_back(struct warp *warp, struct path *path, uint32_t target)
{
    path->pc = target;
    if (--warp->budget > 0)
        return STEP_JUMP;
    warp_relieve(warp, path);
    return STEP_LEAVE;
}

static uint32_t reconvergence_for(struct warp *warp, const struct path *path, uint32_t at)
{
    if (at == IR_NONE)
        return path->reconvergence;
    if (path->reconvergence != IR_NONE) {
        const struct reconvergence *reconvergence = &warp->reconvergences.v[path->reconvergence];
        if (!reconvergence->call && reconvergence->pc == at + 1 &&
            reconvergence->frame == path->frame)
            return path->reconvergence;
    }
    return warp_new_reconvergence(warp, path, at + 1, path->mask);
}

// Returns true if the lanes that do not branch continue first.
static bool falls_through_first(const struct warp *warp, uint32_t all, uint32_t mask)
{
    return warp->cta->launch->high_lane_later && mask > (all & ~mask);
}

enum step_result step_branch(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask)
{
    const struct branch *branch = code->extra;
    uint32_t target = branch->targets[0];
    if (!mask)
        return STEP_NEXT;
    if (mask != path->mask) {
        uint32_t others = path->mask & ~mask, index = warp->current;
        uint32_t reconvergence = reconvergence_for(warp, path, branch->reconvergence);
        path = &warp->paths.v[index];
        bool first = falls_through_first(warp, path->mask, mask);
        path->reconvergence = reconvergence;
        warp_fork(warp, path, first ? target : path->pc + 1, first ? mask : others, reconvergence);
        path = &warp->paths.v[index];
        path->mask = first ? others : mask;
        if (first) {
            path->pc++;
            return STEP_JUMP;
        }
    }
    if (branch->backward)
        return turn_back(warp, path, target);
    path->pc = target;
    return STEP_JUMP;
}

enum step_result step_branch_indexed(struct warp *warp, struct path *path, const struct code *code,
                                     uint32_t mask)
{
    const struct branch *branch = code->extra;
    const uint32_t *index = warp_register_lanes(warp, code->s[0]);
    uint32_t self = warp->current, rest = mask, all = path->mask;
    uint32_t first = index[__builtin_ctz(mask ? mask : 1)];
    if (!mask)
        return STEP_NEXT;
    uint32_t same = 0;
    for (uint32_t i = 0; i < LANES; i++)
        same |= (uint32_t)(index[i] == first) << i;
    same &= mask;
    if (first >= branch->count)
        return warp_fault(warp, code, same, "branch to entry %u of a list of %u targets", first,
                          branch->count);
    if (same != all) {
        uint32_t reconvergence = reconvergence_for(warp, path, branch->reconvergence);
        warp->paths.v[self].reconvergence = reconvergence;
        rest = all & ~same; // they execute it again, each time with one target less
        warp_uncount(warp, mask & ~same);
        warp_fork(warp, &warp->paths.v[self], warp->paths.v[self].pc, rest, reconvergence);
        path = &warp->paths.v[self];
        path->mask = same;
    }
    if (branch->backward)
        return turn_back(warp, path, branch->targets[first]);
    path->pc = branch->targets[first];
    return STEP_JUMP;
}

void warp_reach_end(struct warp *warp)
{
    struct path *path = &warp->paths.v[warp->current];
    uint32_t mask = path->mask;
    warp->reached |= mask;
    remove_lanes(warp, path, mask);
    warp_end_lanes(warp, warp->current, mask);
    cta_lanes_ended(warp);
}

void warp_end_lanes(struct warp *warp, uint32_t index, uint32_t mask)
{
    warp->live &= ~mask;
    uint32_t reconvergence = warp->paths.v[index].reconvergence;
    warp_leave_reconvergences(warp, reconvergence, IR_NONE, mask);
    warp_sync_again(warp);
}

enum step_result step_exit(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    (void)code;
    if (!mask)
        return STEP_NEXT;
    uint32_t index = warp->current;
    enum step_result result = remove_lanes(warp, path, mask);
    warp_end_lanes(warp, index, mask);
    cta_lanes_ended(warp);
    return result;
}
