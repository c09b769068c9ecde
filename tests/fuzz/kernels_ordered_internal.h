// Random kernels that are free of races (kernels_ordered.c): their state, and the statements
// between two synchronisations (kernels_statements.c).
#pragma once
#include "tests/fuzz/kernels_internal.h"

enum { ARRAYS = 4, VALUES = 8 };

enum mode { MODE_OWNED, MODE_READ, MODE_SUMMED };

// An array, and the current rights of access to its words.
struct array {
    enum mode mode;
    uint32_t turn;
    uint32_t back; // the slice is that of the CTA this many before
    bool odd;      // only odd warps access it
};

// The warps and lanes that execute some statements.
struct executors {
    bool odd;      // odd warps only
    uint32_t back; // CTAs from this one on
};

struct ordered {
    struct maker m;
    uint32_t block, grid, stride, step;
    uint32_t passes;
    bool in_loop;
    bool apart; // warps may be so far apart that only a barrier of the CTA synchronises them
    struct array array[ARRAYS];
};

// Returns one of the words.
static inline const char *any(struct ordered *o, const char *const *words, uint32_t count)
{
    return words[pick(&o->m, count)];
}
#define ANY(o, ...)                                                                                \
    any(o, (const char *const[]){__VA_ARGS__},                                                     \
        sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

static inline const char *put_label(struct ordered *o)
{
    return arena_printf(o->m.arena, "L%u", o->m.labels++);
}

// Writes statements that are not moved.
static inline void emit_fixed(struct ordered *o, const char *text)
{
    o->m.fixed = true;
    emit(&o->m, "%s", text);
    o->m.fixed = false;
}
#define FIXED(o, ...) emit_fixed(o, arena_printf((o)->m.arena, __VA_ARGS__))

// Operands of a chain.
struct operands {
    const char *load[2], *store;
};

// Returns the address of the thread's word of an array, or of any word if all threads may access
// it.
const char *ordered_place(struct ordered *o, uint32_t array);
void ordered_loads(struct ordered *o, const struct operands *at, uint32_t count);
// Ends a chain; stores `made` if `stores`.
void ordered_end(struct ordered *o, const struct operands *at, bool stores, const char *made);
// Returns the opcode of an operation on two words.
const char *ordered_operation(struct ordered *o);
// Fills the queues with accesses that no other statement waits for, to lines of each lane or to
// shared memory.
void ordered_noise(struct ordered *o);
void ordered_statement(struct ordered *o, const struct executors *by);
// Writes the statements between two synchronisations.
void ordered_phase(struct ordered *o);
