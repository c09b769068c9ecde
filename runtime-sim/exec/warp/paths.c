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
               uint32_t join)
{
    struct path path = *from; // `from` may move
    path.pc = pc;
    path.mask = mask;
    path.join = join;
    path.state = PATH_READY;
    uint32_t index = free_path(warp);
    warp->paths.v[index] = path;
}

uint32_t warp_new_join(struct warp *warp, const struct path *from, uint32_t pc, uint32_t mask)
{
    struct join join = {.pc = pc,
                        .expected = mask,
                        .parent = from->join,
                        .frame = from->frame,
                        .local = from->local,
                        .local_end = from->local_end,
                        .function = from->function};
    for (uint32_t i = 0; i < warp->joins.n; i++) {
        if (warp->joins.v[i].expected)
            continue;
        warp->joins.v[i] = join;
        return i;
    }
    vec_push(warp->arena, &warp->joins, join);
    return warp->joins.n - 1;
}

// Lets the lanes that have arrived continue together.
static void release(struct warp *warp, uint32_t index)
{
    struct join *join = &warp->joins.v[index];
    struct path path = {.frame = join->frame,
                        .local = join->local,
                        .local_end = join->local_end,
                        .function = join->function};
    uint32_t mask = join->arrived;
    join->expected &= ~mask;
    join->arrived = 0;
    warp_fork(warp, &path, join->pc, mask, join->parent);
}

static void complete(struct warp *warp, uint32_t index)
{
    struct join *join = &warp->joins.v[index];
    if (join->arrived && join->arrived == join->expected)
        release(warp, index);
}

// Removes lanes that continue elsewhere, or end, from the expected lanes of the joins from `join`
// up to and without `until`.
void warp_leave_joins(struct warp *warp, uint32_t join, uint32_t until, uint32_t mask)
{
    while (join != until) {
        uint32_t parent = warp->joins.v[join].parent;
        warp->joins.v[join].expected &= ~mask;
        complete(warp, join);
        join = parent;
    }
}

static enum step_result take_lanes(struct warp *warp, struct path *path, uint32_t mask)
{
    path->mask &= ~mask;
    if (!path->mask)
        path->state = PATH_DONE;
    (void)warp;
    return path->mask ? STEP_NEXT : STEP_LEAVE;
}

void warp_arrive(struct warp *warp, uint32_t join, uint32_t mask)
{
    warp->joins.v[join].arrived |= mask;
    complete(warp, join);
}

enum step_result step_join(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    (void)code;
    (void)mask;
    uint32_t index = path->join;
    if (index == IR_NONE)
        return STEP_NEXT;
    const struct join *join = &warp->joins.v[index];
    if (join->call || join->pc != path->pc + 1 || join->frame != path->frame)
        return STEP_NEXT;
    if (path->mask == join->expected) { // all expected lanes have arrived
        path->join = join->parent;
        warp->joins.v[index].expected = 0;
        return STEP_NEXT;
    }
    uint32_t lanes = path->mask;
    enum step_result result = take_lanes(warp, path, lanes);
    warp_arrive(warp, index, lanes);
    return result;
}

void warp_relieve(struct warp *warp, const struct path *path)
{
    if (!warp->program->functions.v[path->function].ordered)
        return;
    for (uint32_t i = path->join; i != IR_NONE;) {
        uint32_t parent = warp->joins.v[i].parent;
        if (warp->joins.v[i].arrived)
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
    for (uint32_t i = 0; i < warp->joins.n; i++) {
        if (!warp->joins.v[i].expected || !warp->joins.v[i].arrived)
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

static uint32_t join_for(struct warp *warp, const struct path *path, uint32_t at)
{
    if (at == IR_NONE)
        return path->join;
    if (path->join != IR_NONE) {
        const struct join *join = &warp->joins.v[path->join];
        if (!join->call && join->pc == at + 1 && join->frame == path->frame)
            return path->join;
    }
    return warp_new_join(warp, path, at + 1, path->mask);
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
        uint32_t join = join_for(warp, path, branch->join);
        path = &warp->paths.v[index];
        bool first = falls_through_first(warp, path->mask, mask);
        path->join = join;
        warp_fork(warp, path, first ? target : path->pc + 1, first ? mask : others, join);
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
    const uint32_t *index = warp_slot(warp, code->s[0]);
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
        uint32_t join = join_for(warp, path, branch->join);
        warp->paths.v[self].join = join;
        rest = all & ~same; // they execute it again, each time with one target less
        warp_uncount(warp, mask & ~same);
        warp_fork(warp, &warp->paths.v[self], warp->paths.v[self].pc, rest, join);
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
    take_lanes(warp, path, mask);
    warp_end_lanes(warp, warp->current, mask);
    cta_lanes_ended(warp);
}

void warp_end_lanes(struct warp *warp, uint32_t index, uint32_t mask)
{
    warp->live &= ~mask;
    uint32_t join = warp->paths.v[index].join;
    warp_leave_joins(warp, join, IR_NONE, mask);
    meet_again(warp);
}

enum step_result step_exit(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    (void)code;
    if (!mask)
        return STEP_NEXT;
    uint32_t index = warp->current;
    enum step_result result = take_lanes(warp, path, mask);
    warp_end_lanes(warp, index, mask);
    cta_lanes_ended(warp);
    return result;
}
