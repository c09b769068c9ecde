// Loads and stores without a clock.
#include "runtime-sim/exec/steps_memory.h"
#include "runtime-sim/exec/cta.h"
#include "runtime-sim/exec/memory_ops.h"
#include <inttypes.h>

// Where the lanes' addresses of one space lie in this machine's memory: `host` is where `least` is.
struct view {
    uint8_t *host;
    uint64_t least;
};

static const char *space_name(uint16_t space)
{
    return space < WORD_COUNT ? isa_words[space].text + 1 : "generic";
}

static enum step_result out_of_bounds(struct warp *warp, const struct access *access,
                                      uint16_t space, uint32_t lane, const char *what)
{
    warp->fault->has_address = space == W_global;
    warp->fault->address = access->address[lane];
    return warp_fault(warp, access->code, 1u << lane,
                      "%s of %u bytes at %s address 0x%" PRIx64 " %s",
                      access->writes ? "store" : "load", access->bytes, space_name(space),
                      access->address[lane], what);
}

static enum step_result misaligned(struct warp *warp, const struct access *access, uint16_t space)
{
    uint32_t lane = 0;
    while (!(access->mask >> lane & 1) || !(access->address[lane] & (access->bytes - 1)))
        lane++;
    return out_of_bounds(warp, access, space, lane, "is not aligned");
}

// One space, one region of this machine's memory.

static void transfer(struct warp *warp, const struct access *access, const struct view *view,
                     uint32_t mask)
{
    const struct memory_code *memory = access->code->extra;
    for (uint32_t i = 0; i < memory->elements; i++) {
        uint8_t *host = view->host + (size_t)i * memory->bytes;
        if (access->writes)
            warp->ops->store(access->data[i], access->width[i], host, view->least, access->address,
                             mask, memory->bytes);
        else
            warp->ops->load(access->data[i], access->width[i], host, view->least, access->address,
                            mask, memory->bytes, memory->sign);
    }
}

static enum step_result access_global(struct warp *warp, const struct access *access, uint32_t mask,
                                      const struct span *span)
{
    struct image *image = warp->cta->launch->image;
    struct view view = {
        image_at(image, span->least, span->most - span->least + access->bytes, &warp->hint),
        span->least};
    if (view.host && !(access->writes && image->list.v[warp->hint].constant)) {
        transfer(warp, access, &view, mask);
        return STEP_NEXT;
    }
    for (; mask; mask &= mask - 1) { // in several allocations, or outside
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        view.least = access->address[lane];
        view.host = image_at(image, view.least, access->bytes, &warp->hint);
        if (!view.host)
            return out_of_bounds(warp, access, W_global, lane, "is in no allocation");
        if (access->writes && image->list.v[warp->hint].constant)
            return out_of_bounds(warp, access, W_global, lane, "is in constant memory");
        transfer(warp, access, &view, 1u << lane);
    }
    return STEP_NEXT;
}

static enum step_result access_shared(struct warp *warp, const struct access *access, uint32_t mask,
                                      const struct span *span)
{
    const struct cta *cta = warp->cta;
    if (span->most < cta->shared_bytes && access->bytes <= cta->shared_bytes - span->most) {
        struct view view = {cta->shared + span->least, span->least};
        transfer(warp, access, &view, mask);
        return STEP_NEXT;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    for (; mask; mask &= mask - 1)
        if (access->address[__builtin_ctz(mask)] + access->bytes > cta->shared_bytes)
            lane = (uint32_t)__builtin_ctz(mask);
    return out_of_bounds(warp, access, W_shared, lane, "is outside of the CTA's shared memory");
}

static enum step_result access_local(struct warp *warp, const struct access *access, uint32_t mask,
                                     const struct span *span)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    if (span->most >= warp->local_stride || access->bytes > warp->local_stride - span->most)
        return out_of_bounds(warp, access, W_local, first,
                             "is outside of the thread's local memory");
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        struct view view = {warp->local + (size_t)lane * warp->local_stride + access->address[lane],
                            access->address[lane]};
        transfer(warp, access, &view, 1u << lane);
    }
    return STEP_NEXT;
}

static enum step_result access_space(struct warp *warp, const struct access *access, uint16_t space,
                                     uint32_t mask, const struct span *span)
{
    if (span->bits & (access->bytes - 1))
        return misaligned(warp, access, space);
    switch (space) {
    case W_shared: return access_shared(warp, access, mask, span);
    case W_local: return access_local(warp, access, mask, span);
    default: return access_global(warp, access, mask, span);
    }
}

// Generic addresses: each lane may be in a space of its own.
static enum step_result access_generic(struct warp *warp, struct access *access)
{
    static const struct {
        uint16_t space;
        uint64_t window;
    } windows[] = {{W_shared, SHARED_WINDOW}, {W_local, LOCAL_WINDOW}};
    uint32_t rest = access->mask;
    if (access->span.least >= LOCAL_WINDOW + WINDOW_BYTES)
        return access_space(warp, access, W_global, rest, &access->span);
    for (uint32_t w = 0; w < 2; w++) {
        uint32_t inside = 0;
        for (uint32_t i = 0; i < LANES; i++)
            inside |= (uint32_t)(access->address[i] - windows[w].window < WINDOW_BYTES) << i;
        inside &= rest;
        if (!inside)
            continue;
        for (uint32_t i = 0; i < LANES; i++)
            access->address[i] -= inside >> i & 1 ? windows[w].window : 0;
        struct span span = warp->ops->span(access->address, inside);
        enum step_result result = access_space(warp, access, windows[w].space, inside, &span);
        if (result != STEP_NEXT)
            return result;
        rest &= ~inside;
    }
    if (!rest)
        return STEP_NEXT;
    struct span span = warp->ops->span(access->address, rest);
    return access_space(warp, access, W_global, rest, &span);
}

void access_begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask)
{
    const struct memory_code *memory = code->extra;
    struct access *access = &warp->access;
    access->code = code;
    access->mask = mask;
    access->bytes = memory->bytes * memory->elements;
    const void *base = memory->base_width ? warp_slot(warp, memory->base) : NULL;
    uint64_t offset = (uint64_t)memory->offset + (memory->in_frame ? path->local : 0);
    access->span = warp->ops->addresses(access->address, base, memory->base_width, offset, mask);
    for (uint32_t i = 0; i < code->list->count; i++) {
        access->data[i] = warp_slot(warp, code->list->slot[i]);
        access->width[i] = code->list->width[i];
    }
}

enum step_result access_memory(struct warp *warp)
{
    struct access *access = &warp->access;
    const struct memory_code *memory = access->code->extra;
    return memory->space == W_UNKNOWN
               ? access_generic(warp, access)
               : access_space(warp, access, memory->space, access->mask, &access->span);
}

enum step_result step_load(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    access_begin(warp, path, code, mask);
    warp->access.writes = false;
    return access_memory(warp);
}

enum step_result step_store(struct warp *warp, struct path *path, const struct code *code,
                            uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    access_begin(warp, path, code, mask);
    warp->access.writes = true;
    return access_memory(warp);
}
