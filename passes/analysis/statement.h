// The instructions of a function as statements of its text: what stands in front of them and how
// far they may move.
#pragma once
#include "ir/ir.h"

struct statement {
    uint32_t begin, end; // bytes; tags of this toolchain in front belong to it
    uint32_t reach;      // grows at labels, braces and directives, which stay and are not crossed
    uint32_t declared;   // `.reg` declarations in front, which stay and may be crossed
    uint32_t loc;        // node of the .loc in force, or IR_NONE
    uint32_t lead;       // the first .loc of those directly in front, or IR_NONE
    uint32_t before;     // the .loc in force in front of those
};

// One statement for each instruction of the function.
struct statement *statements_read(const struct ir_module *module, const struct ir_function *fn,
                                  struct arena *arena);

// Where [begin, end) stands in its line or lines.
struct lines {
    uint32_t begin, end; // from the start of its first line to behind the end of its last one
    bool head, tail;     // nothing but blanks and comments stands before it, behind it
};
struct lines statement_lines(const struct source *source, uint32_t begin, uint32_t end);
