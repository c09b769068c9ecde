// Instructions sorted into classes of time.
#pragma once
#include "runtime-sim/gpu/timing.h"

// The class of a function's instruction, by its opcode, its type and its modifiers.
enum timing_class timing_class_of(const struct ir_module *module, const struct ir_function *fn,
                                  uint32_t index);
