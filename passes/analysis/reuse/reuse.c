#include "passes/analysis/reuse/reuse_view.h"

static struct reuse reuse_new(const struct view *view)
{
    return (struct reuse){.kind = REUSE_NONE,
                          .miss = {1, 1},
                          .lines = 1,
                          .warps = view->warps,
                          .others = view->others,
                          .step = view->step,
                          .loop = view->group->loop};
}

// Local memory: each word of a warp is a line of its own.
static struct reuse reuse_local(const struct view *view)
{
    struct reuse reuse = reuse_new(view);
    if (view->in_loop && !view->step && view->rounds != 1) {
        reuse.kind = REUSE_SAME;
        reuse.lines = view->rounds ? view->rounds : 1;
        reuse.served[CAUSE_LOOP] = view->rounds ? reuse.lines - 1 : 1;
        reuse.miss = ratio_of(reuse.lines - reuse.served[CAUSE_LOOP], reuse.lines);
    }
    return reuse;
}

static void shorten(struct reuse *reuse)
{
    uint64_t divisor = reuse->lines;
    for (int i = 0; i < REUSE_CAUSES; i++)
        divisor = common_divisor(divisor, reuse->served[i]);
    reuse->lines /= divisor;
    for (int i = 0; i < REUSE_CAUSES; i++)
        reuse->served[i] /= divisor;
}

static enum reuse_kind kind_of(const struct reuse *reuse)
{
    static const enum reuse_kind kinds[REUSE_CAUSES] = {REUSE_LOOP, REUSE_OTHER, REUSE_WARPS};
    int max = 0;
    for (int i = 1; i < REUSE_CAUSES; i++)
        if (reuse->served[i] > reuse->served[max])
            max = i;
    if (!reuse->served[max])
        return REUSE_NONE;
    return max == CAUSE_LOOP && !reuse->step ? REUSE_SAME : kinds[max];
}

// Evaluates the causes in order, each on the lines that remain.
static struct reuse count_causes(const struct view *view)
{
    struct reuse reuse = reuse_new(view);
    struct counts together = view_lines(view, (struct warps){0, view->warps}, OF_LOOP | OF_OTHERS);
    uint64_t left = together.total;
    if (view->in_loop) {
        uint64_t fresh = view_fresh(view, OF_LOOP);
        reuse.served[CAUSE_LOOP] = left - fresh;
        left = fresh;
    }
    if (view->group->members.n > 1 && left > together.fresh) {
        uint64_t fresh = view_fresh(view, OF_LOOP | OF_OTHERS);
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

// Accesses of the same shape have the same result in all functions.
static struct reuse compute_reuse(const struct view *view)
{
    bool found;
    if (view->warps > 1 && !view->lanes.same_in_all_warps)
        return count_causes(view);
    struct reuse *known = reuse_memo_find(view, &found);
    if (!found)
        *known = count_causes(view);
    struct reuse reuse = *known;
    reuse.loop = view->group->loop;
    return reuse;
}

static struct reuse look_at(struct reuses *r, uint32_t inst)
{
    struct view view = reuse_view(r, inst);
    struct reuse reuse = view.group->space == W_local ? reuse_local(&view) : compute_reuse(&view);
    if (!view.lanes_known && !view.in_loop && reuse.kind == REUSE_NONE)
        reuse.kind = REUSE_UNKNOWN;
    return reuse;
}

struct reuse reuse_of(struct reuses *r, uint32_t inst)
{
    struct reuse_group *group = reuse_group(r, inst);
    if (!group)
        return (struct reuse){.kind = REUSE_UNKNOWN,
                              .miss = {1, 1},
                              .lines = 1,
                              .loop = r->fn->blocks.v[r->fn->insts.v[inst].block].loop};
    struct reuse_member *member = &group->members.v[r->position_of[inst]];
    if (!member->reuse) {
        struct reuse *reuse = ARENA_NEW(r->arena, struct reuse);
        *reuse = look_at(r, inst);
        member->reuse = reuse;
    }
    return *member->reuse;
}

// Returns the other load that serves most lines on its own.
static uint32_t best_other(struct view *view, bool *all)
{
    const unsigned of = OF_LOOP | OF_OTHERS;
    uint64_t together = view_fresh(view, of), min = UINT64_MAX;
    uint32_t count, from = view_others(view, &count), best = IR_NONE;
    for (uint32_t i = from + count; i-- > from;) {
        const struct reuse_member *other = &view->group->members.v[i];
        if (other == view->member || !view_precedes(view, other))
            continue;
        view->only = other;
        uint64_t fresh = view_fresh(view, of);
        if (fresh < min) {
            min = fresh;
            best = other->inst;
        }
    }
    view->only = NULL;
    *all = min == together;
    return best;
}

struct reuse_other reuse_other(struct reuses *r, uint32_t inst)
{
    struct reuse_other other;
    struct view view = reuse_view(r, inst);
    other.line = ir_position(r->module, r->fn, best_other(&view, &other.all)).line;
    return other;
}
