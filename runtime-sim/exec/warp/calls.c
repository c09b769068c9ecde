// Calls and returns. A call creates a join at the return address: lanes that return early wait
// there for the others that were called with them.
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/warp/warp.h"
#include "runtime-sim/exec/decode/layout.h"
#include <string.h>

enum { MAX_LOCAL = 512 << 10 }; // bytes of local memory per thread, as in CUDA

// Arguments and results

struct side {
    uint32_t frame, local; // of the function that owns the value
    uint32_t offset, slot, bytes, width;
};

static uint8_t *lane_of(struct warp *warp, const struct side *side, uint32_t lane)
{
    if (side->slot == REG_SLOT_NONE)
        return warp->local + (size_t)lane * warp->local_stride + side->local + side->offset;
    uint8_t *bases[4] = {warp->frames + side->frame, warp->bases[BASE_WARP],
                         warp->bases[BASE_LAUNCH], warp->bases[BASE_PROGRAM]};
    return (uint8_t *)reg_slot_lanes(bases, side->slot) + (size_t)lane * side->width;
}

static void copy_value(struct warp *warp, const struct side *to, const struct side *from,
                       uint32_t mask)
{
    uint32_t bytes = to->bytes < from->bytes ? to->bytes : from->bytes;
    for (; bytes && mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        memcpy(lane_of(warp, to, lane), lane_of(warp, from, lane), bytes);
    }
}

static struct side caller_side(const struct call_value *value, uint32_t frame, uint32_t local)
{
    return (struct side){frame, local, value->offset, value->slot, value->bytes, value->width};
}

static struct side callee_side(const struct program_parameter *value, uint32_t frame,
                               uint32_t local)
{
    return (struct side){frame, local, value->offset, value->slot, value->bytes, value->width};
}

// Returns the size of the arguments that a variadic function gets after its local memory.
static uint32_t open_bytes(const struct warp *warp, const struct call *call,
                           const struct program_function *callee)
{
    uint32_t last = callee->param_count - 1;
    if (!callee->param_count || last >= call->argument_count ||
        !warp->program->parameters.v[callee->params + last].open)
        return 0;
    return (uint32_t)align_up(call->arguments[last].bytes, 16);
}

static void copy_arguments(struct warp *warp, const struct call *call,
                           const struct program_function *callee, const struct path *from,
                           const struct path *to, uint32_t mask)
{
    for (uint32_t i = 0; i < callee->param_count && i < call->argument_count; i++) {
        struct side own = caller_side(&call->arguments[i], from->frame, from->local);
        struct side formal =
            callee_side(&warp->program->parameters.v[callee->params + i], to->frame, to->local);
        if (warp->program->parameters.v[callee->params + i].open)
            formal.bytes = own.bytes;
        copy_value(warp, &formal, &own, mask);
    }
}

static void copy_results(struct warp *warp, const struct reconvergence *reconvergence,
                         const struct path *from, uint32_t mask)
{
    const struct program_function *callee = &warp->program->functions.v[from->function];
    const struct call *call = reconvergence->call;
    for (uint32_t i = 0; i < callee->return_count && i < call->result_count; i++) {
        struct side own =
            caller_side(&call->results[i], reconvergence->frame, reconvergence->local);
        struct side formal = callee_side(&warp->program->parameters.v[callee->returns + i],
                                         from->frame, from->local);
        copy_value(warp, &own, &formal, mask);
    }
}

// Calls

// The range of a function's registers in the warp's frames, for lanes in the function.
struct call_frame {
    uint32_t begin, end, function;
};

static struct call_frame frame_at(const struct warp *warp, uint32_t begin, uint32_t function)
{
    uint32_t bytes = (warp->program->functions.v[function].frame_bytes + 63) & ~63u;
    return (struct call_frame){begin, begin + bytes, function};
}

// Returns true if a frame overlaps that of other lanes. Frames of other lanes may overlap only if
// they start at the same place and belong to the same function, so that no lane's registers overlap
// those of another lane.
static bool in_the_way(const struct warp *warp, struct call_frame frame, uint32_t begin,
                       uint32_t function, bool own, uint32_t *end)
{
    struct call_frame other = frame_at(warp, begin, function);
    bool same = begin == frame.begin && function == frame.function;
    if (other.begin >= frame.end || frame.begin >= other.end || (same && !own))
        return false;
    *end = other.end;
    return true;
}

// Returns true if the frame is free for lanes of `from`. Otherwise `end` is the end of a frame that
// overlaps.
static bool is_free(const struct warp *warp, const struct path *from, struct call_frame frame,
                    uint32_t *end)
{
    if (in_the_way(warp, frame, from->frame, from->function, true, end))
        return false;
    for (uint32_t i = from->reconvergence; i != IR_NONE; i = warp->reconvergences.v[i].parent)
        if (in_the_way(warp, frame, warp->reconvergences.v[i].frame,
                       warp->reconvergences.v[i].function, true, end))
            return false;
    for (uint32_t i = 0; i < warp->reconvergences.n; i++) {
        const struct reconvergence *reconvergence = &warp->reconvergences.v[i];
        if (reconvergence->expected &&
            in_the_way(warp, frame, reconvergence->frame, reconvergence->function, false, end))
            return false;
    }
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        const struct path *path = &warp->paths.v[i];
        if (path->state != PATH_DONE &&
            in_the_way(warp, frame, path->frame, path->function, false, end))
            return false;
    }
    return true;
}

static bool others_have(const struct warp *warp, uint32_t begin, uint32_t function)
{
    for (uint32_t i = 0; i < warp->reconvergences.n; i++)
        if (warp->reconvergences.v[i].expected && warp->reconvergences.v[i].frame == begin &&
            warp->reconvergences.v[i].function == function)
            return true;
    for (uint32_t i = 0; i < warp->paths.n; i++)
        if (warp->paths.v[i].state != PATH_DONE && warp->paths.v[i].frame == begin &&
            warp->paths.v[i].function == function)
            return true;
    return false;
}

// Returns the start of the registers of a function that lanes of `from` call: after the caller's
// registers if that is free. Lanes that already are in the function should have the same start,
// because these lanes may have to synchronise with them. Lanes that called it at the same depth are
// preferred.
static uint32_t find_frame(const struct warp *warp, const struct path *from, uint32_t function)
{
    uint32_t begin = frame_at(warp, from->frame, from->function).end, end;
    if (from->mask == warp->live) // all lanes call
        return begin;
    bool here = others_have(warp, begin, function);
    for (uint32_t i = 0; i < warp->paths.n && !here; i++) {
        const struct path *path = &warp->paths.v[i];
        if (path->state != PATH_DONE && path->function == function &&
            is_free(warp, from, frame_at(warp, path->frame, function), &end))
            return path->frame;
    }
    while (!is_free(warp, from, frame_at(warp, begin, function), &end))
        begin = end;
    return begin;
}

static enum step_result enter(struct warp *warp, const struct code *code, uint32_t function,
                              uint32_t mask)
{
    uint32_t self = warp->current;
    const struct program_function *callee = &warp->program->functions.v[function];
    struct path from = warp->paths.v[self], to = from;
    to.frame = find_frame(warp, &from, function);
    to.local = (uint32_t)align_up(from.local_end, 16);
    to.local_end = to.local + callee->local_bytes + open_bytes(warp, code->extra, callee);
    to.function = function;
    to.pc = callee->begin;
    to.mask = mask;
    if (to.local_end > MAX_LOCAL || to.frame > UINT32_C(1) << 28)
        return warp_fault(warp, code, mask, "stack overflow in this thread");
    uint32_t reconvergence = warp_new_reconvergence(warp, &from, from.pc + 1, mask);
    warp->reconvergences.v[reconvergence].call = code->extra;
    to.reconvergence = reconvergence;
    warp_reserve(warp, to.frame + callee->frame_bytes, to.local_end);
    unset_enter(warp, function, to.frame, mask);
    copy_arguments(warp, code->extra, callee, &from, &to, mask);
    if (mask != from.mask) { // other lanes call another function
        warp_fork(warp, &from, from.pc, from.mask & ~mask, from.reconvergence);
        warp_uncount(warp, from.mask & ~mask);
    }
    warp->paths.v[self] = to;
    warp->bases[BASE_FRAME] = warp->frames + to.frame;
    return STEP_JUMP;
}

// Calls the function of the first lane for all lanes with the same handle. The others execute the
// call again.
static enum step_result call_by_handle(struct warp *warp, const struct code *code, uint32_t mask)
{
    const struct call *call = code->extra;
    const uint64_t *handle = warp_register_lanes(warp, call->handle);
    uint64_t first = handle[__builtin_ctz(mask)] - FUNCTION_HANDLE;
    uint32_t same = 0, function = IR_NONE;
    for (uint32_t i = 0; i < LANES; i++)
        same |= (uint32_t)(handle[i] - FUNCTION_HANDLE == first) << i;
    if (first < warp->program->function_of.n)
        function = warp->program->function_of.v[first];
    if (function == IR_NONE)
        return warp_fault(warp, code, same & mask, "call of an address that is not a function");
    return enter(warp, code, function, same & mask);
}

// Splits off the lanes whose guard is false. The current path continues with the others.
static void part_guarded(struct warp *warp, uint32_t mask)
{
    uint32_t self = warp->current;
    struct path from = warp->paths.v[self];
    if (mask == from.mask)
        return;
    warp_fork(warp, &from, from.pc + 1, from.mask & ~mask, from.reconvergence);
    warp->paths.v[self].mask = mask;
}

enum step_result step_call(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    const struct call *call = code->extra;
    if (!mask)
        return STEP_NEXT;
    if (call->builtin) {
        const char *error = call->builtin(warp, path, call, &mask);
        return error ? warp_fault(warp, code, mask, "%s", error) : STEP_NEXT;
    }
    part_guarded(warp, mask);
    return call->function == IR_NONE ? call_by_handle(warp, code, mask)
                                     : enter(warp, code, call->function, mask);
}

enum step_result step_return(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    uint32_t call = path->reconvergence;
    while (call != IR_NONE && !warp->reconvergences.v[call].call)
        call = warp->reconvergences.v[call].parent;
    if (call == IR_NONE) // return of the kernel itself
        return step_exit(warp, path, code, mask);
    struct path from = *path;
    copy_results(warp, &warp->reconvergences.v[call], &from, mask);
    path->mask &= ~mask;
    bool left = path->mask != 0;
    if (!left)
        path->state = PATH_DONE;
    warp_leave_reconvergences(warp, from.reconvergence, call, mask);
    warp_arrive(warp, call, mask);
    return left ? STEP_NEXT : STEP_LEAVE;
}
