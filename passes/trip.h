// How often a loop's body runs, if that can be told before the loop is entered [002 §3.1.3].
//
// The count of a counted loop is an expression of what registers hold when control comes to the
// loop from outside:
//
//     count   = product | "max(" product ", " integer ")"
//     product = sum | "(" sum ")" " / " divisor | term " / " divisor
//     divisor = integer | name | "max(" name ", 0)"
//     sum     = ["-"] term { (" + " | " - ") term }
//     term    = integer | [integer " * "] name | "u16(" name ")" | "u32(" name ")"
//     name    = a register, a special register (%ctaid.x), or a kernel parameter as in [name+4]
//
// Arithmetic is signed in 64 bits. A name stands for its value sign-extended from its width, in
// u16() and u32() zero-extended. Division drops the rest (rounds towards zero), and x / 0 is 0. The
// count is exact unless the counter wraps around on its way to the bound, and for unsigned 64-bit
// counters as long as start and bound are below 2^63. A step that stands in a register is taken to
// lead towards the bound; if it does not, the count is the least possible one or the right one.
#pragma once
#include "passes/plan.h"

struct loop_exits {
    uint32_t edges; // ways out, returns included
    uint32_t from;  // block of the first one
    uint32_t to;    // where all of them go, or IR_NONE
    uint32_t other; // block of one that goes elsewhere, or IR_NONE
};

struct trip {
    enum trip_kind kind;
    uint64_t count;   // TRIP_CONSTANT
    const char *text; // TRIP_COUNTED, in `arena`
    bool may_be_zero; // the body may not run at all
    const char *why;  // TRIP_UNKNOWN: half a sentence, e.g. "it has several exits"
    uint32_t because; // TRIP_UNKNOWN: instruction that is to blame, or IR_NONE
};

// Needs SSA and loops. `accesses` tells for each instruction whether it is an access to save: where
// some stand behind the loop's test, an iteration is a run through those; where all stand before
// it, what stands before the test has run once more often than the test has let pass, and that is
// counted.
struct trip trip_of(struct arena *arena, const struct ir_module *module,
                    const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                    const bool *accesses);
