// Addresses of variables and parameters, and initial values of variables.
#pragma once
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
