// What other decoders take from moves.
#pragma once
#include "runtime-sim/exec/decode/decode.h"

// Code that copies lanes of code->width bytes.
exec_fn move_copy;
// Code that writes part `index` of the lanes of `whole`, counted from the low end, and leaves the
// rest of them.
struct code move_put(uint32_t whole, uint32_t whole_width, uint32_t part, uint32_t part_width,
                     uint32_t index);
// Code that reads part `index` of the lanes of `whole`.
struct code move_take(uint32_t part, uint32_t part_width, uint32_t whole, uint32_t whole_width,
                      uint32_t index);
