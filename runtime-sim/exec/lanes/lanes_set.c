// The tables of one instruction set.
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/warp/matrix.h"
#include "runtime-sim/exec/lanes/memory_ops.h"
#include "runtime-sim/exec/warp/meet.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/memory/texture.h"

#define TEXT_(set) #set
#define TEXT(set) TEXT_(set)

extern const struct memory_ops NAMED(memory_ops);
extern const struct matrix_ops NAMED(matrix_ops);
extern const struct exec_row NAMED(rows_integer)[], NAMED(rows_float)[], NAMED(rows_compare)[],
    NAMED(rows_convert)[];
extern const struct exec_row NAMED(rows_integer_divide)[], NAMED(rows_carry)[], NAMED(rows_logic)[],
    NAMED(rows_bits)[], NAMED(rows_select)[], NAMED(rows_video)[];
extern const struct exec_row NAMED(rows_divide)[], NAMED(rows_order)[], NAMED(rows_half)[],
    NAMED(rows_approx)[], NAMED(rows_float_any)[], NAMED(rows_divide_any)[];
extern const struct exec_row NAMED(rows_convert_float)[], NAMED(rows_convert_small)[],
    NAMED(rows_number)[], NAMED(rows_move)[];

static const struct exec_row *const groups[] = {
    [EXEC_integer_divide] = NAMED(rows_integer_divide),
    [EXEC_carry] = NAMED(rows_carry),
    [EXEC_logic] = NAMED(rows_logic),
    [EXEC_bits] = NAMED(rows_bits),
    [EXEC_select] = NAMED(rows_select),
    [EXEC_video] = NAMED(rows_video),
    [EXEC_integer] = NAMED(rows_integer),
    [EXEC_float] = NAMED(rows_float),
    [EXEC_compare] = NAMED(rows_compare),
    [EXEC_convert] = NAMED(rows_convert),
    [EXEC_convert_float] = NAMED(rows_convert_float),
    [EXEC_convert_small] = NAMED(rows_convert_small),
    [EXEC_number] = NAMED(rows_number),
    [EXEC_move] = NAMED(rows_move),
    [EXEC_divide] = NAMED(rows_divide),
    [EXEC_order] = NAMED(rows_order),
    [EXEC_half] = NAMED(rows_half),
    [EXEC_approx] = NAMED(rows_approx),
    [EXEC_float_any] = NAMED(rows_float_any),
    [EXEC_divide_any] = NAMED(rows_divide_any),
    [EXEC_warp_sync] = rows_warp_sync,
    [EXEC_matrix] = rows_matrix,
    [EXEC_texture] = rows_texture,
    [EXEC_steps] = rows_steps,
    [EXEC_memory] = rows_memory,
    [EXEC_none] = NULL,
};
const struct lanes_table NAMED(lanes) = {TEXT(LANES_SET), &NAMED(memory_ops), &NAMED(matrix_ops),
                                         groups};
