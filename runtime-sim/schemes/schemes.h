// Registry of schemes. A new scheme is a folder here and a row in schemes.c.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

// All schemes in the order of registration, NULL-terminated. If several claim the same instruction
// or warp, the first one gets it.
extern const struct scheme_ops *const schemes[];
