// How an instruction is executed: rows of a table, each for one spelling of an opcode.
//
//     {OP_add, "s32", "4=44", ATTR_SAT, .lanes = add_s32}
//
// words   the modifiers that must stand there, without dots, in any order but that of types among
//         themselves and of state spaces. NULL: any.
// widths  results = sources, a letter each: 1 2 4 8 bytes of a lane, x 16 bytes, p a predicate.
//         NULL: the row's `prepare` looks at the operands itself.
// allowed attributes that may stand there beside the words; default rounding always may.
// The first row that fits is used. An instruction without a row cannot be executed.
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
    // Sets members that depend on the instruction. Returns NULL, or the unsupported feature, for
    // the user.
    const char *(*prepare)(struct decoder *d, struct code *code);
};

// The tables of one instruction set of the host: compiled from exec/lanes/lanes_*.c.
struct memory_ops;
struct matrix_ops;
struct lanes_table {
    const char *name; // "avx2"
    const struct memory_ops *memory;
    const struct matrix_ops *matrix;
    const struct exec_row *const
        *rows; // groups that end with a row without op words; NULL-terminated
};

// The best that this machine can do; `name`: that one, or NULL if the machine cannot.
const struct lanes_table *lanes_best(void);
const struct lanes_table *lanes_named(const char *name);
