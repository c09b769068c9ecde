#include "runtime-sim/exec/memory/heap.h"
#include "runtime-sim/exec/warp/builtin.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/spawn.h"
#include <string.h>

uint8_t *guest_at(struct warp *warp, uint32_t lane, uint64_t address, uint64_t bytes)
{
    uint64_t shared = address - SHARED_WINDOW, local = address - LOCAL_WINDOW;
    const struct cta *cta = warp->cta;
    if (shared < WINDOW_BYTES)
        return shared < cta->shared_bytes && bytes <= cta->shared_bytes - shared
                   ? cta->shared + shared
                   : NULL;
    if (local < WINDOW_BYTES)
        return local < warp->local_stride && bytes <= warp->local_stride - local
                   ? warp->local + (size_t)lane * warp->local_stride + local
                   : NULL;
    return image_at(cta->launch->image, address, bytes, &warp->hint);
}

bool guest_string(struct warp *warp, uint32_t lane, uint64_t address, char *to, size_t room)
{
    for (size_t i = 0; i + 1 < room; i++) {
        const uint8_t *at = guest_at(warp, lane, address + i, 1);
        to[i] = at ? (char)*at : 0;
        if (!to[i])
            return at != NULL;
    }
    to[room - 1] = 0;
    return true;
}

static uint8_t *lane_of(struct warp *warp, const struct path *path, const struct call_value *value,
                        uint32_t lane)
{
    if (value->slot != REG_SLOT_NONE)
        return (uint8_t *)warp_register_lanes(warp, value->slot) + (size_t)lane * value->width;
    return warp->local + (size_t)lane * warp->local_stride + path->local + value->offset;
}

uint64_t builtin_argument(struct warp *warp, const struct path *path, const struct call *call,
                          uint32_t n, uint32_t lane)
{
    uint64_t value = 0;
    builtin_bytes(warp, path, call, n, lane, &value, sizeof value);
    return value;
}

void builtin_bytes(struct warp *warp, const struct path *path, const struct call *call, uint32_t n,
                   uint32_t lane, void *to, size_t bytes)
{
    if (n < call->argument_count)
        memcpy(to, lane_of(warp, path, &call->arguments[n], lane),
               call->arguments[n].bytes < bytes ? call->arguments[n].bytes : bytes);
}

void builtin_result(struct warp *warp, const struct path *path, const struct call *call,
                    uint32_t lane, uint64_t value)
{
    if (call->result_count)
        memcpy(lane_of(warp, path, &call->results[0], lane), &value,
               call->results[0].bytes < 8 ? call->results[0].bytes : 8);
}

static const char *call_malloc(struct warp *warp, const struct path *path, const struct call *call,
                               uint32_t *mask)
{
    for (; *mask; *mask &= *mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(*mask);
        uint64_t bytes = builtin_argument(warp, path, call, 0, lane);
        builtin_result(warp, path, call, lane, heap_allocate(warp->cta->launch->image, bytes));
    }
    return NULL;
}

static const char *call_free(struct warp *warp, const struct path *path, const struct call *call,
                             uint32_t *mask)
{
    struct image *image = warp->cta->launch->image;
    for (; *mask; *mask &= *mask - 1) {
        uint64_t address = builtin_argument(warp, path, call, 0, (uint32_t)__builtin_ctz(*mask));
        if (!address || heap_give(image, address))
            continue;
        warp->fault->has_address = true;
        warp->fault->address = address;
        image_describe(image, address, warp->fault->nearest, sizeof warp->fault->nearest);
        return "free of an address that malloc did not return, or that was already freed";
    }
    return NULL;
}

// __assertfail(message, file, line, function, size of a character)
static const char *call_assertfail(struct warp *warp, const struct path *path,
                                   const struct call *call, uint32_t *mask)
{
    enum { PART = 80 };
    char part[3][PART];
    static const uint32_t places[] = {0, 1, 3};
    uint32_t lane = (uint32_t)__builtin_ctz(*mask);
    for (uint32_t i = 0; i < 3; i++)
        if (!guest_string(warp, lane, builtin_argument(warp, path, call, places[i], lane), part[i],
                          PART))
            strcpy(part[i], "?");
    return arena_printf(warp->arena, "assertion '%s' failed in %s, %s:%u", part[0], part[2],
                        part[1], (uint32_t)builtin_argument(warp, path, call, 2, lane));
}

// cudaGraphSetConditional(handle, value): the handle is the address of a word.
static const char *call_set_condition(struct warp *warp, const struct path *path,
                                      const struct call *call, uint32_t *mask)
{
    for (; *mask; *mask &= *mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(*mask);
        uint32_t value = (uint32_t)builtin_argument(warp, path, call, 1, lane);
        uint8_t *at =
            guest_at(warp, lane, builtin_argument(warp, path, call, 0, lane), sizeof value);
        if (!at)
            return "a conditional handle that cudaGraphConditionalHandleCreate did not return";
        memcpy(at, &value, sizeof value);
        warp->writes++;
    }
    return NULL;
}

static const struct {
    const char *name;
    builtin_fn *fn;
} builtins[] = {
    {"malloc", call_malloc},
    {"free", call_free},
    {"vprintf", call_vprintf},
    {"__assertfail", call_assertfail},
    {"cudaGraphSetConditional", call_set_condition},
};

builtin_fn *builtin_named(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(builtins); i++)
        if (strlen(builtins[i].name) == length && !memcmp(builtins[i].name, name, length))
            return builtins[i].fn;
    return spawn_named(name, length);
}
