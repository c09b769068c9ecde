// The execution of instructions: a table with one row per spelling of an opcode.
//
//     {OP_add, "s32", "4=44", ATTR_SAT, .lanes = add_s32}
//
// words   the required modifiers, without dots. They may be in any order, except that types must be
//         in order, and so must state spaces. NULL: any modifiers.
// widths  results = sources, one letter each: 1 2 4 8 bytes per lane, x 16 bytes, p a predicate.
//         NULL: the row's `prepare` resolves the operands.
// allowed attributes that may be present in addition to the words; the default rounding is always
//         allowed.
// The first row that matches is used. An instruction without a row cannot be executed.
#pragma once
#include "runtime-sim/exec/decode/code.h"

struct decoder;
struct ir_inst;

struct exec_row {
    uint16_t op;
    const char *words, *widths;
    uint16_t allowed;
    exec_fn *lanes;
    step_fn *step;
    // Sets members that depend on the instruction. Returns NULL, or a description of the
    // unsupported feature for the user.
    const char *(*prepare)(struct decoder *d, struct code *code);
};

// The tables of one instruction set of the host, compiled from exec/lanes/lanes_*.c.
struct memory_ops;
struct matrix_ops;
struct lanes_table {
    const char *name; // "avx2"
    const struct memory_ops *memory;
    const struct matrix_ops *matrix;
    const struct exec_row *const
        *rows; // groups that end with a row without op words; NULL-terminated
};

// Returns the tables of the best instruction set of the host, or those of the named one; NULL if
// the host does not have it.
const struct lanes_table *lanes_best(void);
const struct lanes_table *lanes_named(const char *name);
