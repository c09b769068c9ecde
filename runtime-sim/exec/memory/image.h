// Global and constant memory: allocations with bounds, ordered by address.
#pragma once
#include "support/vec.h"

#include <stddef.h>

enum allocation_state { ALLOCATION_LIVE, ALLOCATION_FREED };

struct plane;

struct allocation {
    uint64_t address, bytes;
    uint8_t *data;
    const char *name; // name of the variable or buffer, for reports
    uint8_t state;
    bool constant;
    bool heap;           // allocated by a kernel, which may free it
    bool keeps_data;     // `data` stays valid after a kernel has freed it
    bool filled;         // completely written
    bool remote;         // memory of another device
    uint64_t *written;   // one bit per byte that a kernel has written; NULL: not recorded
    struct plane *plane; // full and empty words (plane.h); NULL: all words are full
};

struct image {
    struct arena *arena;
    VEC(struct allocation) list; // ordered by address
    uint64_t next;               // address of the next allocation
    uint64_t heap_left;          // bytes that kernels may still allocate
    uint8_t *pieces[64];         // freed blocks for reuse, by power of two
    bool has_remote;             // allocations may be memory of other devices
    bool has_planes;             // allocations may have state planes (plane.h)
    bool counts_reads;           // planes may count reads
    bool discards;               // as in struct plane_kind
    uint8_t state_bits;          // as in struct plane_kind
    bool watches_planes;         // untimed kernels check and change the planes
    uint8_t round;               // current round of the planes, from 1
};

// Names of allocations that a launch makes itself. The address of an access outside a buffer is not
// described relative to these.
#define IMAGE_PARAMETERS "kernel parameters"
#define IMAGE_WORKSPACE "the grid's workspace"

#define HEAP_BYTES (UINT64_C(8) << 20) // default size, as in CUDA

// Initialises an image. Addresses increase from `first` on and are not reused, so that accesses to
// freed memory are detected.
void image_init(struct image *image, struct arena *arena, uint64_t first);
// Allocates `bytes` zeroed bytes (at least one), aligned to `align` and at least to 256, followed
// by an unmapped gap. Returns their address, or 0 if the address space has not enough room.
uint64_t image_allocate(struct image *image, uint64_t bytes, uint64_t align, const char *name);
// Returns the address that image_allocate would return.
uint64_t image_next(const struct image *image, uint64_t bytes, uint64_t align);
// Adds an allocation with existing memory at `address`, outside all allocations.
struct allocation *image_add(struct image *image, uint64_t address, uint64_t bytes, uint8_t *data,
                             const char *name);
// Allocates zeroed bytes at an address that the caller chooses, outside all allocations.
struct allocation *image_allocate_at(struct image *image, uint64_t address, uint64_t bytes,
                                     const char *name);
// Frees an allocation. Returns false if no live allocation begins at `address`.
bool image_free(struct image *image, uint64_t address);

// Returns the index of the allocation that contains the address or is the nearest one below it, or
// UINT32_MAX.
uint32_t image_find(const struct image *image, uint64_t address);

// Marks the allocation at this address as completely written, such as a buffer that is filled
// before a launch. Used by the check for reads of unwritten bytes.
void image_filled(struct image *image, uint64_t address);
// Describes the location of an address: "16 bytes behind 'c' (4096 bytes)", "inside 'x', which was
// freed". Refers to the nearest buffer or variable; to a launch's own memory only if the address is
// inside it or at its end.
void image_describe(const struct image *image, uint64_t address, char *to, size_t size);
// Describes an offset relative to an object of `bytes` bytes with this name.
void image_describe_offset(char *to, size_t size, uint64_t offset, uint64_t bytes, const char *name,
                           size_t length);

// Returns true if the address is in memory of another device.
static inline bool image_is_remote(const struct image *image, uint64_t address)
{
    uint32_t found = image->has_remote ? image_find(image, address) : UINT32_MAX;
    return found != UINT32_MAX && image->list.v[found].remote;
}

// Returns the memory of `bytes` bytes at `address` if they are in one live allocation, else NULL.
// `hint` caches the index of the last result; it must be initialised to 0.
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
