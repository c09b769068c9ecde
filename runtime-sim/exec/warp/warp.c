// The execution loop of a warp.
#include "runtime-sim/exec/warp/warp.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/compute.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/warp/issue.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum step_result run_path_fn(struct warp *warp, uint32_t index);

static enum step_result watched_step(struct warp *warp, struct path *path, const struct code *code,
                                     uint32_t mask)
{
    const struct warp_watch *watch = warp->watch;
    bool touches = held_touches(code);
    if (touches) {
        watch->parts->count = 0;
        warp->touched = watch->parts;
    }
    enum step_result result = code->step(warp, path, code, mask);
    warp->touched = NULL;
    if (result == STEP_NEXT && touches)
        watch->touched(watch->context, warp, watch->parts);
    else if (result == STEP_NEXT && held_can(code))
        watch->accessed(watch->context, warp);
    return result;
}

// Runs a path until it leaves. Instantiated three times with constant `followed` (by a profile or a
// watch) and `checked`, so that their code disappears where they are false.
static ALWAYS_INLINE enum step_result run_path_as(struct warp *warp, uint32_t index, bool followed,
                                                  bool checked)
{
    bool profiled = followed && warp->profile, watched = followed && warp->watch;
    struct path *path = &warp->paths.v[index];
    const struct code *codes = warp->program->codes.v;
    const struct code *code = codes + path->pc;
    uint64_t instructions = 0, threads = 0;
    enum step_result result = STEP_NEXT;
    warp->bases[BASE_FRAME] = warp->frames + path->frame;
    for (;; code++) {
        uint32_t mask = guarded(warp, code, path->mask);
        instructions += code->counted;
        threads += count_lanes(mask) & -(uint32_t)code->counted;
        if (profiled)
            profile_before(warp, path, code, mask);
        if (checked && code->counted)
            unset_look(warp, path, code, mask);
        if (code->lanes) {
            if (mask)
                compute(warp, code, mask);
            if (profiled)
                profile_after(warp, code, mask);
            continue;
        }
        path->pc = (uint32_t)(code - codes);
        result = watched && mask ? watched_step(warp, path, code, mask)
                                 : code->step(warp, path, code, mask);
        path = &warp->paths.v[index]; // new paths may have moved it
        if (result == STEP_NEXT) {
            if (profiled)
                profile_after(warp, code, mask);
            continue;
        }
        if (result != STEP_JUMP)
            break;
        code = codes + path->pc - 1;
    }
    warp->warp_instructions += instructions;
    warp->thread_instructions += threads;
    return result;
}

static enum step_result run_path(struct warp *warp, uint32_t index)
{
    return run_path_as(warp, index, false, false);
}

static __attribute__((noinline)) enum step_result run_path_followed(struct warp *warp,
                                                                    uint32_t index)
{
    return run_path_as(warp, index, true, false);
}

// Runs a path with checks, followed or not.
static __attribute__((noinline)) enum step_result run_path_checked(struct warp *warp,
                                                                   uint32_t index)
{
    return run_path_as(warp, index, true, true);
}

static run_path_fn *choose_run(const struct warp *warp)
{
    bool checked = warp->check && warp->check->uninit;
    bool followed = warp->profile || warp->watch;
    return checked ? run_path_checked : followed ? run_path_followed : run_path;
}

uint32_t warp_next_ready(const struct warp *warp)
{
    if (warp->paths.n == 1) // avoids the division below
        return warp->paths.v[0].state == PATH_READY ? 0 : IR_NONE;
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        uint32_t index = (warp->current + i) % warp->paths.n;
        if (warp->paths.v[index].state == PATH_READY)
            return index;
    }
    return IR_NONE;
}

enum warp_state warp_run(struct warp *warp)
{
    run_path_fn *run = choose_run(warp);
    while (warp->live) {
        uint32_t index = warp_next_ready(warp);
        if (index == IR_NONE) {
            if (warp_relieve_all(warp))
                continue;
            return WARP_WAITS;
        }
        warp->current = index;
        if (run(warp, index) == STEP_FAULT)
            return WARP_FAULT;
        if (warp->budget <= 0 && warp->live) {
            warp->current = index + 1;
            return WARP_YIELDS;
        }
    }
    return WARP_DONE;
}

void warp_reserve(struct warp *warp, uint32_t frame_bytes, uint32_t local_bytes)
{
    if (frame_bytes > warp->frame_bytes) {
        uint32_t grown = frame_bytes > 2 * warp->frame_bytes ? frame_bytes : 2 * warp->frame_bytes;
        uint8_t *frames = arena_alloc(warp->arena, grown + 64);
        frames += -(uintptr_t)frames & 63;
        if (warp->frame_bytes)
            memcpy(frames, warp->frames, warp->frame_bytes);
        warp->frames = frames;
        warp->frame_bytes = grown;
    }
    if (local_bytes > warp->local_stride) {
        uint32_t grown =
            local_bytes > 2 * warp->local_stride ? local_bytes : 2 * warp->local_stride;
        uint8_t *local = arena_alloc(warp->arena, (size_t)grown * LANES);
        for (uint32_t i = 0; i < LANES && warp->local_stride; i++)
            memcpy(local + (size_t)i * grown, warp->local + (size_t)i * warp->local_stride,
                   warp->local_stride);
        warp->local = local;
        warp->local_stride = grown;
    }
}

void warp_start(struct warp *warp, uint32_t function, uint32_t mask)
{
    const struct program_function *at = &warp->program->functions.v[function];
    warp_reserve(warp, at->frame_bytes + 64, at->local_bytes); // a frame is needed even if it is
                                                               // empty
    warp->lanes = warp->live = mask;
    warp->end = IR_NONE;
    warp->reached = 0;
    warp->current = 0;
    warp->budget = TURN;
    warp->cluster_arrived = 0;
    warp->paths.n = warp->reconvergences.n = 0;
    if (warp->profile)
        profile_start(warp);
    struct path path = {.pc = at->begin,
                        .mask = mask,
                        .reconvergence = IR_NONE,
                        .local_end = at->local_bytes,
                        .function = function};
    vec_push(warp->arena, &warp->paths, path);
    unset_enter(warp, function, path.frame, mask);
}

enum step_result warp_fault(struct warp *warp, const struct code *code, uint32_t mask,
                            const char *format, ...)
{
    struct fault *fault = warp->fault;
    if (fault->happened)
        return STEP_FAULT;
    va_list list;
    va_start(list, format);
    vsnprintf(fault->text, sizeof fault->text, format, list);
    va_end(list);
    fault->happened = true;
    fault->launch = warp->cta->launch->id;
    fault->function = warp->paths.v[warp->current].function;
    fault->inst = code->inst;
    lane_coordinates(warp, mask ? (uint32_t)__builtin_ctz(mask) : 0, fault->cta, fault->thread);
    return STEP_FAULT;
}
