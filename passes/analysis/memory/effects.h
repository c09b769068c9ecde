// Effects of an instruction on moving the code around it to a near-data SM.
#pragma once
#include "passes/base/plan.h"

struct memory_effect {
    uint8_t rule;           // enum plan_rule: why it cannot be moved; RULE_COUNT: it can be moved
    uint32_t loads, stores; // accesses to memory that are saved by moving it
};

struct effects;

// Creates the evaluation of instructions of any function of the module. Results for called
// functions are kept in `arena`.
struct effects *effects_new(struct arena *arena, const struct ir_module *module);

// Returns the effect of one instruction. Accesses are loads and stores of global and local memory,
// and generic ones that may access it; a vector is one access [002 §3.1.1]. A call to a function of
// the module with a body that can be moved has that body's accesses, each counted once.
struct memory_effect effect_of(struct effects *effects, const struct ir_function *fn,
                               uint32_t inst);
