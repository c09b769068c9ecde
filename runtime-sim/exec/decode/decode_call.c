// Decodes call: the callee and its arguments.
#include "runtime-sim/exec/warp/builtin.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/warp/steps.h"

static bool decode_value(struct decoder *d, struct call_value *value,
                         const struct ir_operand *operand)
{
    uint32_t width = 4;
    *value = (struct call_value){.slot = REG_SLOT_NONE};
    if (operand->kind == OPERAND_SINK)
        return true;
    if (operand->kind == OPERAND_SYMBOL) {
        const struct ir_symbol *symbol = &d->program->module->symbols.v[operand->index];
        struct location at = layout_locate(d->program, d->function, operand->index);
        value->offset = (uint32_t)at.address;
        value->bytes = symbol->size;
        return at.kind == LOCATION_FRAME;
    }
    if (operand->kind == OPERAND_REGISTER)
        value->slot = decode_register(d, operand, &width);
    else if (operand->kind == OPERAND_IMMEDIATE)
        value->slot = decode_constant(d, (uint64_t)operand->value, width = 8);
    value->width = (uint8_t)width;
    value->bytes = width;
    return value->slot != REG_SLOT_NONE && width;
}

static struct call_value *decode_values(struct decoder *d, uint8_t slot, uint32_t *count,
                                        const char **error)
{
    const struct ir_operand *operands = ir_operands(d->fn, d->id);
    struct call_value *values =
        ARENA_ARRAY(d->program->arena, struct call_value, d->inst->operand_count + 1);
    for (uint32_t i = 0; i < d->inst->operand_count; i++) {
        if (operands[i].slot != slot || operands[i].role == ROLE_GUARD ||
            operands[i].role == ROLE_KEEP)
            continue;
        if (!decode_value(d, &values[(*count)++], &operands[i]))
            *error = "this argument is not supported";
    }
    return values;
}

// Returns the index of the function's name in the operand list: 0, or 1 after results.
static uint8_t function_reg_slot(const struct decoder *d)
{
    const struct tree *tree = d->program->module->tree;
    uint32_t first =
        d->inst->node + 1 + (tree->nodes.v[d->inst->node].flags & NODE_HAS_GUARD ? 1 : 0);
    return tree->nodes.v[first].kind == NODE_LIST;
}

static const char *decode_function(struct decoder *d, struct call *call,
                                   const struct ir_operand *function)
{
    call->function = IR_NONE;
    if (function->kind == OPERAND_REGISTER) {
        call->handle = decode_source(d, function, 8, W_u64);
        return call->handle == REG_SLOT_NONE ? "this call is not supported" : NULL;
    }
    if (function->kind != OPERAND_SYMBOL)
        return "this call is not supported";
    const struct ir_module *module = d->program->module;
    const struct ir_symbol *symbol = &module->symbols.v[function->index];
    const struct name *name = tree_name(module->tree, symbol->name);
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body && module->functions.v[i].name == symbol->name)
            call->function = d->program->function_of.v[i];
    if (call->function != IR_NONE)
        return NULL;
    call->builtin = builtin_named(name->text, name->length);
    d->function->ordered = d->function->alone = d->function->in_order =
        true; // output and addresses depend on the order of threads
    return call->builtin ? NULL : "the called function has no body";
}

const char *prepare_call(struct decoder *d, struct code *code)
{
    struct call *call = ARENA_NEW(d->program->arena, struct call);
    const struct ir_operand *operands = ir_operands(d->fn, d->id), *function = NULL;
    uint8_t slot = function_reg_slot(d);
    const char *error = NULL;
    for (uint32_t i = 0; i < d->inst->operand_count; i++)
        if (operands[i].slot == slot && operands[i].role == ROLE_USE)
            function = &operands[i];
    if (!function)
        return "this call is not supported";
    error = decode_function(d, call, function);
    if (slot)
        call->results = decode_values(d, 0, &call->result_count, &error);
    call->arguments = decode_values(d, (uint8_t)(slot + 1), &call->argument_count, &error);
    code->extra = call;
    code->step = step_call;
    return error;
}
