// What an instruction means for moving the code around it to a near-data SM.
#pragma once
#include "passes/base/plan.h"

struct memory_effect {
    uint8_t rule;           // enum plan_rule: why it cannot be moved; RULE_COUNT: it can
    uint32_t loads, stores; // accesses to memory that moving it saves
};

struct effects;

// Judges single instructions of any function of the module; what it learns of called functions is
// kept in `arena`.
struct effects *effects_new(struct arena *arena, const struct ir_module *module);

// Loads and stores of global and local memory are accesses, and so are generic ones that do not
// surely go elsewhere; a vector is one access [002 §3.1.1]. A call to a function of the module with
// a body that could be moved itself has that body's accesses, each counted once.
struct memory_effect effect_of(struct effects *effects, const struct ir_function *fn,
                               uint32_t inst);
