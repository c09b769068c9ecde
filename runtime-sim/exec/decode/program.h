// An executable module: code in which every operand, branch and address is resolved.
#pragma once
#include "ir/ir.h"
#include "runtime-sim/exec/decode/code.h"

// Address map. Generic addresses below GLOBAL_FIRST are windows to memory of a thread or a CTA. The
// first page is not mapped, so that accessing a null pointer is a fault.
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
    LAUNCH_SPECIAL,        // special register that is constant in the whole grid
    LAUNCH_DYNAMIC_SHARED, // address of the dynamic shared memory
    LAUNCH_PARAMETERS,     // address of the parameters + offset
};

struct launch_value {
    uint8_t kind, width;
    uint16_t special, member;
    uint16_t type;   // for a parameter: type by which its bytes are converted to a lane
    uint32_t offset; // for a parameter
    uint32_t slot;
};

// A variable of the module with its address.
struct program_variable {
    uint32_t symbol;
    uint64_t address;
    uint64_t bytes;
    bool constant; // .const: read-only
};

struct program_parameter {
    uint32_t symbol; // IR_NONE: a register (.func f(.reg …)), which has a slot
    uint32_t node;   // its declarator
    uint32_t offset, bytes;
    uint32_t slot;
    uint8_t width;
    bool open; // an array without a size, which has the size of the argument and is located after
               // local_bytes
};

// A register that a function may read before writing it.
struct program_unset {
    uint32_t reg;             // number within the function
    uint32_t offset, written; // offsets in the frame: its slot, and a mask of the lanes that have
                              // written it
    uint32_t width;           // bytes per lane
};

struct program_function {
    uint32_t function;    // number in the module
    uint32_t begin, end;  // its code
    uint32_t frame_bytes; // size of the registers
    uint32_t local_bytes; // size of the .local and .param variables of one thread
    uint32_t registers;   // 32-bit registers per thread, including callees: an estimate, or, if
    bool assembled;       // `assembled`, those of its machine code
    uint32_t params, param_count, returns, return_count; // ranges in program->parameters
    uint32_t unset, unset_count;                         // range in program->unset
    uint32_t param_bytes;                                // of a kernel
    uint32_t shared_bytes; // of a kernel: static size, including that of functions it may call
    uint32_t shared_align; // alignment of the dynamic part
    uint32_t cluster[3];   // of a kernel: .reqnctapercluster, or 0
    uint32_t block[3];     // .reqntid, or 0
    uint32_t max[3];       // .maxntid, a limit on the product, or 0
    uint32_t maxnreg;      // .maxnreg, or 0
    bool ordered;  // contains atomic, volatile or ordered accesses, so lanes and CTAs may wait for
                   // each other
    bool alone;    // contains such accesses to memory that CTAs share, so CTAs run in a fixed order
    bool in_order; // `alone`, and contains other such accesses than reductions: integer atomics of
                   // one operation that is independent of the order, whose result is not read.
                   // Otherwise no CTA waits for another one
    uint16_t reduction; // isa_word of the reductions' operation; 0: no reductions
    // Reason, as a sentence, why the function cannot be executed, and its place. NULL: it can be
    // executed.
    const char *refusal;
    uint32_t refused_node;
};

// An immediate value with a slot.
struct constant {
    uint64_t value;
    uint32_t width, place; // place + 1; 0: free entry
};

struct lanes_table;
struct program {
    struct arena *arena;
    const struct ir_module *module;
    const struct lanes_table *lanes;
    VEC(struct code) codes;
    VEC(struct program_function) functions; // functions with a body
    VEC(uint32_t) function_of;              // from IR function to program function, or IR_NONE
    VEC(struct program_parameter) parameters;
    VEC(struct program_unset) unset;
    VEC(struct program_variable) variables;
    VEC(uint64_t) address_of; // per symbol: address in its space, or handle of a function
    VEC(struct warp_value) warp_values;
    VEC(struct launch_value) launch_values;
    VEC(uint8_t) constants;          // the area BASE_PROGRAM
    struct constant *constant_table; // hash table with open addressing
    uint32_t constant_mask, constant_count;
    uint32_t warp_bytes, launch_bytes;
    // First address of the module's variables, and first address after them.
    uint64_t global_first, global_end;
};

// Functions are identified by handles, which are addresses without memory.
#define FUNCTION_HANDLE UINT64_C(0x00f00000)

// Decodes every function of a module without errors. Always succeeds: a function that cannot be
// executed, and each function that may call it, gets a refusal.
void program_build(struct program *program, struct arena *arena, const struct ir_module *module,
                   const struct lanes_table *lanes);
// As program_build, with variables from this address on.
void program_build_at(struct program *program, struct arena *arena, const struct ir_module *module,
                      const struct lanes_table *lanes, uint64_t global_first);

// Sets the registers of a function to those of its machine code. No effect if the program lacks
// it, or has them already.
void program_set_registers(struct program *program, const char *name, uint32_t registers);

// Returns the kernel with this name, or NULL.
const struct program_function *program_find(const struct program *program, const char *name);
// The same for any function.
const struct program_function *program_find_function(const struct program *program,
                                                     const char *name);
