// Rows of instructions that are steps. They are the same for every instruction set of the host.
#include "runtime-sim/exec/decode/rows_steps.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/decode/prepare.h"

const struct exec_row rows_steps[] = {
    {OP_bra, NULL, NULL, 0, .step = step_branch, .prepare = prepare_branch},
    {OP_brx, NULL, NULL, 0, .step = step_branch_indexed, .prepare = prepare_branch_indexed},
    {OP_call, NULL, NULL, 0, .step = step_call, .prepare = prepare_call},
    {OP_ret, NULL, NULL, 0, .step = step_return},
    {OP_exit, NULL, NULL, 0, .step = step_exit},
    {OP_trap, NULL, NULL, 0, .step = step_trap},
    {OP_brkpt, NULL, NULL, 0, .step = step_breakpoint},
    {OP_bar, NULL, NULL, 0, .step = step_barrier, .prepare = prepare_barrier},
    {OP_barrier, "cluster arrive", "=", 0, .step = step_cluster_arrive},
    {OP_barrier, "cluster arrive release", "=", 0, .step = step_cluster_arrive},
    {OP_barrier, "cluster arrive relaxed", "=", 0, .step = step_cluster_arrive},
    {OP_barrier, "cluster wait", "=", 0, .step = step_cluster_wait},
    {OP_barrier, "cluster wait acquire", "=", 0, .step = step_cluster_wait},
    {OP_barrier, NULL, NULL, 0, .step = step_barrier, .prepare = prepare_barrier},
    {OP_set, NULL, NULL, 0, .step = step_nothing, .prepare = prepare_set},
    {OP_nanosleep, NULL, NULL, 0, .step = step_nothing},
    {OP_pmevent, NULL, NULL, 0, .step = step_nothing},
    {OP_setmaxnreg, NULL, NULL, 0, .step = step_nothing}, // a hint
    {0},
};
