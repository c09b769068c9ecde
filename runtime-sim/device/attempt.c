// Untimed launches whose loads wait for full words. They run again from the start when more words
// are full. Writes of a failed attempt are undone.
#include "runtime-sim/device/command.h"
#include "runtime-sim/exec/memory/plane.h"
#include <string.h>

// Contents of an allocation before the attempt.
struct before {
    uint8_t *data;
    struct plane plane; // copies of its arrays, or NULL
};

// Returns true if words are empty, or may become empty.
static bool may_have_empty_words(const struct image *image)
{
    if (image->counts_reads)
        return true;
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        for (uint64_t k = 0; at->plane && at->state == ALLOCATION_LIVE && k < plane_lines(at); k++)
            if (at->plane->full[k] != at->plane->exists[k])
                return true;
    }
    return false;
}

static void *copy_of(struct arena *arena, const void *from, size_t bytes)
{
    return from ? memcpy(arena_alloc(arena, bytes), from, bytes) : NULL;
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
        all[i].plane.full = copy_of(arena, at->plane->full, plane_lines(at) * sizeof(uint32_t));
        all[i].plane.released =
            copy_of(arena, at->plane->released, plane_lines(at) * sizeof(uint32_t));
        all[i].plane.count = copy_of(arena, at->plane->count, plane_lines(at) * PLANE_WORDS);
    }
    return all;
}

static void put_back(void *to, const void *from, size_t bytes)
{
    if (from)
        memcpy(to, from, bytes);
}

static void restore(struct image *image, const struct before *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct allocation *at = &image->list.v[i];
        if (at->state != ALLOCATION_LIVE)
            continue;
        put_back(at->data, all[i].data, at->bytes);
        if (!at->plane)
            continue;
        put_back(at->plane->full, all[i].plane.full, plane_lines(at) * sizeof(uint32_t));
        put_back(at->plane->released, all[i].plane.released, plane_lines(at) * sizeof(uint32_t));
        put_back(at->plane->count, all[i].plane.count, plane_lines(at) * PLANE_WORDS);
    }
}

bool device_attempt(struct device *device, struct device_command *command,
                    struct device_result *result)
{
    struct image *image = device->image;
    struct arena own;
    arena_init(&own, device->arena->memory);
    uint32_t count = image->list.n;
    bool may_fail = image->has_planes && may_have_empty_words(image);
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
