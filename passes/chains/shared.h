// How much shared memory a kernel takes, and whether that leaves room for the service queue at a
// core [000 §4.4, §4.5].
#pragma once
#include "passes/base/capability.h"

// Bytes of the variables in shared memory that the function or what it calls names, each with its
// alignment: at least so much is taken. What a launch adds is not known, nor what unknown code
// takes.
struct shared_memory {
    uint64_t bytes;
    uint32_t first; // the first instruction that names such a variable, or IR_NONE
    bool more;      // a variable without a size is named: the launch says how long it is
};

struct shared_search; // what is asked of a module again and again; lives in the arena
struct shared_search *shared_search_new(struct arena *arena, const struct ir_module *module);
struct shared_memory shared_memory_of(struct shared_search *search, uint32_t function);

// True if one CTA leaves what the service queue takes: chains may be computed at any core on the
// way. If not, they may only be computed where all their operands are in one LLC partition.
bool shared_leaves_queue(const struct capability *capability, const struct shared_memory *shared);
