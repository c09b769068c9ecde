// Where an instruction comes from: the places that .loc and .file name, in the language that was
// compiled to PTX.
#pragma once
#include "ir/ir.h"

struct ir_loc {
    const char *file; // as .file has it; NULL: no .file has this number
    uint32_t line, column;
    // Of code that was inlined: the (mangled) name of its function, or NULL if that is unknown,
    // and where it was called; NULL: it was not inlined.
    const char *function;
    const struct ir_loc *inlined_at;
};

struct ir_locs;
// Keeps the module. A function is looked at when it is first requested.
struct ir_locs *ir_locs_new(struct arena *arena, const struct ir_module *module);
// The place of an instruction of a function of the module, which lives as long as the arena; NULL:
// no .loc precedes it, or one that says that there is no line.
const struct ir_loc *ir_loc_find(struct ir_locs *locs, uint32_t function, uint32_t inst);
