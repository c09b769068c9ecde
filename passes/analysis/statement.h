// The instructions of a function as statements of its text: the directives before them, and the
// range in which they may move.
#pragma once
#include "ir/ir.h"

struct statement {
    uint32_t begin, end; // bytes, including tags of this toolchain before it
    uint32_t reach;      // increases at labels, braces and directives, which are not crossed
    uint32_t declared;   // `.reg` declarations before it, which stay and may be crossed
    uint32_t loc;        // node of the .loc in force, or IR_NONE
    uint32_t lead;       // the first of the .loc directives directly before it, or IR_NONE
    uint32_t before;     // the .loc in force before `lead`
};

// Returns one statement for each instruction of the function.
struct statement *statements_read(const struct ir_module *module, const struct ir_function *fn,
                                  struct arena *arena);

// Lines that contain a range of bytes.
struct lines {
    uint32_t begin, end; // from the start of its first line to after the end of its last one
    bool head, tail;     // only blanks and comments precede it, follow it
};
// Returns the lines of [begin, end).
struct lines statement_lines(const struct source *source, uint32_t begin, uint32_t end);
