// An executable module: code with every operand, branch and address resolved.
#pragma once
#include "ir/ir.h"
#include "runtime-sim/exec/decode/code.h"

// Address map. Generic addresses below GLOBAL_FIRST are windows onto memory of a thread or a CTA;
// the first page is not mapped, so that a null pointer is a fault.
#define SHARED_WINDOW UINT64_C(0x01000000)
#define SHARED_STRIDE UINT64_C(0x00100000) // between the CTAs of a cluster
#define LOCAL_WINDOW UINT64_C(0x02000000)
#define WINDOW_BYTES UINT64_C(0x01000000)
#define GLOBAL_FIRST UINT64_C(0x04000000)
#define GLOBAL_FIRST_64 UINT64_C(0x700000000000)

// A special register that differs between warps.
struct warp_value {
    uint16_t special, member;
    uint8_t width;
    uint32_t slot;
};

enum launch_kind {
    LAUNCH_PARAMETER,      // bytes of the parameters at `offset`
    LAUNCH_SPECIAL,        // special register that is the same in the whole grid
    LAUNCH_DYNAMIC_SHARED, // address of the dynamic shared memory
    LAUNCH_PARAMETERS,     // address of the parameters + offset
};

struct launch_value {
    uint8_t kind, width;
    uint16_t special, member;
    uint16_t type;   // of a parameter: conversion of its bytes to a lane
    uint32_t offset; // of a parameter
    uint32_t slot;
};

// A variable of the module with its address and initial value.
struct program_variable {
    uint32_t symbol;
    uint64_t address;
    uint64_t bytes;
    bool constant; // .const: read only
};

struct program_parameter {
    uint32_t symbol; // IR_NONE: a register (.func f(.reg …)), which has a slot
    uint32_t node;   // its declarator
    uint32_t offset, bytes;
    uint32_t slot;
    uint8_t width;
    bool open; // an array without a size, which has the bytes of the argument: behind local_bytes
};

// A register that a function may read before it has written it.
struct program_unset {
    uint32_t reg;             // of the function
    uint32_t offset, written; // in the frame: its slot, and a bit for each lane that has written it
    uint32_t width;           // of a lane
};

struct program_function {
    uint32_t function;    // in the module
    uint32_t begin, end;  // its code
    uint32_t frame_bytes; // registers
    uint32_t local_bytes; // .local and .param variables of one thread
    uint32_t registers;   // estimated 32-bit registers of a thread, including callees
    uint32_t params, param_count, returns, return_count; // program->parameters
    uint32_t unset, unset_count;                         // program->unset
    uint32_t param_bytes;                                // of an entry
    uint32_t shared_bytes; // of an entry: static, including the functions that it may call
    uint32_t shared_align; // alignment of the dynamic part
    uint32_t cluster[3];   // of an entry: .reqnctapercluster, or 0
    uint32_t block[3];     // .reqntid, or 0
    uint32_t most[3];      // .maxntid, a limit of the product, or 0
    uint32_t maxnreg;      // .maxnreg, or 0
    bool ordered;  // contains atomics, volatile or ordered accesses: lanes and CTAs may wait for
                   // each other
    bool alone;    // the same in memory that CTAs share: CTAs run in a fixed order
    bool in_order; // `alone`, and not only reductions: integer atomics of one operation that does
                   // not depend on the order, whose result is not read. No CTA waits for those of
                   // another one
    uint16_t reduction; // isa_word of their operation; 0: no reductions
    // Reason why it cannot be executed, as a sentence, and its place; NULL: it can.
    const char *refusal;
    uint32_t refused_node;
};

// Immediate values with a slot.
struct constant {
    uint64_t value;
    uint32_t width, place; // place + 1; 0: free
};

struct lanes_table;
struct program {
    struct arena *arena;
    const struct ir_module *module;
    const struct lanes_table *lanes;
    VEC(struct code) codes;
    VEC(struct program_function) functions; // functions with a body
    VEC(uint32_t) function_of;              // ir function → program function, or IR_NONE
    VEC(struct program_parameter) parameters;
    VEC(struct program_unset) unset;
    VEC(struct program_variable) variables;
    VEC(uint64_t) address_of; // per symbol: address in its space or, for a function, its handle
    VEC(struct warp_value) warp_values;
    VEC(struct launch_value) launch_values;
    VEC(uint8_t) constants;          // the area BASE_PROGRAM
    struct constant *constant_table; // open addressing
    uint32_t constant_mask, constant_count;
    uint32_t warp_bytes, launch_bytes;
    uint64_t global_end; // first address after the module's variables
};

// Functions are identified by handles: addresses without memory.
#define FUNCTION_HANDLE UINT64_C(0x00f00000)

// Decodes every function of a module without errors. Never fails: a function that cannot be
// executed, and each function that may call it, has a refusal.
void program_build(struct program *program, struct arena *arena, const struct ir_module *module,
                   const struct lanes_table *lanes);

// Returns the entry of this name, or NULL.
const struct program_function *program_find(const struct program *program, const char *name);
// The same for any function.
const struct program_function *program_find_function(const struct program *program,
                                                     const char *name);
