// Random kernels: valid, terminating, without races between threads, and full of code that the
// tagger looks for. The same seed gives the same kernel.
#pragma once
#include "support/vec.h"
#include "tests/fuzz/launch.h"

// One line, or several dependent ones.
struct kernel_statement {
    const char *text;
    // A fused multiply-add as two instructions with two roundings, which is what --fma=split may
    // make of it; else NULL.
    const char *divided;
    // Statements that are of no use without each other have one number; 0: none. What stands
    // between can do without them.
    uint32_t group;
    bool fixed;   // the kernel cannot do without it
    bool dropped; // it is left out
};

struct random_kernel {
    struct arena *arena;
    uint32_t times;
    bool spins; // how often loops go round depends on time
    VEC(struct kernel_statement) list;
    struct launch_inputs inputs;
};

void kernel_make(struct random_kernel *kernel, struct arena *arena, uint64_t seed);
enum kernel_kind {
    KERNEL_PLAIN,
    KERNEL_SCOPES, // with scopes that shadow registers, calls, and more chains at a time
    KERNEL_SPACES, // and with generic pointers into shared and local memory
};
// Makes a kernel with this many times the CTAs.
void kernel_make_kind(struct random_kernel *kernel, struct arena *arena, uint64_t seed,
                      uint32_t times, enum kernel_kind kind);
// Returns the text without the dropped statements; with `divided` (a bit per statement; may be
// NULL) those fused multiply-adds are two instructions. `lines`: the first line of each statement,
// from 1, or NULL.
const char *kernel_text(const struct random_kernel *kernel, const uint64_t *divided,
                        uint32_t *lines);
