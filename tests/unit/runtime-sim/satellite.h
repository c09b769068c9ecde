// Satellites: a small scheme for tests of the hooks of cores. It adds cores of a kind
// of its own, and places the CTAs of launches. The block of instructions of a kernel from its first
// to its last special function runs at a satellite, as a detached warp with the registers that the
// block names. When a barrier of a CTA opens, its warps wait for some cycles: the core is in
// another mode, in which one register of each thread counts up.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

extern const struct scheme_ops satellite;
