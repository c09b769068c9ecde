// A decoded instruction: everything that its execution needs, found once.
//
// A warp executes whole instructions: an operand is 32 lanes side by side, in an area of memory
// that a slot names. Lanes of 1, 2, 4, 8 and 16 bytes are arrays of that element; a predicate is
// one 32-bit mask.
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

// A slot: which area in the two top bits, bytes from its start below.
enum slot_base {
    BASE_FRAME,   // registers of the function that runs
    BASE_WARP,    // special registers that differ between warps
    BASE_LAUNCH,  // kernel parameters, %ntid …: the same for a whole launch
    BASE_PROGRAM, // immediate values, spread over 32 lanes
};
enum { SLOT_SHIFT = 30 };
#define SLOT_NONE UINT32_MAX
#define SLOT(base, offset) ((uint32_t)(base) << SLOT_SHIFT | (uint32_t)(offset))

static inline void *slot_at(uint8_t *const *bases, uint32_t slot)
{
    return bases[slot >> SLOT_SHIFT] + (slot & ((1u << SLOT_SHIFT) - 1));
}

// Bytes of one lane; a predicate has none.
enum { WIDTH_PREDICATE = 0 };

static inline uint32_t lanes_bytes(uint32_t width)
{
    return width == WIDTH_PREDICATE ? 4 : width * LANES;
}

// What an instruction's modifiers ask for beyond its types.
enum code_attribute {
    ATTR_FTZ = 1,
    ATTR_SAT = 2,      // .sat, .satfinite
    ATTR_NAN = 4,      // .NaN
    ATTR_ABS = 8,      // .abs
    ATTR_XORSIGN = 16, // .xorsign
    ATTR_RELU = 32,    // .relu
    ATTR_ROUND = 64,   // `round` is not the nearest even
    ATTR_OOB = 128,    // .oob
};

enum code_round { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY, ROUND_STOCHASTIC };

struct code;
struct warp;
struct path;

// Computes all 32 lanes of `d` from the sources. No lane touches another, nothing traps, no state
// is kept: what a lane that is not active computes is thrown away. `d` may be one of the sources.
typedef void exec_fn(const struct code *code, void *d, const void *const *s);

// What cannot be computed lane by lane: memory, control, communication.
enum step_result {
    STEP_NEXT,  // go on behind the instruction
    STEP_JUMP,  // go on at path->pc with path->mask
    STEP_LEAVE, // the path ended, waits, or others are to go on first: see path->state
    STEP_FAULT, // warp->fault says why
};
typedef enum step_result step_fn(struct warp *warp, struct path *path, const struct code *code,
                                 uint32_t mask);

enum { CODE_SOURCES = 4 };

// Operands beyond those: elements of vectors, arguments.
struct code_list {
    uint32_t count;
    uint32_t *slot;
    uint8_t *width;
};

struct code {
    exec_fn *lanes; // NULL: `step` does it
    step_fn *step;
    uint32_t guard; // slot of a predicate, or SLOT_NONE
    uint32_t d, d2; // SLOT_NONE: not written; d2: a predicate beside the result, or a second one
    uint32_t s[CODE_SOURCES];
    uint8_t source_count;
    uint8_t width, width2; // bytes of a lane of d and d2
    uint8_t guard_negated : 1;
    uint8_t counted : 1; // the one of the codes that an instruction became by which it is counted
    uint8_t behind : 1;  // makes an operand of what that one has computed
    uint8_t ends : 1;    // the last of them
    uint8_t attributes, round;
    uint16_t type;          // isa_word: the first type modifier
    uint32_t inst;          // instruction in its function
    struct code_list *list; // NULL: none
    const void *extra;      // what the step needs to know
    uint64_t value;         // an immediate that is no operand of lanes
};
