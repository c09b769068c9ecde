// The tables of one instruction set.
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/warp/matrix.h"
#include "runtime-sim/exec/lanes/memory_ops.h"
#include "runtime-sim/exec/warp/meet.h"
#include "runtime-sim/exec/decode/rows_steps.h"
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
    NAMED(rows_integer_divide),
    NAMED(rows_carry),
    NAMED(rows_logic),
    NAMED(rows_bits),
    NAMED(rows_select),
    NAMED(rows_video),
    NAMED(rows_integer),
    NAMED(rows_float),
    NAMED(rows_compare),
    NAMED(rows_convert),
    NAMED(rows_convert_float),
    NAMED(rows_convert_small),
    NAMED(rows_number),
    NAMED(rows_move),
    NAMED(rows_divide),
    NAMED(rows_order),
    NAMED(rows_half),
    NAMED(rows_approx),
    NAMED(rows_float_any),
    NAMED(rows_divide_any),
    rows_meet,
    rows_matrix,
    rows_texture,
    rows_steps,
    rows_memory,
    NULL,
};
const struct lanes_table NAMED(lanes) = {TEXT(LANES_SET), &NAMED(memory_ops), &NAMED(matrix_ops),
                                         groups};
