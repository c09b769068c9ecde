#include "runtime-sim/schemes/schemes.h"

// Registered schemes, in order of precedence.
#define SCHEMES(row)                                                                               \
    row(llc_omni) row(ari) row(memory_stacks) row(tom_blocks) row(full_empty) row(rgpu)

#define DECLARE(name) extern const struct scheme_ops name;
SCHEMES(DECLARE)

#define ADDRESS(name) &name,
const struct scheme_ops *const schemes[] = {SCHEMES(ADDRESS) NULL};
