// A detached warp runs without a CTA, from a start code to an end code, with registers and lanes of
// another warp, and is executed by single instructions (issue.h).
//
// It has the special registers, the kernel's parameters and all memory of the other warp, which
// must not execute meanwhile: global memory, the CTA's shared memory and the lanes' local memory.
// It has no barriers: using them is a fault.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

// A register of a function: its place in the frame, as in struct slot_use.
struct warp_register {
    uint32_t offset, bytes;
};

struct detached_start {
    const struct warp *of; // the other warp
    uint32_t function;     // program function
    uint32_t begin, end;   // codes: the first one, and the one at which lanes end
    uint32_t mask;
    // Values are consecutive, as warp_read_registers writes them.
    const struct warp_register *registers;
    uint32_t register_count;
    const uint8_t *values;
};

// Allocates a CTA that executes detached warps of the program, one after another.
struct cta *cta_new_detached(struct arena *arena, const struct program *program);
// Requires that the previous warp has ended. cta->core must be set.
void cta_start_detached(struct cta *cta, const struct detached_start *start);
// Gives the other warp its local memory back, which calls may have moved. To be called when the
// detached warp has ended.
void cta_end_detached(const struct cta *cta, struct warp *of);
// Reads registers of all lanes at the current path; for a detached warp, at its end.
void warp_read_registers(const struct warp *warp, const struct warp_register *list, uint32_t count,
                         uint8_t *values);
// Writes registers of the lanes of `mask`.
void warp_write_registers(struct warp *warp, const struct warp_register *list, uint32_t count,
                          const uint8_t *values, uint32_t mask);
// Continues the current path at this code of its function.
void warp_go_on_at(struct warp *warp, uint32_t code);
// `lacks`: the feature that detached warps do not have, in the plural.
enum step_result detached_fault(struct warp *warp, const struct code *code, uint32_t mask,
                                const char *lacks);
