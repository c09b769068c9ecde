// Latency classes of instructions.
#pragma once
#include "runtime-sim/gpu/core/timing.h"

// Returns the class of a function's instruction, from its opcode, type and modifiers.
enum timing_class timing_class_of(const struct ir_module *module, const struct ir_function *fn,
                                  uint32_t index);
