// Number of iterations of a loop, if it is known before the loop is entered [002 §3.1.3].
//
// The count of a counted loop is an expression of register values at the entry of the loop:
//
//     sum      = ["-"] term { (" + " | " - ") term }
//     term     = factor { (" * " | " / ") factor }
//     factor   = integer | name | "(" sum ")" | function "(" sum { ", " sum } ")"
//     function = "min" | "max" | "and" | "or" | "xor" | "rem" | "shl" | "shr" | "if"
//              | "lt" | "le" | "gt" | "ge" | "eq" | "ne" | ("s" | "u") ("8" | "16" | "32")
//     name     = a register as ir_register_name has it, a special register (%ctaid.x), or a kernel
//                parameter as in [name+4]
//
// Arithmetic is signed in 64 bits and wraps around. A name stands for a value, sign-extended from
// its width; a predicate is 0 or 1; a part of a parameter is its bits from that offset on. s8() …
// u32() take the lowest bits and extend them with or without a sign. Division rounds towards zero,
// and x / 0 is 0; rem(x, y) is x - x / y * y. shl() shifts left, shr() right with the sign.
// Comparisons are 1 or 0; if(c, x, y) is y if c is 0, else x.
//
// The count is exact unless the counter, or a signed bound plus a constant, wraps around between
// its tests; unsigned 64-bit numbers must be below 2^63. A counter that is compared with != must
// reach the bound. A step that is not constant is assumed to lead towards the bound; if it does
// not, the count is the minimum or correct.
#pragma once
#include "passes/analysis/facts.h"

struct loop_exits {
    uint32_t edges; // exits, including returns
    uint32_t from;  // block of the first exit
    uint32_t to;    // target of all exits, or IR_NONE
    uint32_t other; // block of an exit with another target, or IR_NONE
};

// Returns the exits of each loop. Linear in the blocks, and in the loops that each edge leaves.
struct loop_exits *loop_exits_list(struct arena *arena, const struct ir_function *fn);

struct trip {
    enum trip_kind kind;
    uint64_t count;   // TRIP_CONSTANT
    const char *text; // TRIP_COUNTED, in `arena`
    bool may_be_zero; // the body may be executed 0 times
    const char *why;  // TRIP_UNKNOWN: a clause, e.g. "it has several exits"
    uint32_t because; // TRIP_UNKNOWN: instruction that causes it, or IR_NONE
};

// Returns, for each block and one past the last, the first block at or after it that has an access.
// `accesses` marks the instructions that are accesses to save.
uint32_t *trip_accesses(struct arena *arena, const struct ir_function *fn, const bool *accesses);

// Counts the iterations of a loop. Requires SSA and loops. `accesses` is the result of
// trip_accesses, or NULL. If an access follows the loop's test, the count is that of executions of
// the part after the test. If all precede it, the part before the test is executed once more than
// the test passes, and the count includes that execution. With several exits, executions of the
// header are counted. `facts` may be NULL; it yields more constants.
struct trip trip_of(struct arena *arena, const struct ir_module *module,
                    const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                    const uint32_t *accesses, struct facts *facts);
// Returns true if the loop has one test, and an access that is executed only after it: the last
// execution of the header is then not an iteration.
bool trip_tests_first(const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                      const uint32_t *accesses);
