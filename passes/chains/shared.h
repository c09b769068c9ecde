// Shared memory of a kernel, and whether it leaves room at a core for the service queue [000 §4.4,
// §4.5].
#pragma once
#include "passes/base/capability.h"

// Bytes of the variables in shared memory that the function and its callees use, with their
// alignment. This is a lower bound: the dynamic shared memory of a launch and that of unknown code
// are not counted.
struct shared_memory {
    uint64_t bytes;
    uint32_t first; // the first instruction that uses such a variable, or IR_NONE
    bool more;      // a variable without a size is used: the launch sets its size
};

struct shared_search; // state of queries about a module
// Creates the state, in `arena`.
struct shared_search *shared_search_new(struct arena *arena, const struct ir_module *module);
// Returns the shared memory of a function.
struct shared_memory shared_memory_of(struct shared_search *search, uint32_t function);

// Returns true if one CTA leaves room for the service queue: chains may then be computed at any
// core on the route. Otherwise a chain may be computed only if all its operands are in one LLC
// partition.
bool shared_leaves_queue(const struct capability *capability, const struct shared_memory *shared);
