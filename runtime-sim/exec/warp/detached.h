// A detached warp: it runs without a CTA, from a code with registers and lanes of another warp to
// an end code, and is executed by single instructions (issue.h).
//
// It has the special registers, the kernel's parameters and the global memory of the other warp. It
// has no shared memory, no local memory and no barriers: using them is a fault.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

// A register of a function: where it is in the frame, as struct slot_use has it.
struct warp_register {
    uint32_t offset, bytes;
};

struct detached_start {
    const struct warp *of; // the other warp
    uint32_t function;     // program function
    uint32_t begin, end;   // codes: the first one, and the one before which lanes end
    uint32_t mask;
    // Values lie one after the other, as warp_read_registers writes them.
    const struct warp_register *registers;
    uint32_t register_count;
    const uint8_t *values;
};

// Makes a place for detached warps of the program, one after the other: a CTA that has only one.
struct cta *cta_new_detached(struct arena *arena, const struct program *program);
// Requires that the warp that ran there before has ended. cta->core must be set.
void cta_start_detached(struct cta *cta, const struct detached_start *start);
// Reads registers of all lanes at the path that runs; of a detached warp, at its end.
void warp_read_registers(const struct warp *warp, const struct warp_register *list, uint32_t count,
                         uint8_t *values);
// Writes those of the lanes of `mask`.
void warp_write_registers(struct warp *warp, const struct warp_register *list, uint32_t count,
                          const uint8_t *values, uint32_t mask);
// The path that runs goes on at this code of its function.
void warp_go_on_at(struct warp *warp, uint32_t code);
// `lacks`: what detached warps do not have, in the plural.
enum step_result detached_fault(struct warp *warp, const struct code *code, uint32_t mask,
                                const char *lacks);
