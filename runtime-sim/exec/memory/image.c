#include "runtime-sim/exec/memory/image.h"
#include "support/search.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 256, FAR = 1 << 30 };

void image_init(struct image *image, struct arena *arena, uint64_t first)
{
    *image = (struct image){.arena = arena, .next = first, .heap_left = HEAP_BYTES};
}

uint32_t image_find(const struct image *image, uint64_t address)
{
    uint32_t low = SEARCH(i, 0, image->list.n, image->list.v[i].address <= address);
    return low - 1; // UINT32_MAX when all are above
}

struct allocation *image_allocate_at(struct image *image, uint64_t address, uint64_t bytes,
                                     const char *name)
{
    return image_add(image, address, bytes, arena_alloc(image->arena, bytes ? bytes : 1), name);
}

struct allocation *image_add(struct image *image, uint64_t address, uint64_t bytes, uint8_t *data,
                             const char *name)
{
    struct allocation allocation = {.address = address, .bytes = bytes, .data = data, .name = name};
    uint32_t after = image_find(image, address) + 1; // 0 if it is below all others
    vec_push(image->arena, &image->list, allocation);
    struct allocation *to = &image->list.v[after];
    if (after + 1 < image->list.n) {
        memmove(to + 1, to, (image->list.n - 1 - after) * sizeof *to);
        *to = allocation;
    }
    if (address + bytes + GAP > image->next)
        image->next = address + bytes + GAP;
    return to;
}

uint64_t image_next(const struct image *image, uint64_t bytes, uint64_t align)
{
    uint64_t address = align_up(image->next, larger(align, 256));
    return address < image->next || bytes > UINT64_MAX - GAP - address ? 0 : address;
}

uint64_t image_allocate(struct image *image, uint64_t bytes, uint64_t align, const char *name)
{
    uint64_t address = image_next(image, bytes, align);
    if (address)
        image_allocate_at(image, address, bytes, name);
    return address;
}

bool image_free(struct image *image, uint64_t address)
{
    uint32_t found = image_find(image, address);
    if (found == UINT32_MAX)
        return false;
    struct allocation *at = &image->list.v[found];
    if (at->address != address || at->state != ALLOCATION_LIVE)
        return false;
    at->state = ALLOCATION_FREED;
    return true;
}

void image_filled(struct image *image, uint64_t address)
{
    uint32_t found = image_find(image, address);
    if (found != UINT32_MAX)
        image->list.v[found].filled = true;
}

void image_describe_offset(char *to, size_t size, uint64_t offset, uint64_t bytes, const char *name,
                           size_t length)
{
    if (offset < bytes)
        snprintf(to, size, "%" PRIu64 " bytes into '%.*s' (%" PRIu64 " bytes)", offset, (int)length,
                 name, bytes);
    else if (offset == bytes)
        snprintf(to, size, "at the end of '%.*s' (%" PRIu64 " bytes)", (int)length, name, bytes);
    else
        snprintf(to, size, "%" PRIu64 " bytes after '%.*s' (%" PRIu64 " bytes)", offset - bytes,
                 (int)length, name, bytes);
}

static bool is_launch_memory(const struct allocation *at)
{
    return !strcmp(at->name, IMAGE_PARAMETERS) || !strcmp(at->name, IMAGE_WORKSPACE);
}

// Returns the nearest allocation at or below an address that is suitable to describe the address,
// or NULL.
static const struct allocation *find_below(const struct image *image, uint64_t address)
{
    uint32_t at = image_find(image, address);
    const struct allocation *first = at == UINT32_MAX ? NULL : &image->list.v[at];
    if (first && address - first->address <= first->bytes)
        return first;
    while (at != UINT32_MAX && is_launch_memory(&image->list.v[at]))
        at--; // wraps to UINT32_MAX after the first
    return at == UINT32_MAX ? NULL : &image->list.v[at];
}

static const struct allocation *find_above(const struct image *image, uint64_t address)
{
    uint32_t at = image_find(image, address) + 1;
    while (at < image->list.n && is_launch_memory(&image->list.v[at]))
        at++;
    return at < image->list.n ? &image->list.v[at] : NULL;
}

void image_describe(const struct image *image, uint64_t address, char *to, size_t size)
{
    const struct allocation *below = find_below(image, address);
    const struct allocation *above = find_above(image, address);
    uint64_t offset = below ? address - below->address : 0;
    bool inside = below && offset < below->bytes;
    uint64_t later = below ? offset - below->bytes : UINT64_MAX;
    uint64_t before = above ? above->address - address : UINT64_MAX;
    if (inside && below->state == ALLOCATION_FREED)
        snprintf(to, size, "inside '%s', which was freed", below->name);
    else if (!inside && later > FAR && before > FAR)
        snprintf(to, size, "not near any allocation");
    else if (!inside && before < later)
        snprintf(to, size, "%" PRIu64 " bytes before '%s' (%" PRIu64 " bytes)", before, above->name,
                 above->bytes);
    else
        image_describe_offset(to, size, offset, below->bytes, below->name, strlen(below->name));
}
