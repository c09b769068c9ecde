#pragma once
#include "runtime-sim/exec/lanes/rows.h"

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
    EXEC_meet,
    EXEC_matrix,
    EXEC_texture,
    EXEC_steps,
    EXEC_memory,
    EXEC_none,
};
extern const struct exec_row rows_steps[], rows_memory[];
