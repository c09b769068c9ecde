// Addresses of variables and parameters, initial values of variables, and slots of registers.
#pragma once
#include "ir/ir.h"
#include "runtime-sim/exec/decode/program.h"

enum location_kind {
    LOCATION_UNKNOWN,
    LOCATION_FIXED,  // a constant address
    LOCATION_FRAME,  // offset from the function's part of local memory
    LOCATION_LAUNCH, // known at launch
};

struct location {
    uint8_t kind;     // location_kind
    uint8_t launch;   // launch_kind
    uint64_t address; // or offset
};

// Assigns addresses to the variables of the module, and offsets to the .param and .local variables
// of functions. Adds all functions with a body.
void layout_module(struct program *program);
// Returns the location of a symbol as seen from one function.
struct location layout_locate(const struct program *program,
                              const struct program_function *function, uint32_t symbol);
// Writes the initial value of a variable to `to`, which has its size and is zeroed. Returns NULL,
// or a description of the unsupported part.
const char *layout_initial(const struct program *program, const struct program_variable *variable,
                           uint8_t *to);

// Slots of a frame for registers

// The offset in the frame of each register's slot; IR_NONE if the register is never used. Registers
// with disjoint lifetimes share slots if they have equal width, since lanes of different widths
// would overlap. A register that an instruction reads never shares with one that it writes.
struct reg_slots {
    uint32_t *offset;
    // Registers that are live on entry to the function, other than its parameters. Their slots are
    // not shared from there on. `written` is the offset of a mask of lanes.
    struct unset_reg_slot {
        uint32_t reg, written;
    } * unset;
    uint32_t unset_count;
    uint32_t frame_bytes;
    uint32_t registers; // maximum of live 32-bit registers
};

// Assigns slots to the registers of a function.
void reg_slots_assign(struct reg_slots *slots, struct arena *arena, const struct ir_function *fn);
// Returns the bytes per lane of a register; 0 for a predicate.
uint32_t reg_slots_width(const struct ir_register *reg);
