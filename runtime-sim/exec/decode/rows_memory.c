// Rows of instructions that access memory or compute with addresses.
#include "runtime-sim/exec/memory/access_steps.h"
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/decode/rows_steps.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/decode/prepare.h"

#define ROW(op, fn, prepare_fn)                                                                    \
    {                                                                                              \
        OP_##op, NULL, NULL, 0, .step = fn, .prepare = prepare_fn                                  \
    }

const struct exec_row rows_memory[] = {
    ROW(ld, step_load, prepare_load),
    ROW(ldu, step_load, prepare_load),
    ROW(st, step_store, prepare_store),
    ROW(atom, step_atomic, prepare_atomic),
    ROW(red, step_atomic, prepare_atomic),
    ROW(prefetch, step_nothing, NULL),
    ROW(prefetchu, step_nothing, NULL),
    ROW(applypriority, step_nothing, NULL),
    ROW(discard, step_discard, prepare_discard),
    ROW(createpolicy, step_nothing, prepare_policy),
    ROW(cvta, step_nothing, prepare_cvta),
    ROW(isspacep, step_is_in_space, prepare_isspacep),
    ROW(mapa, step_nothing, prepare_mapa),
    ROW(getctarank, step_nothing, prepare_getctarank),
    ROW(alloca, step_alloca, prepare_alloca),
    ROW(stacksave, step_stack_save, prepare_stack_save),
    ROW(stackrestore, step_stack_restore, prepare_stack_restore),
    ROW(membar, step_order, NULL),
    ROW(fence, step_order, NULL),
    ROW(cp, step_nothing, prepare_copy),
    ROW(mbarrier, step_mbarrier, prepare_mbarrier),
    ROW(griddepcontrol, step_nothing, NULL),
    {0},
};
