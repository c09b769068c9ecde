// The cores of a map as PTX, a device function for each. One table of instructions thus checks,
// computes and classifies them.
#pragma once
#include "ir/ir.h"
#include "passes/maps/map.h"

struct map_code {
    struct source source; // the text
    struct tree tree;
    struct ir_module module;
    VEC(uint32_t) begins; // per node: start of its code in the text
    // Per node: its function in the module; UINT32_MAX for a memory node.
    uint32_t *function;
};

// Makes the code. Function i has 32-bit register parameters, one for each operand, and returns a
// 32-bit register; a predicate is 0 or 1 in it. Faults go to `diags`, with places in code->source.
void map_code_make(struct map_code *code, struct arena *arena, const struct map *map,
                   struct diags *diags);
// Returns the node whose code contains this offset.
uint32_t map_code_node(const struct map_code *code, uint32_t offset);
