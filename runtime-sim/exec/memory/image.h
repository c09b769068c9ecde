// Global and constant memory: allocations with bounds, by address.
#pragma once
#include "support/vec.h"

#include <stddef.h>

enum allocation_state { ALLOCATION_LIVE, ALLOCATION_FREED };

struct allocation {
    uint64_t address, bytes;
    uint8_t *data;
    const char *name; // for reports: a variable, a buffer
    uint8_t state;
    bool constant;
    bool heap;         // a kernel has taken it, and may give it back
    bool filled;       // all of it holds what somebody has put there
    uint64_t *written; // a bit for each byte that a kernel has written; NULL: nobody keeps account
};

struct image {
    struct arena *arena;
    VEC(struct allocation) list; // by address
    uint64_t next;               // where the next one goes
    uint64_t heap_left;          // bytes that kernels can still take
    uint8_t *pieces[64];         // that they have given back, by powers of two
};

// Names of what a launch allocates for itself. An access that misses a buffer is not described by
// its distance to these.
#define IMAGE_PARAMETERS "kernel parameters"
#define IMAGE_WORKSPACE "the grid's workspace"

#define HEAP_BYTES (UINT64_C(8) << 20) // unless somebody says so, as CUDA has it

// Addresses are given from `first` on, upwards, and never again: an access to what was freed is
// found.
void image_init(struct image *image, struct arena *arena, uint64_t first);
// `bytes` zeroed bytes (at least one is reserved), aligned to `align` and to 256 at least, with a
// gap behind that belongs to nobody. Returns their address; 0: no room in the address space.
uint64_t image_allocate(struct image *image, uint64_t bytes, uint64_t align, const char *name);
// Where an allocation would go; 0: no room.
uint64_t image_next(const struct image *image, uint64_t bytes, uint64_t align);
// Adds one there that has its memory already.
struct allocation *image_add(struct image *image, uint64_t address, uint64_t bytes, uint8_t *data,
                             const char *name);
// The same at an address of the caller's, behind all others.
struct allocation *image_allocate_at(struct image *image, uint64_t address, uint64_t bytes,
                                     const char *name);
// False if nothing live begins there.
bool image_free(struct image *image, uint64_t address);

// The allocation that holds the address, or the nearest one below it; IR_NONE-like UINT32_MAX:
// none.
uint32_t image_find(const struct image *image, uint64_t address);

// From now on all of the allocation at this address counts as written: a buffer that is filled
// before a launch. For those who look for reads of what was never written.
void image_filled(struct image *image, uint64_t address);
// Where an address lies, in words: "16 bytes behind 'c' (4096 bytes)", "inside 'x', which was
// freed". Names the nearest buffer or variable; a launch's own memory only if the address lies in
// it or at its end.
void image_describe(const struct image *image, uint64_t address, char *to, size_t size);
void image_describe_offset(char *to, size_t size, uint64_t offset, uint64_t bytes, const char *name,
                           size_t length);

// Where `bytes` at `address` lie, if they are in one live allocation; else NULL. `hint` keeps the
// place of the last answer and must start as 0.
static inline uint8_t *image_at(const struct image *image, uint64_t address, uint64_t bytes,
                                uint32_t *hint)
{
    if (*hint < image->list.n) {
        const struct allocation *at = &image->list.v[*hint];
        uint64_t offset = address - at->address;
        if (offset < at->bytes && bytes <= at->bytes - offset && at->state == ALLOCATION_LIVE)
            return at->data + offset;
    }
    uint32_t found = image_find(image, address);
    if (found == UINT32_MAX)
        return NULL;
    const struct allocation *at = &image->list.v[found];
    uint64_t offset = address - at->address;
    if (offset >= at->bytes || bytes > at->bytes - offset || at->state != ALLOCATION_LIVE)
        return NULL;
    *hint = found;
    return at->data + offset;
}
