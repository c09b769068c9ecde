#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/warp/compute.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/warp/steps.h"

static const struct code *code_of(const struct warp *warp, const struct path *path)
{
    return &warp->program->codes.v[path->pc];
}

// Called after a path left: if it has used up its turn, the other paths have theirs.
static void switch_path(struct warp *warp)
{
    if (warp->budget > 0)
        return;
    warp->current++;
    warp->budget = TURN;
}

// Reconverges lanes. This is not an instruction of the program's text.
static void reach_reconvergence(struct warp *warp, struct path *path, const struct code *code)
{
    if (warp->profile)
        profile_before(warp, path, code, path->mask);
    if (step_reconverge(warp, path, code, path->mask) == STEP_NEXT)
        warp->paths.v[warp->current].pc++;
    else
        switch_path(warp);
}

// Executes the rest of an instruction inside which the path has waited.
static void end_instruction(struct warp *warp, struct path *path, const struct code *code)
{
    warp->bases[BASE_FRAME] = warp->frames + path->frame;
    if (warp->profile)
        profile_before(warp, path, code, path->mask);
    uint32_t mask = guarded(warp, code, path->mask);
    if (mask)
        compute(warp, code, mask);
    path->pc++;
}

// Returns the next path in round-robin order, which is at an instruction, or NULL if no path can
// continue.
static const struct path *settle(struct warp *warp)
{
    while (warp->live) {
        uint32_t index = warp_next_ready(warp);
        if (index == IR_NONE) {
            if (warp_relieve_all(warp))
                continue;
            warp->budget = TURN; // the other warps have had their turns
            return NULL;
        }
        warp->current = index;
        struct path *path = &warp->paths.v[index];
        const struct code *code = code_of(warp, path);
        if (path->pc == warp->end && !path->frame)
            warp_reach_end(warp);
        else if (code->step == step_reconverge)
            reach_reconvergence(warp, path, code);
        else if (code->trailing)
            end_instruction(warp, path, code);
        else
            return path;
    }
    return NULL;
}

const struct code *issue_next(struct warp *warp, uint32_t *mask)
{
    const struct path *path = settle(warp);
    if (!path)
        return NULL;
    const struct code *code = code_of(warp, path), *main = code;
    while (!main->counted && !main->ends)
        main++;
    warp->bases[BASE_FRAME] = warp->frames + path->frame;
    *mask = guarded(warp, main, path->mask);
    return code;
}

static enum step_result step(struct warp *warp, const struct code *code, uint32_t mask,
                             struct held *held)
{
    struct path *path = &warp->paths.v[warp->current];
    path->pc = (uint32_t)(code - warp->program->codes.v);
    if (!held_touches(code))
        return code->step(warp, path, code, mask);
    held->touched.parts = (struct touched_part *)(void *)held->values;
    warp->touched = &held->touched;
    enum step_result result = code->step(warp, path, code, mask);
    warp->touched = NULL;
    return result;
}

// Handles a step that has accessed memory itself.
static enum issue_result was_touched(struct warp *warp, const struct code *code, struct held *held)
{
    bool writes = false, reads = false;
    if (!held->touched.count)
        return ISSUE_DONE;
    held->warp = warp;
    held->code = code;
    held->served = true;
    held->mask = held->left = 0;
    for (uint32_t i = 0; i < held->touched.count; i++) {
        bool read = held->touched.parts[i].use == TOUCHED_READ;
        writes |= !read;
        reads |= read;
        held->mask |= held->touched.parts[i].mask;
    }
    held->kind = writes && !reads ? HELD_STORE : HELD_LOAD;
    return ISSUE_HELD;
}

static enum issue_result leave(struct warp *warp, enum step_result result)
{
    if (result == STEP_FAULT)
        return ISSUE_FAULT;
    if (result == STEP_LEAVE && warp->live)
        switch_path(warp);
    return ISSUE_DONE;
}

// Executes an instruction's codes up to the one that ends it, or by which the path leaves.
static enum issue_result execute(struct warp *warp, const struct code *code, struct held *held)
{
    const struct path *path = &warp->paths.v[warp->current];
    const struct code *main = code;
    warp->bases[BASE_FRAME] = warp->frames + path->frame;
    for (;; code++) {
        uint32_t mask = guarded(warp, code, path->mask);
        main = code->counted ? code : main;
        warp->warp_instructions += code->counted;
        warp->thread_instructions += count_lanes(mask) & -(uint32_t)code->counted;
        if (warp->profile)
            profile_before(warp, path, code, mask);
        if (code->lanes) {
            if (mask)
                compute(warp, code, mask);
        } else if (mask && held_can(code)) {
            held_begin(held, warp, path, code, mask);
            while (!code->ends)
                code++;
            warp->paths.v[warp->current].pc = (uint32_t)(code + 1 - warp->program->codes.v);
            return ISSUE_HELD;
        } else {
            enum step_result result = step(warp, code, mask, held);
            if (result != STEP_NEXT)
                return leave(warp, result);
            path = &warp->paths.v[warp->current];
        }
        if (warp->profile)
            profile_after(warp, code, mask);
        if (code->ends)
            break;
    }
    warp->paths.v[warp->current].pc = (uint32_t)(code + 1 - warp->program->codes.v);
    return was_touched(warp, main, held);
}

enum issue_result issue_execute(struct warp *warp, struct held *held)
{
    held->touched.count = 0;
    return execute(warp, code_of(warp, &warp->paths.v[warp->current]), held);
}
