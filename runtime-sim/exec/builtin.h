// Functions of the CUDA run-time that device code calls and that are no PTX.
#pragma once
#include "runtime-sim/exec/call.h"
#include <stddef.h>

// The function of this name, or NULL.
builtin_fn *builtin_named(const char *name, size_t length);
