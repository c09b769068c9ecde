// Source locations of instructions in the language that was compiled to PTX, from .loc and .file.
#pragma once
#include "ir/ir.h"
#include "support/file.h"

struct ir_loc {
    const char *file; // as in .file; NULL: unknown file number
    uint32_t line, column;
    // For inlined code: the mangled name of the inlined function, or NULL if unknown, and the
    // location of the call; NULL: not inlined.
    const char *function;
    const struct ir_loc *inlined_at;
};

struct ir_locs;
// Creates the locations of a module, which must outlive them. A function is read on its first
// request.
struct ir_locs *ir_locs_new(struct arena *arena, const struct ir_module *module);
// Sets replacements for prefixes of file names. Must be called before the first request.
void ir_locs_map(struct ir_locs *locs, const struct prefix_map *prefixes);
// Returns the location of an instruction, which is valid as long as the arena. Returns NULL if no
// .loc precedes it, or if the .loc declares that it has no line.
const struct ir_loc *ir_loc_find(struct ir_locs *locs, uint32_t function, uint32_t inst);
