// Launches without time whose loads wait for full words: they run again from the start when more
// words are full. What an attempt has written is undone.
#include "runtime-sim/device/stream.h"
#include "runtime-sim/exec/memory/plane.h"
#include <string.h>

// The contents of an allocation before the attempt.
struct before {
    uint8_t *data;
    uint32_t *full;
};

static uint64_t lines_of(const struct allocation *at)
{
    return (at->bytes + PLANE_LINE - 1) / PLANE_LINE;
}

static bool has_empty_words(const struct image *image)
{
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        for (uint64_t k = 0; at->plane && at->state == ALLOCATION_LIVE && k < lines_of(at); k++)
            if (at->plane->full[k] != at->plane->exists[k])
                return true;
    }
    return false;
}

static struct before *save(const struct image *image, struct arena *arena)
{
    struct before *all = ARENA_ARRAY(arena, struct before, image->list.n);
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        if (at->state != ALLOCATION_LIVE || at->constant)
            continue;
        all[i].data = arena_alloc(arena, at->bytes);
        memcpy(all[i].data, at->data, at->bytes);
        if (!at->plane)
            continue;
        all[i].full = ARENA_ARRAY(arena, uint32_t, lines_of(at));
        memcpy(all[i].full, at->plane->full, lines_of(at) * sizeof *all[i].full);
    }
    return all;
}

static void restore(struct image *image, const struct before *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct allocation *at = &image->list.v[i];
        if (all[i].data && at->state == ALLOCATION_LIVE)
            memcpy(at->data, all[i].data, at->bytes);
        if (all[i].full && at->state == ALLOCATION_LIVE)
            memcpy(at->plane->full, all[i].full, lines_of(at) * sizeof *all[i].full);
    }
}

bool device_attempt(struct device *device, struct device_command *command,
                    struct device_result *result)
{
    struct image *image = device->image;
    struct arena own;
    arena_init(&own, device->arena->memory);
    uint32_t count = image->list.n;
    bool may_fail = image->has_planes && has_empty_words(image);
    const struct before *before = may_fail ? save(image, &own) : NULL;
    image->watches_planes = image->has_planes;
    result->end = device_run_now(device, command, result);
    image->watches_planes = false;
    bool failed = may_fail && result->end == DEVICE_FAULT && result->grid.fault.needs_word;
    if (failed) {
        restore(image, before, count);
        device->launches--;
        command->launch->kernel->launches--;
        device->instructions -= result->grid.warp_instructions;
        command->has_ended = false;
    }
    arena_free(&own);
    return !failed;
}
