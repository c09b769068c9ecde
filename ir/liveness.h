// Liveness of registers that are live in many blocks. Private to the floor.
#pragma once
#include "ir/internal.h"
#include <string.h>

struct wide_list {
    uint32_t reg;
    VEC(struct ir_run)
    runs; // ranges of blocks in which it is live on entry; ascending, not
          // adjacent
};

// Computes the ranges of these registers. Returns false if it gave up on some of them, whose ranges
// stay empty. `readers` and `kills` have, per register, the blocks that read its entry value and
// the blocks that define it.
bool liveness_wide(const struct ir_function *fn, struct arena *scratch, const struct csr *readers,
                   const struct csr *kills, struct wide_list *lists, uint32_t count);
