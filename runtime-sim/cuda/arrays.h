// Arrays of texels, textures and surfaces.
#pragma once
#include "runtime-sim/cuda/work.h"

enum cuda_array_flags { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 };

// Return the array or mipmapped array of a handle, or NULL.
struct cuda_array *array_of(struct cuda *cuda, const void *handle);
struct cuda_mipmap *mipmap_of(struct cuda *cuda, const void *handle);
// Returns the number of layers of an array, with 6 for each cube. 0: it has no layers.
uint32_t array_layers(const struct cuda_array *array);
// Creates an array. Returns an error.
int array_create(struct cuda *cuda, void **to, const struct cuda_channels *channels,
                 struct cuda_extent extent, unsigned flags);
// Creates a mipmapped array with at most `levels` levels. Returns an error.
int mipmap_create(struct cuda *cuda, void **to, const struct cuda_channels *channels,
                  struct cuda_extent extent, unsigned levels, unsigned flags);
// Returns the side of a copy that starts at this byte, row and slice of the array.
struct cuda_side array_side(const struct cuda_array *array, uint64_t x, uint64_t y, uint64_t z);
// Issues a copy of bytes between an array, from a byte of its first row on, and `other`, a place in
// memory or, with `is_array`, a byte of another array. Returns an error.
struct array_bytes {
    const void *array;
    size_t at;
    const void *other;
    size_t other_at; // with is_array
    bool is_array, to_array;
    size_t bytes;
    int kind;
};
int array_copy_bytes(struct cuda *cuda, const struct array_bytes *from, void *stream, bool waits);

// Creates a texture object, or a surface object if `how` is NULL. `view` may be NULL. Returns an
// error.
int texture_create(struct cuda *cuda, unsigned long long *object,
                   const struct cuda_resource *resource, const struct cuda_texture_how *how,
                   const struct cuda_view *view);
// Forgets the textures of the current device, and arrays whose memory was freed.
void textures_reset(struct cuda *cuda);
// Likewise, with a handle that the caller chooses and that no texture has.
int texture_create_at(struct cuda *cuda, uint64_t handle, const struct cuda_resource *resource,
                      const struct cuda_texture_how *how, const struct cuda_view *view);
// Waits for kernels, and destroys a texture or surface. Returns an error.
int texture_destroy(struct cuda *cuda, unsigned long long object, bool is_surface);
// Returns the texture or surface of a handle, or NULL.
struct cuda_texture *texture_of(struct cuda *cuda, unsigned long long object, bool is_surface);
