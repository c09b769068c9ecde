// The shape of the thread blocks that a kernel is launched with.
#pragma once
#include "ir/ir.h"
#include "support/gpu.h"

struct block_shape {
    uint32_t x, y, z; // threads; all 0 if not known
};

static inline bool shape_is_known(const struct block_shape *shape)
{
    return shape->x != 0;
}

// What `.reqntid` of the kernel says, else `given` (from `--block`), which may be unknown.
// `.maxntid` is a limit and no shape. A function that is no kernel has the shape that is given.
struct block_shape shape_of(const struct ir_module *module, const struct ir_function *fn,
                            struct block_shape given);

// Most threads along a dimension (W_x, W_y, W_z): of the shape, else what any launch may have.
uint32_t shape_most(const struct block_shape *shape, uint16_t member);

// True if the function reads %tid.y or %tid.z: its blocks have more than one dimension.
bool shape_has_rows(const struct ir_function *fn);

// %tid of a thread, by its number in the block: 32 · warp + lane. An unknown shape is taken as
// one-dimensional. `tid` receives x, y, z.
void shape_thread(const struct block_shape *shape, uint32_t thread, uint32_t tid[3]);
