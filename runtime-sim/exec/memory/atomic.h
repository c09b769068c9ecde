// Atomic operations on memory, one element at a time.
#pragma once
#include "frontend/isa.h"
#include "runtime-sim/exec/memory/access.h"

// Sets *old = *at and *at = op(*at, *b) or, for cas, op(*at, *b, *c). Returns true if *at has
// changed.
typedef bool atomic_fn(uint8_t *at, const void *b, const void *c, void *old);

struct atomic_op {
    uint16_t op, type; // isa_words
    atomic_fn *fn;     // for shared memory
    atomic_fn *global; // for global memory; NULL: the same as `fn`
};

// Returns the operation with these isa_words, or NULL if it does not exist.
const struct atomic_op *atomic_find(uint16_t op, uint16_t type);

// Returns the function of the operation for a state space.
static inline atomic_fn *atomic_in(const struct atomic_op *op, uint16_t space)
{
    return space == W_global && op->global ? op->global : op->fn;
}

// A decoded atom or red. The list of operands has the destination, b and, for cas, c, each for all
// elements.
struct atomic_code {
    const struct memory_code *memory;
    const struct atomic_op *op;
};

enum { ATOMIC_OPERANDS = 3 * ACCESS_ELEMENTS };

// First step: computes the addresses.
void atomic_begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask, struct access *access);
// Second and third step, lane by lane. `operands` are the lanes of the list's operands; NULL: old
// values are not read. Returns STEP_FAULT for an invalid address.
enum step_result atomic_lanes(struct warp *warp, const struct access *access, void *const *operands,
                              bool *changed);
// Lets other paths and warps continue first, after an operation that changed nothing.
void atomic_yield(struct warp *warp, const struct code *code);
