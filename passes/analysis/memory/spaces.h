// Spaces of memory that an access can touch, for all passes and for the simulator.
//
// A value carries the set of spaces of which it may be a generic address. cvta makes such an
// address from an address within one space, which by itself is only a number. Sets follow moves,
// arithmetic, phis, parameters and results of calls, and memory, in which all stored addresses
// share one set. Kernel parameters hold addresses of global memory [CUDA: a launch has no others].
// Numbers have the empty set.
#pragma once
#include "ir/ir.h"

enum space_set {
    SPACE_GLOBAL = 1,
    SPACE_SHARED = 2, // of any CTA of the cluster
    SPACE_LOCAL = 4,
    SPACE_CONST = 8,
    SPACE_PARAM = 16,
    SPACE_ANY = 31,
};

struct spaces;

// Creates the analysis. Requires the SSA overlay. Nothing is computed before the first request;
// results are in `arena`. Functions that call or are called are analysed together, others one at a
// time.
struct spaces *spaces_new(struct arena *arena, const struct ir_module *module);

// Returns the set of spaces that a load, store or atomic can touch: a single one if the access
// names its space. An address that is only a number counts as global.
unsigned spaces_of(struct spaces *spaces, const struct ir_function *fn, uint32_t inst);
