// Values that are equal in all active lanes of a warp, and branches that do not diverge.
//
// A value is "uniform" at a point of the program: all lanes that execute an instruction together
// read the same value. A value varies if it is computed from a varying one, if it is a phi at the
// reconvergence point of a divergent branch (sync dependence), or if it is read by lanes that have
// executed its definition at different times (temporal divergence): it is uniform in a loop and
// varies after it if lanes leave the loop in different iterations. Divergent lanes reconverge at
// the latest at the branch's immediate post-dominator.
#pragma once
#include "passes/base/shape.h"

struct divergence;

enum divergence_shape {
    SHAPE_ASSUMED, // an unknown shape counts as one-dimensional with whole warps
    SHAPE_ANY,     // an unknown shape may be any: uniform values are certain
    // As SHAPE_ASSUMED, but over all threads of a block instead of the lanes of a warp: results
    // that each warp computes for itself vary.
    SHAPE_BETWEEN_WARPS,
};

// Analyses a function. Time is close to linear in its size. All results are in `arena`.
struct divergence *divergence_new(struct arena *arena, const struct ir_module *module,
                                  const struct ir_function *fn, struct block_shape shape,
                                  enum divergence_shape unknown);

// Returns true if the version is uniform at its definition.
bool divergence_uniform(const struct divergence *divergence, uint32_t version);
// Returns true if the version is uniform in this block, which may be after the loops that define
// it.
bool divergence_uniform_in(const struct divergence *divergence, uint32_t version, uint32_t block);
// Returns true if lanes that execute `to` together may have executed `from` at different times:
// `from` is in a loop that they left in different iterations, or of which some executed one more
// iteration.
bool divergence_apart(const struct divergence *divergence, uint32_t from, uint32_t to);
// Returns divergence_apart from the block that defines the version.
bool divergence_left_apart(const struct divergence *divergence, uint32_t version, uint32_t block);
// Returns divergence_apart for a version that a phi of `block` reads from the predecessor `pred`.
bool divergence_argument_apart(const struct divergence *divergence, uint32_t version, uint32_t pred,
                               uint32_t block);
// Returns true if an operand (register, special register, immediate or symbol) is uniform at its
// instruction.
bool divergence_operand(const struct divergence *divergence, uint32_t operand);

// Returns true if the branch at the end of the block may diverge.
bool divergence_branches(const struct divergence *divergence, uint32_t block);
// Returns true if lanes that execute the block together are, or were last, in the same iteration of
// the loop.
bool divergence_iterates(const struct divergence *divergence, uint32_t loop, uint32_t block);
// Returns true if the special register differs between the lanes of a warp.
bool divergence_special(const struct divergence *divergence, uint32_t special, uint16_t member);
