// Moves that other decoders use.
#pragma once
#include "runtime-sim/exec/decode/decode.h"

// Copies lanes of code->width bytes.
exec_fn move_copy;
// Returns code that replaces part `index` of the lanes of `whole`, counted from the low end.
struct code move_put(uint32_t whole, uint32_t whole_width, uint32_t part, uint32_t part_width,
                     uint32_t index);
// Returns code that extracts part `index` of the lanes of `whole`.
struct code move_take(uint32_t part, uint32_t part_width, uint32_t whole, uint32_t whole_width,
                      uint32_t index);
