// A detached warp runs without a CTA, from a start code to an end code, with registers and lanes of
// another warp. It is executed by single instructions (issue.h).
//
// It has the special registers, the kernel parameters and all memory of the other warp, which must
// not execute meanwhile: global memory, the CTA's shared memory and the lanes' local memory. It has
// no barriers; using one is a fault.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

// The location in the frame of a function's register, as in struct reg_slot_use.
struct warp_register {
    uint32_t offset, bytes;
};

struct detached_start {
    const struct warp *of; // the other warp
    uint32_t function;     // program function
    uint32_t begin, end;   // codes: the first one, and the one at which lanes end
    uint32_t mask;
    // Values are consecutive, in the format of warp_read_registers.
    const struct warp_register *registers;
    uint32_t register_count;
    const uint8_t *values;
};

// Allocates a CTA that executes detached warps of the program one after another.
struct cta *cta_new_detached(struct arena *arena, const struct program *program);
// Starts a detached warp. Requires that the previous one has ended and that cta->core is set.
void cta_start_detached(struct cta *cta, const struct detached_start *start);
// Returns the local memory, which calls may have moved, to the other warp. Must be called when the
// detached warp has ended.
void cta_end_detached(const struct cta *cta, struct warp *of);
// Reads registers of all lanes at the current path; for a detached warp, at its end.
void warp_read_registers(const struct warp *warp, const struct warp_register *list, uint32_t count,
                         uint8_t *values);
// Writes registers of the lanes in `mask`.
void warp_write_registers(struct warp *warp, const struct warp_register *list, uint32_t count,
                          const uint8_t *values, uint32_t mask);
// Continues the current path at this code of its function.
void warp_go_on_at(struct warp *warp, uint32_t code);
// Reports a feature, named in the plural by `lacks`, that detached warps do not have.
enum step_result detached_fault(struct warp *warp, const struct code *code, uint32_t mask,
                                const char *lacks);
