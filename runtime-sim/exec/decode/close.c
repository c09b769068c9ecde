// Propagates properties of functions from callees to callers. A call by address may reach any
// function. An instruction that cannot be executed in such a function is a fault only when it is
// reached.
#include "runtime-sim/exec/warp/call.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/decode/decode.h"

static bool inherit_order(struct program_function *caller, const struct program_function *callee)
{
    bool changed = (callee->ordered && !caller->ordered) || (callee->alone && !caller->alone) ||
                   (callee->in_order && !caller->in_order) || callee->registers > caller->registers;
    changed |= decode_add_reduction(caller, callee->reduction);
    caller->in_order |= callee->in_order;
    caller->ordered |= callee->ordered;
    caller->alone |= callee->alone;
    if (callee->registers > caller->registers)
        caller->registers = callee->registers;
    return changed;
}

static bool inherit(struct program_function *caller, const struct program_function *callee)
{
    bool changed = inherit_order(caller, callee);
    if (!callee->refusal || caller->refusal)
        return changed;
    caller->refusal = callee->refusal;
    caller->refused_node = callee->refused_node;
    return true;
}

static bool inherit_from_all(const struct program *program, struct program_function *caller)
{
    bool changed = false;
    for (uint32_t i = 0; i < program->functions.n; i++)
        if (!program->module->functions.v[program->functions.v[i].function].is_entry)
            changed |= inherit_order(caller, &program->functions.v[i]);
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
                if (call && !call->builtin)
                    changed |= call->function == IR_NONE
                                   ? inherit_from_all(program, function)
                                   : inherit(function, &program->functions.v[call->function]);
            }
        }
    }
}
