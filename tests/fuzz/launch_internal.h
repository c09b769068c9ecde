// The parts of a launch, for another executor (launch_timed.c).
#pragma once
#include "runtime-sim/exec/warp/grid.h"
#include "tests/fuzz/launch.h"

struct loaded {
    struct arena *arena;
    struct source source;
    struct diags diags;
    struct tree tree;
    struct ir_module module;
    struct program program;
    struct image image;
    uint8_t params[16 * INPUTS];
    uint32_t param_bytes;
    uint32_t allocation[INPUTS]; // of each buffer, in image.list
};

void launch_refuse(struct executed *done, enum execution how, const char *why, uint32_t line);
// Reads the text. Returns NULL if it is rejected.
const struct program_function *launch_load(struct loaded *loaded, struct executed *done,
                                           const char *text, size_t length, const char *entry,
                                           const char *lanes, uint32_t schedule);
// Makes and fills the buffers, once.
void launch_add_inputs(struct loaded *loaded, const struct launch_inputs *inputs);
// Returns the launch. Requires the program and the inputs.
struct launch launch_of(struct loaded *loaded, const struct program_function *function,
                        const struct launch_inputs *inputs);
void launch_keep_buffers(const struct loaded *loaded, const struct launch_inputs *inputs,
                         struct executed *done);
