// Which values are the same in all active lanes of a warp, and which branches keep a warp together.
//
// "Uniform" is said of a value at a point of the program: of the lanes that execute an instruction
// together, all see the same. A value is varying if it is computed from a varying one, if it is a
// phi at which lanes meet that a branch has parted (sync dependence), or if it is read where lanes
// meet that have executed its definition at different times (temporal divergence): it is uniform in
// a loop and varying behind it if lanes leave the loop in different iterations. Lanes that a branch
// has parted meet again at the latest at the branch's immediate post-dominator.
#pragma once
#include "passes/base/shape.h"

struct divergence;

enum divergence_shape {
    SHAPE_ASSUMED, // for the shape; an unknown one is taken as one-dimensional and whole warps
    SHAPE_ANY,     // for the shape; an unknown one may be any: what is uniform is so for sure
    // As assumed, but of all threads of a block, in whichever warp they are: what one warp decides
    // differs from what another does. All that is said of lanes holds of these.
    SHAPE_BETWEEN_WARPS,
};

// Time is close to linear in the function. Everything is kept in `arena`.
struct divergence *divergence_new(struct arena *arena, const struct ir_module *module,
                                  const struct ir_function *fn, struct block_shape shape,
                                  enum divergence_shape unknown);

// The version where it is defined.
bool divergence_uniform(const struct divergence *divergence, uint32_t version);
// The version as read in this block, which may lie behind the loops that define it.
bool divergence_uniform_in(const struct divergence *divergence, uint32_t version, uint32_t block);
// True if lanes that execute `to` together may have executed `from` at different times: `from` is
// in a loop that they have left in different iterations, or that some of them went round once more.
bool divergence_apart(const struct divergence *divergence, uint32_t from, uint32_t to);
// The same of the block that defines the version.
bool divergence_left_apart(const struct divergence *divergence, uint32_t version, uint32_t block);
// The same of a version that a phi of `block` takes from the predecessor `pred`.
bool divergence_argument_apart(const struct divergence *divergence, uint32_t version, uint32_t pred,
                               uint32_t block);
// What an operand reads, at its instruction: registers, special registers, immediates, symbols.
bool divergence_operand(const struct divergence *divergence, uint32_t operand);

// True if the branch at the end of the block may part a warp.
bool divergence_branches(const struct divergence *divergence, uint32_t block);
// True if lanes that execute the block together are, or were last, in the same iteration of the
// loop.
bool divergence_iterates(const struct divergence *divergence, uint32_t loop, uint32_t block);
// True if the special register differs between the lanes of a warp.
bool divergence_special(const struct divergence *divergence, uint32_t special, uint16_t member);
