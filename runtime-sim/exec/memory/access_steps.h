// Steps that compute with addresses and steps for the stack, and their data.
#pragma once
#include "runtime-sim/exec/decode/code.h"

// code->value is the bytes per lane of the first source.
struct space_code {
    uint16_t space; // for isspacep
    uint8_t width;  // width of the address
    uint32_t align; // for alloca
};

step_fn step_shared_to_generic, step_generic_to_shared, step_local_to_generic,
    step_generic_to_local;
step_fn step_map_shared, step_map_generic, step_rank_shared, step_rank_generic;
step_fn step_is_in_space;
step_fn step_alloca, step_stack_save, step_stack_restore;
step_fn step_order; // fence, membar: no effect
