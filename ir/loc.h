// Source locations: the places of instructions that .loc and .file define, in the language that was
// compiled to PTX.
#pragma once
#include "ir/ir.h"
#include "support/prefix_map.h"

struct ir_loc {
    const char *file; // as in .file; NULL: no .file has this number
    uint32_t line, column;
    // For inlined code: the (mangled) name of its function, or NULL if that is unknown, and the
    // place of the call; NULL: not inlined.
    const char *function;
    const struct ir_loc *inlined_at;
};

struct ir_locs;
// Keeps the module. A function is read when it is first requested.
struct ir_locs *ir_locs_new(struct arena *arena, const struct ir_module *module);
// Shows names of files with other prefixes. Call it before the first place is requested.
void ir_locs_map(struct ir_locs *locs, const struct prefix_map *prefixes);
// Returns the place of an instruction of a function of the module, which lives as long as the
// arena; NULL: no .loc precedes it, or the .loc declares that there is no line.
const struct ir_loc *ir_loc_find(struct ir_locs *locs, uint32_t function, uint32_t inst);
