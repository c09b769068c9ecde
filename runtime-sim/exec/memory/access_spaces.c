// Addresses as values: conversion between spaces, and the stack.
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/memory_ops.h"

static uint64_t read_lane(const struct warp *warp, uint32_t slot, uint32_t width, uint32_t lane)
{
    const void *lanes = warp_register_lanes(warp, slot);
    return width == 4 ? ((const uint32_t *)lanes)[lane] : ((const uint64_t *)lanes)[lane];
}

// Computes d = fn(cta, a, b) for each lane.
typedef uint64_t address_fn(const struct cta *cta, uint64_t a, uint32_t b);

static enum step_result each_lane(struct warp *warp, const struct code *code, uint32_t mask,
                                  address_fn *fn)
{
    union lanes *to = &warp->temp[0];
    const uint32_t *b = code->source_count > 1 ? warp_register_lanes(warp, code->s[1]) : NULL;
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t a = read_lane(warp, code->s[0], (uint32_t)code->value, i);
        uint64_t value = fn(warp->cta, a, b ? b[i] : 0);
        if (code->width == 4)
            to->u32[i] = (uint32_t)value;
        else
            to->u64[i] = value;
    }
    if (mask)
        warp->ops->blend(warp_register_lanes(warp, code->d), to, mask, code->width);
    return STEP_NEXT;
}

#define ADDRESS_STEP(name, fn)                                                                     \
    enum step_result name(struct warp *warp, struct path *path, const struct code *code,           \
                          uint32_t mask)                                                           \
    {                                                                                              \
        (void)path;                                                                                \
        return each_lane(warp, code, mask, fn);                                                    \
    }

static uint64_t shared_to_generic(const struct cta *cta, uint64_t a, uint32_t b)
{
    (void)b;
    return SHARED_WINDOW + (a < SHARED_STRIDE ? cta->rank * SHARED_STRIDE + a : a - SHARED_STRIDE);
}

static uint64_t generic_to_shared(const struct cta *cta, uint64_t a, uint32_t b)
{
    uint64_t inside = a - SHARED_WINDOW;
    (void)b;
    return inside / SHARED_STRIDE == cta->rank ? inside % SHARED_STRIDE : inside + SHARED_STRIDE;
}

static uint64_t local_to_generic(const struct cta *cta, uint64_t a, uint32_t b)
{
    (void)cta, (void)b;
    return a + LOCAL_WINDOW;
}

static uint64_t generic_to_local(const struct cta *cta, uint64_t a, uint32_t b)
{
    (void)cta, (void)b;
    return a - LOCAL_WINDOW;
}

// Returns the corresponding address in the shared memory of another CTA of the cluster.
static uint64_t map_shared(const struct cta *cta, uint64_t a, uint32_t b)
{
    (void)cta;
    return (b + UINT64_C(1)) * SHARED_STRIDE + a % SHARED_STRIDE;
}

static uint64_t map_generic(const struct cta *cta, uint64_t a, uint32_t b)
{
    (void)cta;
    return SHARED_WINDOW + b * SHARED_STRIDE + a % SHARED_STRIDE;
}

static uint64_t rank_shared(const struct cta *cta, uint64_t a, uint32_t b)
{
    (void)b;
    return a < SHARED_STRIDE ? cta->rank : a / SHARED_STRIDE - 1;
}

static uint64_t rank_generic(const struct cta *cta, uint64_t a, uint32_t b)
{
    return rank_shared(cta, generic_to_shared(cta, a, b), b);
}

ADDRESS_STEP(step_shared_to_generic, shared_to_generic)
ADDRESS_STEP(step_generic_to_shared, generic_to_shared)
ADDRESS_STEP(step_local_to_generic, local_to_generic)
ADDRESS_STEP(step_generic_to_local, generic_to_local)
ADDRESS_STEP(step_map_shared, map_shared)
ADDRESS_STEP(step_map_generic, map_generic)
ADDRESS_STEP(step_rank_shared, rank_shared)
ADDRESS_STEP(step_rank_generic, rank_generic)

// isspacep

static bool is_constant(const struct warp *warp, uint64_t address)
{
    const struct launch *launch = warp->cta->launch;
    uint32_t found = image_find(launch->image, address);
    if (found == UINT32_MAX)
        return false;
    const struct allocation *at = &launch->image->list.v[found];
    return at->constant && at->address != launch->params_address &&
           address - at->address < at->bytes;
}

static bool is_parameter(const struct warp *warp, uint64_t address)
{
    const struct launch *launch = warp->cta->launch;
    return address - launch->params_address <
           launch->program->functions.v[launch->function].param_bytes;
}

static bool is_in_space(const struct warp *warp, uint16_t space, uint64_t address)
{
    uint64_t shared = address - SHARED_WINDOW;
    bool window = shared < WINDOW_BYTES || address - LOCAL_WINDOW < WINDOW_BYTES;
    switch (space) {
    case W_shared:
    case W_shared_cta: return shared < WINDOW_BYTES && shared / SHARED_STRIDE == warp->cta->rank;
    case W_shared_cluster:
        return shared < WINDOW_BYTES && (shared / SHARED_STRIDE == warp->cta->rank ||
                                         shared / SHARED_STRIDE < warp->cta->cluster.count);
    case W_local: return address - LOCAL_WINDOW < WINDOW_BYTES;
    case W_const: return is_constant(warp, address);
    case W_param:
    case W_param_entry: return is_parameter(warp, address);
    default: return !window && !is_constant(warp, address);
    }
}

enum step_result step_is_in_space(struct warp *warp, struct path *path, const struct code *code,
                                  uint32_t mask)
{
    const struct space_code *what = code->extra;
    uint32_t *to = warp_register_lanes(warp, code->d), result = 0;
    (void)path;
    for (uint32_t i = 0; i < LANES; i++)
        result |=
            (uint32_t)is_in_space(warp, what->space, read_lane(warp, code->s[0], what->width, i))
            << i;
    *to = (*to & ~mask) | (result & mask);
    return STEP_NEXT;
}

// The stack of a thread grows upwards here. Its height is the same for all lanes of a path.

enum { MAX_LOCAL = 512 << 10 }; // as in CUDA

// Reconverging lanes keep what any of them has allocated.
static void grow_stack(struct warp *warp, struct path *path, uint32_t end)
{
    path->local_end = end;
    for (uint32_t i = path->reconvergence; i != IR_NONE && !warp->reconvergences.v[i].call;
         i = warp->reconvergences.v[i].parent)
        if (warp->reconvergences.v[i].local_end < end)
            warp->reconvergences.v[i].local_end = end;
    warp_reserve(warp, 0, end);
}

static void put_all(struct warp *warp, const struct code *code, uint32_t mask, uint64_t value)
{
    union lanes *to = &warp->temp[0];
    for (uint32_t i = 0; i < LANES; i++) {
        if (code->width == 4)
            to->u32[i] = (uint32_t)value;
        else
            to->u64[i] = value;
    }
    warp->ops->blend(warp_register_lanes(warp, code->d), to, mask, code->width);
}

static uint64_t largest_of(const struct warp *warp, const struct code *code, uint32_t mask)
{
    uint64_t max = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t one =
            read_lane(warp, code->s[0], (uint32_t)code->value, (uint32_t)__builtin_ctz(mask));
        max = one > max ? one : max;
    }
    return max;
}

enum step_result step_alloca(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask)
{
    const struct space_code *what = code->extra;
    if (!mask)
        return STEP_NEXT;
    uint64_t bytes = largest_of(warp, code, mask);
    uint64_t begin = align_up(path->local_end, what->align);
    if (bytes > MAX_LOCAL || begin + bytes > MAX_LOCAL)
        return warp_fault(warp, code, mask, "stack overflow in this thread");
    grow_stack(warp, path, (uint32_t)(begin + bytes));
    put_all(warp, code, mask, begin);
    return STEP_NEXT;
}

enum step_result step_stack_save(struct warp *warp, struct path *path, const struct code *code,
                                 uint32_t mask)
{
    if (mask)
        put_all(warp, code, mask, path->local_end);
    return STEP_NEXT;
}

enum step_result step_stack_restore(struct warp *warp, struct path *path, const struct code *code,
                                    uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    uint64_t end = largest_of(warp, code, mask);
    const struct program_function *fn = &warp->program->functions.v[path->function];
    if (end < path->local + (uint64_t)fn->local_bytes || end > MAX_LOCAL)
        return warp_fault(warp, code, mask,
                          "the stack is set to a value that no stacksave returned");
    if (mask == path->mask) // other lanes may still use the stack
        path->local_end = (uint32_t)end;
    warp_reserve(warp, 0, path->local_end);
    return STEP_NEXT;
}

enum step_result step_order(struct warp *warp, struct path *path, const struct code *code,
                            uint32_t mask)
{
    (void)path, (void)code;
    if (warp->check && mask)
        check_order(warp->check, warp, mask, true);
    return STEP_NEXT;
}
