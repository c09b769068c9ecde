// Writing what is proven: a chain or block that the checker (passes/verify/verify.h) refutes is
// left out, and what is left is written and checked again.
#pragma once
#include "backend/backend.h"

// What the checker refutes: a fault of this program, not of the user's.
struct left_out {
    uint32_t begin;   // offset in the input
    const char *what; // "this chain", …
    const char *text; // why: a sentence without a full stop
};

struct proof {
    VEC(struct left_out) list;
    uint64_t statements; // of the input
    uint64_t moved;      // that stand in another order
    // Called behind each "emit" and "verify"; may be NULL.
    void (*step)(void *context, const char *name);
    void *context;
};

// As backend_emit, but the plan loses what is refuted, each with a rejection and an entry of
// `proof`. If nothing is left to be lost, the output is the input. `proof` has nothing but its
// step.
void backend_emit_proven(struct output *output, struct proof *proof, struct arena *arena,
                         struct ir_module *module, struct plan *plan,
                         const struct backend_options *options);
