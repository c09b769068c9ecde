// Counts the new lines of a load.
#include "passes/analysis/reuse/reuse_view.h"

enum {
    MAX_OTHERS = 8,      // neighbouring loads that are considered
    MAX_WORK = 64 * 256, // intervals that are merged to evaluate iterations one by one
};

// One iteration, or several similar ones. `back` earlier iterations are remembered.
struct moment {
    uint64_t back;
    struct start start;
};

// Adjacent lanes, the usual case, are added as one interval.
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
        intervals_put(arena, to, begin, end);
        begin = own;
        end = own + bytes;
    }
    intervals_put(arena, to, begin, end);
}

// Returns the bytes of the first warp, relative to its first byte. Cached, because many queries use
// them.
static const struct intervals *first_lanes(const struct view *view, uint32_t bytes)
{
    struct reuses *r = view->r;
    if (r->lanes_bytes != bytes) {
        r->lanes.list.n = 0;
        put_lanes(r->arena, &r->lanes, &view->lanes, 0, bytes);
        r->lanes_bytes = bytes;
    }
    return &r->lanes;
}

void view_put_warp(const struct view *view, struct intervals *to, uint32_t warp, uint32_t bytes)
{
    struct reuses *r = view->r;
    int64_t at = view->at[warp];
    if (!view->lanes_known) {
        intervals_put(r->arena, to, 0, bytes);
        return;
    }
    if (warp && !view->lanes.same_in_all_warps) {
        uint32_t block = r->fn->insts.v[view->member->inst].block;
        struct affine_lanes lanes = affine_lanes(r->affines, &view->address, block, warp);
        put_lanes(r->arena, to, &lanes, at, bytes);
        return;
    }
    const struct intervals *first = first_lanes(view, bytes);
    for (uint32_t i = 0; i < first->list.n; i++)
        intervals_put(r->arena, to, first->list.v[i].begin + at, first->list.v[i].end + at);
}

// Returns true if earlier iterations of a load of the group count.
static bool comes_back(const struct view *view, const struct reuse_member *other, unsigned of,
                       uint64_t back)
{
    return view->in_loop && back && (other == view->member ? of & OF_LOOP : of & OF_OTHERS);
}

static bool is_before(const struct view *view, const struct reuse_member *other, unsigned of)
{
    return other < view->member && of & OF_OTHERS;
}

// Adds the bytes that a load of the group touched before: in the earlier iterations for which a
// line stays, and in this one if it precedes the load. Bytes between two iterations are in lines
// that the iterations touch: with more than one iteration, a line is at least as long as a step.
static void put_member(const struct view *view, struct intervals *to,
                       const struct reuse_member *other, unsigned of, uint64_t back)
{
    const struct intervals *touched = &view->r->touched;
    int64_t apart = other->constant - view->member->constant, step = view->step;
    bool loops = comes_back(view, other, of, back), before = is_before(view, other, of);
    int64_t first = loops ? step * (int64_t)back : 0;
    for (uint32_t i = 0; i < touched->list.n; i++) {
        int64_t begin = touched->list.v[i].begin + apart, end = touched->list.v[i].end + apart;
        if (before)
            intervals_put(view->r->arena, to, begin, end);
        if (loops)
            intervals_put(view->r->arena, to, begin - (step > 0 ? first : step),
                          end - (step > 0 ? step : first));
    }
}

bool view_precedes(const struct view *view, const struct reuse_member *other)
{
    const struct ir_function *fn = view->r->fn;
    uint32_t own = fn->insts.v[view->member->inst].block, its = fn->insts.v[other->inst].block;
    if (other < view->member)
        return ir_dominates(fn, its, own);
    return view->in_loop &&
           (its == own || ir_dominates(fn, its, fn->loops.v[view->group->loop].latch));
}

uint32_t view_others(const struct view *view, uint32_t *count)
{
    const struct reuse_group *group = view->group;
    uint32_t place = (uint32_t)(view->member - group->members.v);
    uint32_t from = place > MAX_OTHERS ? place - MAX_OTHERS : 0;
    *count = group->members.n - from < 2 * MAX_OTHERS ? group->members.n - from : 2 * MAX_OTHERS;
    return from;
}

static bool is_counted(const struct view *view, const struct reuse_member *other, unsigned of)
{
    if (other == view->member)
        return true;
    return of & OF_OTHERS && (!view->only || view->only == other) && view_precedes(view, other);
}

static void put_earlier(const struct view *view, struct intervals *to, struct warps warps,
                        unsigned of, uint64_t back)
{
    uint32_t count, from = view_others(view, &count);
    struct intervals *touched = &view->r->touched;
    uint32_t bytes = 0; // per lane, of the accesses in `touched`
    for (uint32_t i = from; i < from + count; i++) {
        const struct reuse_member *other = &view->group->members.v[i];
        bool touches = comes_back(view, other, of, back) || is_before(view, other, of);
        if (!touches || !is_counted(view, other, of))
            continue;
        if (bytes != other->bytes) {
            touched->list.n = 0;
            for (uint32_t w = 0; w < warps.count; w++)
                view_put_warp(view, touched, warps.first + w, other->bytes);
            intervals_merge(view->r->arena, touched);
            bytes = other->bytes;
        }
        put_member(view, to, other, of, back);
    }
    intervals_merge(view->r->arena, to);
}

// Counts the lines that these warps touch together, and the new ones. Earlier accesses of other
// warps do not count.
static struct counts count_moment(const struct view *view, struct warps warps, unsigned of,
                                  struct moment moment)
{
    struct intervals *earlier = &view->r->earlier, *own = &view->r->own, *all = &view->r->all;
    struct counts counts = {0};
    earlier->list.n = all->list.n = 0;
    put_earlier(view, earlier, warps, of, moment.back);
    for (uint32_t i = 0; i < earlier->list.n; i++)
        intervals_put(view->r->arena, all, earlier->list.v[i].begin, earlier->list.v[i].end);
    for (uint32_t w = 0; w < warps.count; w++) {
        own->list.n = 0;
        view_put_warp(view, own, warps.first + w, view->member->bytes);
        for (uint32_t i = 0; i < own->list.n; i++)
            intervals_put(view->r->arena, all, own->list.v[i].begin, own->list.v[i].end);
        intervals_merge(view->r->arena, own);
        counts.total += intervals_lines(own, &moment.start);
    }
    intervals_merge(view->r->arena, all);
    counts.fresh = intervals_lines(all, &moment.start) - intervals_lines(earlier, &moment.start);
    return counts;
}

static void add_moment(const struct view *view, struct counts *to, struct warps warps, unsigned of,
                       struct moment moment, uint64_t times)
{
    struct counts counts = count_moment(view, warps, of, moment);
    to->fresh += counts.fresh * times;
    to->total += counts.total * times;
}

static struct moment moment_at(const struct view *view, uint64_t round)
{
    struct moment moment = {round < view->reach ? round : view->reach, view->start};
    moment.start.value += (uint64_t)view->step * round;
    return moment;
}

// Returns the moment that represents all later iterations. Their places in a line are equally
// frequent.
static struct moment far_moment(const struct view *view)
{
    struct moment far = {view->reach, view->start};
    if (view->rounds && view->rounds <= far.back)
        far.back = view->rounds - 1;
    while (view->rounds && far.start.granule > 1 && (uint64_t)view->step % far.start.granule)
        far.start.granule /= 2;
    return far;
}

static uint64_t work_of(const struct view *view, uint64_t moments)
{
    uint32_t count;
    view_others(view, &count);
    return moments * count * view->warps * view->pieces;
}

// Once a line no longer stays from the first iteration on, new lines depend only on the place of
// byte 0: over one period of places, each place counts once. If evaluating all earlier iterations
// takes too long, the first one and a mean are evaluated.
struct counts view_lines(const struct view *view, struct warps warps, unsigned of)
{
    struct counts counts = {0};
    uint64_t rounds = view->rounds, alone = rounds < view->reach ? rounds : view->reach;
    struct moment far = far_moment(view);
    uint64_t period = view->start.granule / far.start.granule, times = period;
    if (!rounds) {
        add_moment(view, &counts, warps, of, far, 1);
        return counts;
    }
    alone += (rounds - alone) % period;
    if (work_of(view, alone) > MAX_WORK)
        alone = 1;
    else
        times = 1;
    for (uint64_t round = 0; round < alone; round++)
        add_moment(view, &counts, warps, of, moment_at(view, round), times);
    if (alone < rounds)
        add_moment(view, &counts, warps, of, far, (rounds - alone) * times / period);
    return counts;
}

// Returns true if the warp touches the same bytes as the previous one, whole lines further on.
static bool is_like_the_last(const struct view *view, uint32_t warp)
{
    return view->lanes.same_in_all_warps && (view->at[warp] - view->at[warp - 1]) % LINE_BYTES == 0;
}

uint64_t view_fresh(const struct view *view, unsigned of)
{
    uint64_t fresh = 0, last = 0;
    for (uint32_t w = 0; w < view->warps; w++) {
        if (!w || !is_like_the_last(view, w))
            last = view_lines(view, (struct warps){w, 1}, of).fresh;
        fresh += last;
    }
    return fresh;
}
