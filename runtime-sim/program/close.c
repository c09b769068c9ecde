// What a function may do through the functions that it calls.
#include "runtime-sim/exec/call.h"
#include "runtime-sim/exec/steps.h"
#include "runtime-sim/program/decode.h"

static bool inherit(struct program_function *caller, const struct program_function *callee)
{
    bool changed = (callee->ordered && !caller->ordered) || (callee->alone && !caller->alone) ||
                   (callee->refusal && !caller->refusal);
    caller->ordered |= callee->ordered;
    caller->alone |= callee->alone;
    if (callee->refusal && !caller->refusal) {
        caller->refusal = callee->refusal;
        caller->refused_node = callee->refused_node;
    }
    return changed;
}

void program_close(struct program *program)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < program->functions.n; i++) {
            struct program_function *function = &program->functions.v[i];
            for (uint32_t k = function->begin; k < function->end; k++) {
                const struct code *code = &program->codes.v[k];
                const struct call *call = code->step == step_call ? code->extra : NULL;
                if (call && !call->builtin && call->function != IR_NONE)
                    changed |= inherit(function, &program->functions.v[call->function]);
            }
        }
    }
}
