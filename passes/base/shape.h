// The shape of a kernel's thread blocks.
#pragma once
#include "ir/ir.h"
#include "support/gpu.h"

struct block_shape {
    uint32_t x, y, z; // threads; all 0 if unknown
};

static inline bool shape_is_known(const struct block_shape *shape)
{
    return shape->x != 0;
}

// Returns the shape of `.reqntid` of the kernel, else `given` (from `--block`), which may be
// unknown. `.maxntid` does not fix a shape. Functions that are not kernels have the shape `given`.
struct block_shape shape_of(const struct ir_module *module, const struct ir_function *fn,
                            struct block_shape given);

// Returns the maximum number of threads along a dimension (W_x, W_y or W_z): the shape's, or the
// limit of any launch if the shape is unknown.
uint32_t shape_max(const struct block_shape *shape, uint16_t member);

// Returns true if the function reads %tid.y or %tid.z: its blocks have more than one dimension.
bool shape_has_rows(const struct ir_function *fn);

// Computes %tid of a thread from its number in the block, 32 · warp + lane. An unknown shape counts
// as one-dimensional. `tid` receives x, y, z.
void shape_thread(const struct block_shape *shape, uint32_t thread, uint32_t tid[3]);
