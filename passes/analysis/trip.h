// How often a loop's body runs, if that can be told before the loop is entered [002 §3.1.3].
//
// The count of a counted loop is an expression of what registers hold when control comes to the
// loop from outside:
//
//     sum      = ["-"] term { (" + " | " - ") term }
//     term     = factor { (" * " | " / ") factor }
//     factor   = integer | name | "(" sum ")" | function "(" sum { ", " sum } ")"
//     function = "min" | "max" | "and" | "or" | "xor" | "rem" | "shl" | "shr" | "if"
//              | "lt" | "le" | "gt" | "ge" | "eq" | "ne" | ("s" | "u") ("8" | "16" | "32")
//     name     = a register, a special register (%ctaid.x), or a kernel parameter as in [name+4]
//
// Arithmetic is signed in 64 bits and wraps around. A name stands for its value sign-extended from
// its width, a predicate for 0 or 1, a part of a parameter for its bits from there on. s8() … u32()
// take the lowest bits and extend them with or without a sign. Division drops the rest (rounds
// towards zero), and x / 0 is 0; rem(x, y) is x - x / y * y. shl() shifts left, shr() right with
// the sign. Comparisons are 1 or 0; if(c, x, y) is y if c is 0, else x.
//
// The count is exact unless the counter, or a signed bound to which a constant is added, wraps
// around between its tests, and for unsigned 64-bit numbers as long as they are below 2^63. A
// counter that is compared with != has to meet the bound. A step that is no constant is taken to
// lead towards the bound; if it does not, the count is the least possible one or the right one.
#pragma once
#include "passes/analysis/facts.h"

struct loop_exits {
    uint32_t edges; // ways out, returns included
    uint32_t from;  // block of the first one
    uint32_t to;    // where all of them go, or IR_NONE
    uint32_t other; // block of one that goes elsewhere, or IR_NONE
};

// In time linear in the loop's blocks.
struct loop_exits loop_exits_of(const struct ir_function *fn, uint32_t loop);

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
// counted. With several exits it is counted how often control comes to the header. `facts` (or
// NULL) find more constants.
struct trip trip_of(struct arena *arena, const struct ir_module *module,
                    const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                    const bool *accesses, struct facts *facts);
// True if the loop has one test, and an access that runs only if that has let pass: of the times
// that control comes to the header, the last one is no iteration.
bool trip_tests_first(const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                      const bool *accesses);
