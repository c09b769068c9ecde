// Addresses are not reused, so that accesses to freed memory are detected. The host's memory is
// reused, in blocks whose sizes are powers of two.
#include "runtime-sim/exec/memory/heap.h"
#include <string.h>

enum { ALIGN = 16 };

static uint32_t class_of(uint64_t bytes)
{
    return bytes <= sizeof(void *) ? 3 : 64 - (uint32_t)__builtin_clzll(bytes - 1);
}

static uint8_t *allocate_piece(struct image *image, uint64_t bytes)
{
    uint32_t class = class_of(bytes);
    uint8_t *piece = image->pieces[class];
    if (!piece)
        return arena_alloc(image->arena, UINT64_C(1) << class);
    memcpy(&image->pieces[class], piece, sizeof image->pieces[class]);
    memset(piece, 0, bytes > sizeof(void *) ? bytes : sizeof(void *));
    return piece;
}

struct allocation *heap_restore(struct image *image, uint64_t address, uint64_t bytes)
{
    struct allocation *at =
        image_add(image, address, bytes, allocate_piece(image, bytes), "malloc");
    at->heap = true;
    return at;
}

bool heap_adopt(struct image *image, uint64_t address)
{
    struct allocation *at = &image->list.v[image_find(image, address)];
    if (at->bytes > image->heap_left)
        return false;
    image->heap_left -= at->bytes;
    at->heap = at->keeps_data = true;
    return true;
}

uint64_t heap_size(const struct image *image)
{
    uint64_t bytes = image->heap_left;
    for (uint32_t i = 0; i < image->list.n; i++)
        if (image->list.v[i].heap && image->list.v[i].state == ALLOCATION_LIVE)
            bytes += image->list.v[i].bytes;
    return bytes;
}

uint64_t heap_allocate(struct image *image, uint64_t bytes)
{
    if (bytes > image->heap_left)
        return 0;
    uint64_t address = image_next(image, bytes, ALIGN);
    if (!address)
        return 0;
    image->heap_left -= bytes;
    heap_restore(image, address, bytes);
    return address;
}

bool heap_give(struct image *image, uint64_t address)
{
    uint32_t found = image_find(image, address);
    if (found == UINT32_MAX || !image->list.v[found].heap || !image_free(image, address))
        return false;
    struct allocation *at = &image->list.v[found];
    image->heap_left += at->bytes;
    if (at->keeps_data)
        return true;
    uint32_t class = class_of(at->bytes);
    memcpy(at->data, &image->pieces[class], sizeof(void *));
    image->pieces[class] = at->data;
    at->data = NULL;
    return true;
}
