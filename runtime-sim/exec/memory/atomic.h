// Atomic operations on memory, one element at a time.
#pragma once
#include "frontend/isa.h"
#include "runtime-sim/exec/memory/access.h"

// *old = *at; *at = op(*at, *b) or, for cas, op(*at, *b, *c). Returns true if *at has changed.
typedef bool atomic_fn(uint8_t *at, const void *b, const void *c, void *old);

struct atomic_op {
    uint16_t op, type; // isa_words
    atomic_fn *fn;     // shared memory
    atomic_fn *global; // NULL: same as `fn`
};

// Returns NULL if the operation does not exist.
const struct atomic_op *atomic_find(uint16_t op, uint16_t type);

static inline atomic_fn *atomic_in(const struct atomic_op *op, uint16_t space)
{
    return space == W_global && op->global ? op->global : op->fn;
}

// Decoded atom and red. In the list of operands: the destination, b, and c of cas, each for all
// elements.
struct atomic_code {
    const struct memory_code *memory;
    const struct atomic_op *op;
};

enum { ATOMIC_OPERANDS = 3 * ACCESS_ELEMENTS };

// First step: addresses.
void atomic_begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask, struct access *access);
// Second and third step, lane by lane. `operands` are lanes in the order of the list; NULL: old
// values are not read. Returns STEP_FAULT for an invalid address.
enum step_result atomic_lanes(struct warp *warp, const struct access *access, void *const *operands,
                              bool *changed);
// Lets other paths and warps continue first after an operation that changed nothing.
void atomic_yield(struct warp *warp, const struct code *code);
