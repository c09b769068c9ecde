// Untimed loads and stores.
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/memory_ops.h"

// The location in the host's memory of the addresses of all lanes, in one space: `host` corresponds
// to `least`.
struct memory_view {
    uint8_t *host;
    uint64_t min;
    const uint64_t *address;
};

static void transfer(const struct warp *warp, const struct access *access,
                     const struct memory_view *view, uint32_t mask)
{
    const struct memory_code *memory = access->memory;
    for (uint32_t i = 0; i < memory->elements; i++) {
        uint8_t *host = view->host + (size_t)i * memory->bytes;
        if (!access->data[i])
            continue;
        if (access->writes)
            warp->ops->store(access->data[i], access->width[i], host, view->min, view->address,
                             mask, memory->bytes);
        else
            warp->ops->load(access->data[i], access->width[i], host, view->min, view->address, mask,
                            memory->bytes, memory->sign);
    }
}

// Accesses memory lane by lane: for several allocations or spaces, an invalid address, or an active
// check.
static enum step_result access_each(struct warp *warp, const struct access *access)
{
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        struct spot spot;
        if (!access_find(warp, access, lane, access->bytes, access->bytes, &spot))
            return STEP_FAULT;
        struct memory_view view = {spot.host, access->address[lane], access->address};
        transfer(warp, access, &view, 1u << lane);
    }
    return STEP_NEXT;
}

// Access all lanes at once if their accesses are in one allocation or space; otherwise return
// false.

static bool access_global(struct warp *warp, const struct access *access)
{
    struct image *image = warp->cta->launch->image;
    const struct span *span = &access->span;
    struct memory_view view = {
        image_at(image, span->min, span->max - span->min + access->bytes, &warp->hint), span->min,
        access->address};
    if (!view.host || image->watches_planes ||
        (access->writes && image->list.v[warp->hint].constant))
        return false;
    transfer(warp, access, &view, access->mask);
    return true;
}

// `base` is the address of the first byte of the CTA's own memory.
static bool access_shared(struct warp *warp, const struct access *access, uint64_t base)
{
    const struct cta *cta = warp->cta;
    uint64_t min = access->span.min - base, max = access->span.max - base;
    if (min > max || max >= cta->shared_bytes || access->bytes > cta->shared_bytes - max)
        return false;
    struct memory_view view = {cta->shared + min, access->span.min, access->address};
    transfer(warp, access, &view, access->mask);
    return true;
}

static bool access_local(struct warp *warp, const struct access *access, uint64_t base)
{
    uint64_t min = access->span.min - base, max = access->span.max - base;
    if (min > max || max >= access->local_end || access->bytes > access->local_end - max)
        return false;
    uint64_t address[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        address[i] = access->address[i] - base + (uint64_t)i * warp->local_stride;
    uint64_t first = address[__builtin_ctz(access->mask)];
    struct memory_view view = {warp->local + first, first, address};
    transfer(warp, access, &view, access->mask);
    return true;
}

static bool access_generic(struct warp *warp, const struct access *access)
{
    if (access->span.min >= LOCAL_WINDOW + WINDOW_BYTES)
        return access_global(warp, access);
    return access_shared(warp, access, SHARED_WINDOW + warp->cta->rank * SHARED_STRIDE) ||
           access_local(warp, access, LOCAL_WINDOW);
}

// First step: stores the addresses and the location of the values in warp->access.
static void begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask)
{
    const struct memory_code *memory = code->extra;
    struct access *access = &warp->access;
    access_addresses(warp, path, code, memory, mask, (uint32_t)memory->bytes * memory->elements,
                     access);
    access->plain = true;
    for (uint32_t i = 0; i < code->list->count; i++) {
        uint32_t slot = code->list->slot[i];
        access->data[i] = slot == REG_SLOT_NONE ? NULL : warp_register_lanes(warp, slot);
        access->width[i] = code->list->width[i];
    }
}

enum step_result access_memory(struct warp *warp, const struct access *access)
{
    bool whole = false;
    warp->writes += access->writes;
    if (!warp->check && !(access->span.bits & (access->bytes - 1)))
        switch (access->memory->space) {
        case W_global: whole = access_global(warp, access); break;
        case W_shared: whole = access_shared(warp, access, 0); break;
        case W_local: whole = access_local(warp, access, 0); break;
        case W_UNKNOWN: whole = access_generic(warp, access); break;
        default: break;
        }
    return whole ? STEP_NEXT : access_each(warp, access);
}

enum step_result step_load(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    begin(warp, path, code, mask);
    warp->access.reads = true;
    if (warp->access.memory->order != W_weak)
        warp->budget -= ORDERED_COST;
    return access_memory(warp, &warp->access);
}

enum step_result step_store(struct warp *warp, struct path *path, const struct code *code,
                            uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    begin(warp, path, code, mask);
    warp->access.writes = true;
    return access_memory(warp, &warp->access);
}

// Without state planes a discard has no effect: the old value is as good as any.
enum step_result step_discard(struct warp *warp, struct path *path, const struct code *code,
                              uint32_t mask)
{
    struct access *access = &warp->access;
    if (!mask || !warp->cta->launch->image->discards)
        return STEP_NEXT;
    access_addresses(warp, path, code, code->extra, mask, PLANE_LINE, access);
    access->discards = true;
    for (; mask; mask &= mask - 1) {
        struct spot spot;
        if (!access_find(warp, access, (uint32_t)__builtin_ctz(mask), PLANE_LINE, PLANE_LINE,
                         &spot))
            return STEP_FAULT;
    }
    return STEP_NEXT;
}
