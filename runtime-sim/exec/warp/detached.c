#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/exec/lanes/memory_ops.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/warp/cta.h"
#include <string.h>

struct cta *cta_new_detached(struct arena *arena, const struct program *program)
{
    struct cta *cta = ARENA_NEW(arena, struct cta);
    struct warp *warp = aligned_lanes(arena, sizeof *warp);
    *cta = (struct cta){
        .cluster = {1, {cta}}, .threads = LANES, .warp_count = 1, .warps = warp, .detached = true};
    warp->program = program;
    warp->cta = cta;
    warp->arena = arena;
    warp->ops = program->lanes->memory;
    warp->bases[BASE_WARP] = aligned_lanes(arena, program->warp_bytes);
    warp->bases[BASE_PROGRAM] = program->constants.v;
    return cta;
}

// Shares the memory of the other warp. Calls place their frame of local memory after that of the
// caller.
static void share_memory(struct cta *cta, const struct warp *of)
{
    struct warp *warp = &cta->warps[0];
    cta->shared = of->cta->shared;
    cta->shared_bytes = of->cta->shared_bytes;
    cta->cluster = of->cta->cluster;
    warp->local = of->local;
    warp->local_stride = of->local_stride;
}

void cta_start_detached(struct cta *cta, const struct detached_start *start)
{
    struct warp *warp = &cta->warps[0];
    const struct cta *from = start->of->cta;
    const struct path *path = &start->of->paths.v[start->of->current];
    cta->launch = from->launch;
    cta->fault = from->fault;
    cta->linear = from->linear;
    cta->rank = from->rank;
    memcpy(cta->place, from->place, sizeof cta->place);
    warp->first = start->of->first;
    warp->fault = start->of->fault;
    warp->profile = start->of->profile;
    warp->bases[BASE_LAUNCH] = start->of->bases[BASE_LAUNCH];
    memcpy(warp->bases[BASE_WARP], start->of->bases[BASE_WARP], warp->program->warp_bytes);
    share_memory(cta, start->of);
    warp_start(warp, start->function, start->mask);
    warp->paths.v[0].local = path->local;
    warp->paths.v[0].local_end = path->local_end;
    special_fill_cta(warp); // %smid
    warp->paths.v[0].pc = start->begin;
    warp->end = start->end;
    warp_write_registers(warp, start->registers, start->register_count, start->values, start->mask);
}

void cta_end_detached(const struct cta *cta, struct warp *of)
{
    of->local = cta->warps[0].local;
    of->local_stride = cta->warps[0].local_stride;
}

// A detached warp starts and ends in its first frame.
static uint8_t *frame_of(const struct warp *warp)
{
    return warp->frames + (warp->cta->detached ? 0 : warp->paths.v[warp->current].frame);
}

void warp_read_registers(const struct warp *warp, const struct warp_register *list, uint32_t count,
                         uint8_t *values)
{
    for (uint32_t i = 0; i < count; values += list[i++].bytes)
        memcpy(values, frame_of(warp) + list[i].offset, list[i].bytes);
}

void warp_write_registers(struct warp *warp, const struct warp_register *list, uint32_t count,
                          const uint8_t *values, uint32_t mask)
{
    for (uint32_t i = 0; i < count; values += list[i++].bytes) {
        // A predicate is a word with one bit per lane.
        uint32_t width = list[i].bytes < LANES ? WIDTH_PREDICATE : list[i].bytes / LANES;
        union lanes from __attribute__((aligned(64)));
        memcpy(&from, values, list[i].bytes);
        warp->ops->blend(frame_of(warp) + list[i].offset, &from, mask, width);
    }
}

void warp_go_on_at(struct warp *warp, uint32_t code)
{
    warp->paths.v[warp->current].pc = code;
}

enum step_result detached_fault(struct warp *warp, const struct code *code, uint32_t mask,
                                const char *lacks)
{
    return warp_fault(warp, code, mask, "a warp that runs without a CTA has no %s", lacks);
}
