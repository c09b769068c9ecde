// Evaluation of a value for each lane.
#pragma once
#include "passes/analysis/affine/affine_warp.h"

enum { EVALUATION_MAX = 64, EVALUATION_STEPS = 256, EVALUATION_DEPTH = 24 };

struct evaluation {
    struct affines *affines;
    uint32_t warp;
    bool by_thread;        // %tid was used
    uint32_t steps, depth; // used so far
    uint32_t count;        // versions with known values
    uint32_t versions[EVALUATION_MAX];
    struct affine_warp_value values[EVALUATION_MAX];
    struct affine_term bases[BASE_TERMS];
};

// affine_eval.c: evaluates a version, or an operand as a number of this width. All evaluate
// functions return false if the value is unknown. `block` is the block of the read.
bool evaluate_version(struct evaluation *e, uint32_t version, uint32_t block,
                      struct affine_warp_value *to);
bool evaluate_operand(struct evaluation *e, uint32_t operand, unsigned bits, uint32_t block,
                      struct affine_warp_value *to);
// Keeps the version's value for this evaluation. Returns false if no room is left.
bool evaluation_keep(struct evaluation *e, uint32_t version, const struct affine_warp_value *value);

// affine_eval_inst.c: evaluates a version from the instruction that defines it.
bool evaluate_inst(struct evaluation *e, uint32_t version, struct affine_warp_value *to);

// affine_eval_phi.c: evaluates a phi, by its index.
bool evaluate_phi(struct evaluation *e, uint32_t phi, struct affine_warp_value *to);
