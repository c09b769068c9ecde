// Compares the analyses of a kernel's instructions with counts of its execution.
#pragma once
#include "passes/analysis/memory/coalescing.h"
#include "runtime-sim/exec/check/profile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct bounds_counts {
    uint32_t accesses, known, exact; // global and generic accesses in the text
    uint32_t compared;               // of those known: executed by a whole warp
    uint32_t uniform;                // instructions that were said to give uniform results
    uint32_t loops;                  // with a constant trip count
};

// Fails where the two differ. `shape` is the analyses' block shape, which must hold for the launch.
void counted_compare(struct arena *arena, const struct ir_module *module, uint32_t function,
                     const struct profile_function *counts, struct block_shape shape,
                     struct bounds_counts *tally);
