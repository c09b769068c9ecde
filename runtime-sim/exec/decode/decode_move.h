// Moves that other decoders use.
#pragma once
#include "runtime-sim/exec/decode/decode.h"

// Code that copies lanes of code->width bytes.
exec_fn move_copy;
// Returns code that writes part `index` of the lanes of `whole`, counted from the low end, and
// keeps the rest.
struct code move_put(uint32_t whole, uint32_t whole_width, uint32_t part, uint32_t part_width,
                     uint32_t index);
// Returns code that reads part `index` of the lanes of `whole`.
struct code move_take(uint32_t part, uint32_t part_width, uint32_t whole, uint32_t whole_width,
                      uint32_t index);
