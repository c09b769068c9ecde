// Places of variables and parameters, and what variables hold at first.
#pragma once
#include "runtime-sim/exec/decode/program.h"

enum location_kind {
    LOCATION_UNKNOWN,
    LOCATION_FIXED,  // an address known now
    LOCATION_FRAME,  // in local memory, counted from the function's part of it
    LOCATION_LAUNCH, // known at launch
};

struct location {
    uint8_t kind;     // location_kind
    uint8_t launch;   // launch_kind
    uint64_t address; // or offset
};

// Gives the variables of the module their addresses, and .param and .local variables of functions
// their offsets; adds all functions that have a body.
void layout_module(struct program *program);
// Where a symbol lies, seen from one function.
struct location layout_locate(const struct program *program,
                              const struct program_function *function, uint32_t symbol);
// Writes what a variable is initialised with to `to`, which holds its bytes and is zeroed. NULL, or
// what is not understood.
const char *layout_initial(const struct program *program, const struct program_variable *variable,
                           uint8_t *to);

static inline uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}
