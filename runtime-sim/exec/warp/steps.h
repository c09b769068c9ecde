// Steps, which are instructions other than arithmetic on 32 lanes, and their data.
#pragma once
#include "runtime-sim/exec/decode/code.h"

// bra, brx. `join` is the code of the reconvergence point; IR_NONE: the function's end.
struct branch {
    uint32_t join, count;
    bool backward; // a target precedes the branch
    uint32_t *targets;
};

step_fn step_join, step_branch, step_branch_indexed, step_return, step_exit, step_call;
step_fn step_trap, step_breakpoint;
step_fn step_nothing, step_clock;
step_fn step_refused;       // an instruction that cannot be executed was reached
step_fn step_frame_address; // d = address of the offset `value` in the function's local memory
