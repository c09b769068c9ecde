// Liveness of registers that live in many blocks. Private to the floor.
#pragma once
#include "ir/internal.h"
#include <string.h>

struct wide_list {
    uint32_t reg;
    VEC(struct ir_run) runs; // in which it is live on entry, ascending, no two next to each other
};

// Fills the runs of these registers. Returns false if some have none because they would take too
// long. `readers`, `kills`: per register, blocks that read its value
// on entry, and blocks that define it.
bool liveness_wide(const struct ir_function *fn, struct arena *scratch, const struct csr *readers,
                   const struct csr *kills, struct wide_list *lists, uint32_t count);
