// A decoded instruction: all data that its execution needs, resolved at decoding.
//
// A warp executes whole instructions. An operand is an array of 32 lanes in a memory area, at the
// place that a slot identifies. Lanes of 1, 2, 4, 8 and 16 bytes are arrays of that element; a
// predicate is one 32-bit mask.
#pragma once
#include "support/gpu.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = WARP_LANES };
#define FULL_MASK UINT32_C(0xffffffff)

union lanes {
    uint32_t mask; // a predicate
    uint8_t u8[LANES];
    int8_t s8[LANES];
    uint16_t u16[LANES];
    int16_t s16[LANES];
    uint32_t u32[LANES];
    int32_t s32[LANES];
    uint64_t u64[LANES];
    int64_t s64[LANES];
    float f32[LANES];
    double f64[LANES];
    uint64_t u128[LANES][2];
} __attribute__((aligned(64)));

// A slot: the area in the two upper bits, below it the offset in bytes.
enum reg_slot_base {
    BASE_FRAME,   // registers of the current function
    BASE_WARP,    // special registers that differ between warps
    BASE_LAUNCH,  // kernel parameters, %ntid …: constant during a launch
    BASE_PROGRAM, // immediate values, replicated for 32 lanes
};
enum { REG_SLOT_SHIFT = 30 };
#define REG_SLOT_NONE UINT32_MAX
#define REG_SLOT(base, offset) ((uint32_t)(base) << REG_SLOT_SHIFT | (uint32_t)(offset))

// Returns the lanes of a slot.
static inline void *reg_slot_lanes(uint8_t *const *bases, uint32_t slot)
{
    return bases[slot >> REG_SLOT_SHIFT] + (slot & ((1u << REG_SLOT_SHIFT) - 1));
}

// Width of a predicate. Other widths are the bytes of one lane.
enum { WIDTH_PREDICATE = 0 };

// Returns the bytes of all lanes of an operand.
static inline uint32_t lanes_bytes(uint32_t width)
{
    return width == WIDTH_PREDICATE ? 4 : width * LANES;
}

// Modifiers of an instruction other than its types.
enum code_attribute {
    ATTR_FTZ = 1,
    ATTR_SAT = 2,      // .sat, .satfinite
    ATTR_NAN = 4,      // .NaN
    ATTR_ABS = 8,      // .abs
    ATTR_XORSIGN = 16, // .xorsign
    ATTR_RELU = 32,    // .relu
    ATTR_ROUND = 64,   // `round` is not nearest even
    ATTR_OOB = 128,    // .oob
};

enum code_round { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY, ROUND_STOCHASTIC };

struct code;
struct warp;
struct path;

// Computes all 32 lanes of `d` from the sources. Lanes are independent, nothing traps, and no state
// is kept. Results of inactive lanes are discarded. `d` may be one of the sources.
typedef void exec_fn(const struct code *code, void *d, const void *const *s);

// Executes an instruction that is not computed lane by lane: memory, control, communication.
enum step_result {
    STEP_NEXT,  // continue with the next instruction
    STEP_JUMP,  // continue at path->pc with path->mask
    STEP_LEAVE, // the path ended, waits, or yields to others: see path->state
    STEP_FAULT, // warp->fault has the reason
};
typedef enum step_result step_fn(struct warp *warp, struct path *path, const struct code *code,
                                 uint32_t mask);

enum { CODE_SOURCES = 4 };

// Additional operands: elements of vectors, arguments.
struct code_list {
    uint32_t count;
    uint32_t *slot;
    uint8_t *width;
};

struct code {
    exec_fn *lanes; // NULL: `step` executes the instruction
    step_fn *step;
    uint32_t guard; // slot of a predicate, or REG_SLOT_NONE
    uint32_t d, d2; // REG_SLOT_NONE: not written; d2: a second result, often a predicate
    uint32_t s[CODE_SOURCES];
    uint8_t source_count;
    uint8_t width, width2; // bytes per lane of d and d2
    uint8_t guard_negated : 1;
    uint8_t counted : 1;  // if an instruction has several codes: the one by which it is counted
    uint8_t trailing : 1; // converts a result to the destination's width
    uint8_t ends : 1;     // last code of its instruction
    uint8_t attributes, round;
    uint16_t type;          // isa_word of the first type modifier
    uint32_t inst;          // instruction within its function
    struct code_list *list; // NULL: no list
    const void *extra;      // data for the step
    uint64_t value;         // an immediate that is not a lane operand
};
