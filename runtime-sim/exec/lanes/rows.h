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

// Groups of rows, in the order in which they are searched. rows_integer is in
// lanes/lanes_integer.c, rows_steps in decode/rows_steps.c.
enum exec_group {
    EXEC_integer_divide,
    EXEC_carry,
    EXEC_logic,
    EXEC_bits,
    EXEC_select,
    EXEC_video,
    EXEC_integer,
    EXEC_float,
    EXEC_compare,
    EXEC_convert,
    EXEC_convert_float,
    EXEC_convert_small,
    EXEC_number,
    EXEC_move,
    EXEC_divide,
    EXEC_order,
    EXEC_half,
    EXEC_approx,
    EXEC_float_any,
    EXEC_divide_any,
    EXEC_warp_sync,
    EXEC_matrix,
    EXEC_texture,
    EXEC_steps,
    EXEC_memory,
    EXEC_none,
};
extern const struct exec_row rows_steps[], rows_memory[];
