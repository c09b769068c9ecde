// Instructions that are more than 32 lanes of arithmetic, and what they need to know.
#pragma once
#include "runtime-sim/exec/decode/code.h"

// bra, brx: `join`: code where the lanes meet again, IR_NONE: where the function ends.
struct branch {
    uint32_t join, count;
    bool backward; // some target lies in front
    uint32_t *targets;
};

step_fn step_join, step_branch, step_branch_indexed, step_return, step_exit, step_call;
step_fn step_trap, step_breakpoint;
step_fn step_nothing, step_clock;
step_fn step_refused;       // an instruction that cannot be executed was reached
step_fn step_frame_address; // d = address of what lies at `value` of the function's local memory
