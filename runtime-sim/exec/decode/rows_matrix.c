#include "runtime-sim/exec/memory/ldmatrix.h"
#include "runtime-sim/exec/decode/prepare.h"

const struct exec_row rows_matrix[] = {
    {OP_mma, NULL, NULL, 0, .step = step_mma, .prepare = prepare_mma},
    {OP_wmma, NULL, NULL, 0, .step = step_mma, .prepare = prepare_wmma},
    {OP_ldmatrix, NULL, NULL, 0, .step = step_matrix_load, .prepare = prepare_ldmatrix},
    {OP_stmatrix, NULL, NULL, 0, .step = step_matrix_store, .prepare = prepare_ldmatrix},
    {OP_movmatrix, NULL, NULL, 0, .step = step_movmatrix, .prepare = prepare_movmatrix},
    {0},
};
