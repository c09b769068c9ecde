// Global and constant memory: allocations with bounds, by address.
#pragma once
#include "support/vec.h"

#include <stddef.h>

enum allocation_state { ALLOCATION_LIVE, ALLOCATION_FREED };

struct plane;

struct allocation {
    uint64_t address, bytes;
    uint8_t *data;
    const char *name; // for reports: a variable, a buffer
    uint8_t state;
    bool constant;
    bool heap;           // allocated by a kernel, which may free it
    bool filled;         // completely written
    uint64_t *written;   // a bit for each byte that a kernel has written; NULL: not recorded
    struct plane *plane; // full and empty words (plane.h); NULL: all are full
};

struct image {
    struct arena *arena;
    VEC(struct allocation) list; // by address
    uint64_t next;               // address of the next allocation
    uint64_t heap_left;          // bytes that kernels can still allocate
    uint8_t *pieces[64];         // bytes that they have freed, by powers of two
    bool has_planes;             // allocations may have state planes (plane.h)
    bool counts_reads;           // planes may count reads
    bool discards;               // of a plane_kind
    uint8_t state_bits;          // of a plane_kind
    bool watches_planes;         // kernels without time check and change them
    uint8_t round;               // of the planes, from 1
};

// Names of a launch's own allocations. An access that misses a buffer is not described by its
// distance to these.
#define IMAGE_PARAMETERS "kernel parameters"
#define IMAGE_WORKSPACE "the grid's workspace"

#define HEAP_BYTES (UINT64_C(8) << 20) // default size, as in CUDA

// Addresses increase from `first` on and are not reused: an access to freed memory is detected.
void image_init(struct image *image, struct arena *arena, uint64_t first);
// Allocates `bytes` zeroed bytes (at least one), aligned to `align` and to 256 at least, with an
// unmapped gap behind. Returns their address, or 0 if the address space has no room.
uint64_t image_allocate(struct image *image, uint64_t bytes, uint64_t align, const char *name);
// Returns the address of the next allocation, or 0 if there is no room.
uint64_t image_next(const struct image *image, uint64_t bytes, uint64_t align);
// Adds an allocation at that address whose memory exists.
struct allocation *image_add(struct image *image, uint64_t address, uint64_t bytes, uint8_t *data,
                             const char *name);
// image_allocate at an address of the caller's, outside of all others.
struct allocation *image_allocate_at(struct image *image, uint64_t address, uint64_t bytes,
                                     const char *name);
// Returns false if no live allocation begins there.
bool image_free(struct image *image, uint64_t address);

// Returns the allocation that contains the address, or the nearest one below it, or UINT32_MAX.
uint32_t image_find(const struct image *image, uint64_t address);

// Marks the allocation at this address as completely written: a buffer that is filled before a
// launch. For checks of reads of unwritten bytes.
void image_filled(struct image *image, uint64_t address);
// Describes the place of an address: "16 bytes behind 'c' (4096 bytes)", "inside 'x', which was
// freed". Names the nearest buffer or variable; a launch's own memory only if the address lies in
// it or at its end.
void image_describe(const struct image *image, uint64_t address, char *to, size_t size);
void image_describe_offset(char *to, size_t size, uint64_t offset, uint64_t bytes, const char *name,
                           size_t length);

// Returns the memory of `bytes` at `address`, if they are in one live allocation, else NULL. `hint`
// keeps the index of the last result and must start as 0.
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
