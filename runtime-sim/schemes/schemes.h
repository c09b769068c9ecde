// The schemes that the program has. A new scheme is a folder here and a row in schemes.c.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

// By registration: where several claim the same instruction or warp, the first one has it. Up to a
// NULL.
extern const struct scheme_ops *const schemes[];
