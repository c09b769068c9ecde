#include "runtime-sim/exec/builtin.h"
#include "runtime-sim/exec/cta.h"
#include <string.h>

static uint8_t *local_lane(struct warp *warp, const struct path *path,
                           const struct call_value *value, uint32_t lane)
{
    return warp->local + (size_t)lane * warp->local_stride + path->local + value->offset;
}

static uint64_t read_argument(struct warp *warp, const struct path *path, const struct call *call,
                              uint32_t n, uint32_t lane)
{
    uint64_t value = 0;
    if (n < call->argument_count)
        memcpy(&value, local_lane(warp, path, &call->arguments[n], lane),
               call->arguments[n].bytes < 8 ? call->arguments[n].bytes : 8);
    return value;
}

static void write_result(struct warp *warp, const struct path *path, const struct call *call,
                         uint32_t lane, uint64_t value)
{
    if (call->result_count)
        memcpy(local_lane(warp, path, &call->results[0], lane), &value,
               call->results[0].bytes < 8 ? call->results[0].bytes : 8);
}

static const char *call_malloc(struct warp *warp, const struct path *path, const struct call *call,
                               uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint64_t bytes = read_argument(warp, path, call, 0, lane);
        write_result(warp, path, call, lane,
                     image_allocate(warp->cta->launch->image, bytes, 16, "malloc"));
    }
    return NULL;
}

static const char *call_free(struct warp *warp, const struct path *path, const struct call *call,
                             uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        uint64_t address = read_argument(warp, path, call, 0, (uint32_t)__builtin_ctz(mask));
        if (address && !image_free(warp->cta->launch->image, address))
            return "free of an address that malloc did not give";
    }
    return NULL;
}

static const struct {
    const char *name;
    builtin_fn *fn;
} builtins[] = {
    {"malloc", call_malloc},
    {"free", call_free},
};

builtin_fn *builtin_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strlen(builtins[i].name) == length && !memcmp(builtins[i].name, name, length))
            return builtins[i].fn;
    return NULL;
}
