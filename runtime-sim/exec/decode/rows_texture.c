#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/decode/prepare.h"

const struct exec_row rows_texture[] = {
    {OP_tex, NULL, NULL, 0, .step = step_tex, .prepare = prepare_tex},
    {OP_tld4, NULL, NULL, 0, .step = step_tld4, .prepare = prepare_tld4},
    {OP_txq, NULL, NULL, 0, .step = step_txq, .prepare = prepare_txq},
    {0},
};
