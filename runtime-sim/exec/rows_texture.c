#include "runtime-sim/exec/texture.h"
#include "runtime-sim/program/prepare.h"

const struct exec_row rows_texture[] = {
    {OP_tex, NULL, NULL, 0, .step = step_tex, .prepare = prepare_tex},
    {OP_txq, NULL, NULL, 0, .step = step_txq, .prepare = prepare_txq},
    {0},
};
