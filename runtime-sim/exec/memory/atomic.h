// Atomic operations on memory, one element at a time.
#pragma once
#include "frontend/isa.h"
#include "runtime-sim/exec/memory/access.h"

// *old = *at; *at = op(*at, *b) or, for cas, op(*at, *b, *c). True: *at has changed.
typedef bool atomic_fn(uint8_t *at, const void *b, const void *c, void *old);

struct atomic_op {
    uint16_t op, type; // isa_words
    atomic_fn *fn;     // shared memory
    atomic_fn *global; // NULL: as there
};

// NULL: there is no such operation.
const struct atomic_op *atomic_find(uint16_t op, uint16_t type);

static inline atomic_fn *atomic_in(const struct atomic_op *op, uint16_t space)
{
    return space == W_global && op->global ? op->global : op->fn;
}

// What atom and red say, decoded. In the list of operands: what is read to, b, and c of cas, each
// for all elements.
struct atomic_code {
    const struct memory_code *memory;
    const struct atomic_op *op;
};

enum { ATOMIC_OPERANDS = 3 * ACCESS_ELEMENTS };

// First step: addresses.
void atomic_begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask, struct access *access);
// Second and third step, lane by lane. `operands` are lanes in the order of the list; NULL: nobody
// reads the old values. STEP_FAULT: an address is bad.
enum step_result atomic_lanes(struct warp *warp, const struct access *access, void *const *operands,
                              bool *changed);
// Nothing has changed: others may go on first.
void atomic_yield(struct warp *warp, const struct code *code);
