// Translates IR to code. The blocks of a function are decoded in the order of the text. One
// instruction becomes one code, with codes before and after it that convert operands. A
// reconvergence point has a code of its own.
#include "passes/analysis/cost/pressure.h"
#include "runtime-sim/exec/decode/decode.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/exec/warp/steps.h"
#include "support/bits.h"
#include <string.h>

static void refuse(struct decoder *d, const char *why)
{
    if (d->function->refusal)
        return;
    d->function->refusal = why;
    d->function->refused_node = d->inst->node;
}

uint32_t decode_symbol(struct decoder *d, const struct ir_operand *operand, uint32_t width)
{
    struct location at = layout_locate(d->program, d->function, operand->index);
    uint64_t address = at.address + (uint64_t)operand->value;
    switch (at.kind) {
    case LOCATION_FIXED: return decode_constant(d, address, width);
    case LOCATION_LAUNCH:
        return decode_launch_value(d, (struct launch_value){.kind = at.launch,
                                                            .width = (uint8_t)width,
                                                            .offset = (uint32_t)address});
    case LOCATION_FRAME: break;
    default: return REG_SLOT_NONE;
    }
    uint32_t temp = decode_temp(d, width);
    decode_before(d, (struct code){.step = step_frame_address,
                                   .guard = REG_SLOT_NONE,
                                   .d = temp,
                                   .d2 = REG_SLOT_NONE,
                                   .width = (uint8_t)width,
                                   .value = address});
    return temp;
}

// Operands as given by the row

static uint32_t letter_width(char letter)
{
    return letter == 'p' ? WIDTH_PREDICATE : letter == 'x' ? 16 : (uint32_t)(letter - '0');
}

// Resolves the results. The first type is the result's; the second type, if present, is that of the
// sources.
static const char *decode_results(struct decoder *d, struct code *code, const char *widths)
{
    uint32_t *to[] = {&code->d, &code->d2};
    uint8_t *width[] = {&code->width, &code->width2};
    for (uint32_t n = 0; *widths != '='; n++, widths++) {
        *width[n] = (uint8_t)letter_width(*widths);
        *to[n] =
            decode_result(d, decode_operand(d, ROLE_DEF, n), letter_width(*widths), d->inst->type);
        if (*to[n] == REG_SLOT_NONE)
            refuse(d, "this destination is not supported");
    }
    return widths + 1;
}

static void decode_operands(struct decoder *d, struct code *code, const char *widths)
{
    uint16_t type = d->inst->type2 != W_UNKNOWN ? d->inst->type2 : d->inst->type;
    widths = decode_results(d, code, widths);
    for (; *widths; widths++) {
        uint32_t n = code->source_count++;
        code->s[n] = decode_source(d, decode_operand(d, ROLE_USE, n), letter_width(*widths), type);
        if (code->s[n] == REG_SLOT_NONE)
            refuse(d, "this operand is not supported");
    }
}

// One instruction

static void set_guard(struct decoder *d, struct code *code)
{
    code->guard = REG_SLOT_NONE;
    if (!(d->inst->flags & INST_GUARDED))
        return;
    const struct ir_operand *guard = decode_operand(d, ROLE_GUARD, 0);
    uint32_t width;
    if (guard->kind != OPERAND_REGISTER) {
        refuse(d, "this guard is not supported");
        return;
    }
    code->guard = decode_register(d, guard, &width);
    code->guard_negated = (d->inst->flags & INST_GUARD_NEGATED) != 0;
}

static void put_conversions(struct decoder *d, const struct code *code)
{
    for (uint32_t i = 0; i < d->trailing.n; i++) {
        struct code trailing = d->trailing.v[i];
        trailing.guard = code->guard;
        trailing.guard_negated = code->guard_negated;
        trailing.inst = code->inst;
        trailing.trailing = true;
        decode_before(d, trailing);
    }
    d->trailing.n = 0;
}

// Returns why an instruction without a row is not executed.
static const char *missing_row(uint16_t op)
{
    switch (op) {
    case OP_tcgen05:
        return "tensor memory and its matrix products (tcgen05) are not supported; compile for "
               "sm_90a "
               "or an older architecture";
    case OP_multimem: return "memory of several devices at one address (multimem) is not supported";
    case OP_clusterlaunchcontrol:
        return "taking the work of clusters that have not started (clusterlaunchcontrol) is not "
               "supported";
    default: return "this instruction is not supported";
    }
}

static void decode_instruction(struct decoder *d, uint32_t id)
{
    d->id = id;
    d->inst = &d->fn->insts.v[id];
    d->mods = node_mods(d->program->module->tree, d->inst->node, &d->mod_count);
    memset(d->temps, 0, sizeof d->temps);
    struct code code = {.d = REG_SLOT_NONE, .d2 = REG_SLOT_NONE, .type = d->inst->type, .inst = id};
    const struct exec_row *row = select_row(d->selection, d, &code);
    uint32_t first = d->program->codes.n;
    set_guard(d, &code);
    if (!row) {
        refuse(d, missing_row(d->inst->op));
        code.step = step_refused;
    } else {
        code.lanes = row->lanes;
        code.step = row->step;
        if (row->widths)
            decode_operands(d, &code, row->widths);
        const char *error = row->prepare ? row->prepare(d, &code) : NULL;
        if (error)
            refuse(d, error);
    }
    for (uint32_t i = first; i < d->program->codes.n; i++)
        d->program->codes.v[i].inst = id;
    code.counted = true;
    decode_before(d, code);
    put_conversions(d, &code);
    d->program->codes.v[d->program->codes.n - 1].ends = true;
}

// Functions

// Finds the reconvergence points of branches.
static uint64_t *find_reconvergence(struct decoder *d)
{
    uint64_t *reconvergences = bits_new(&d->scratch, d->fn->blocks.n + 1);
    for (uint32_t b = 0; b < d->fn->blocks.n; b++) {
        const struct ir_block *block = &d->fn->blocks.v[b];
        if (block->succ_count > 1 && block->ipdom < d->fn->blocks.n)
            bits_set(reconvergences, block->ipdom);
    }
    return reconvergences;
}

static uint32_t block_start(const struct decoder *d, uint32_t block)
{
    return block < d->fn->blocks.n ? d->block_code[block] : IR_NONE;
}

static void resolve_branches(struct decoder *d)
{
    for (uint32_t i = 0; i < d->branches.n; i++) {
        uint32_t at = d->branches.v[i];
        const struct code *code = &d->program->codes.v[at];
        struct branch *branch = (struct branch *)code->extra;
        branch->reconvergence = block_start(d, branch->reconvergence);
        for (uint32_t k = 0; k < branch->count; k++) {
            branch->targets[k] = block_start(d, branch->targets[k]);
            branch->backward |= branch->targets[k] <= at;
        }
    }
}

static void place_temps(struct decoder *d)
{
    uint32_t begin[WIDTH_CLASSES], at = d->slots.frame_bytes;
    for (uint32_t class = WIDTH_CLASSES; class -- > 0;) {
        begin[class] = at;
        at += d->max_temps[class] * lanes_bytes(class ? 1u << (class - 1) : WIDTH_PREDICATE);
    }
    d->function->frame_bytes = (at + 63) & ~63u;
    for (uint32_t i = d->function->begin; i < d->program->codes.n; i++) {
        struct code *code = &d->program->codes.v[i];
        uint32_t *slots[] = {&code->d,    &code->d2,   &code->s[0],
                             &code->s[1], &code->s[2], &code->s[3]};
        for (uint32_t k = 0; k < 2u + code->source_count; k++)
            *slots[k] = decode_temp_offset(*slots[k], begin);
        if (code->list)
            for (uint32_t k = 0; k < code->list->count; k++)
                code->list->slot[k] = decode_temp_offset(code->list->slot[k], begin);
    }
}

uint32_t decode_temp_offset(uint32_t slot, const uint32_t begin[WIDTH_CLASSES])
{
    if (slot == REG_SLOT_NONE || slot >> REG_SLOT_SHIFT != BASE_FRAME || !(slot & TEMP_MARK))
        return slot;
    uint32_t class = slot >> TEMP_CLASS_SHIFT & 7;
    uint32_t width = class ? 1u << (class - 1) : WIDTH_PREDICATE;
    uint32_t number = slot & ((1u << TEMP_CLASS_SHIFT) - 1);
    return REG_SLOT(BASE_FRAME, begin[class] + number * lanes_bytes(width));
}

static void end_function(struct decoder *d)
{
    // As in ptxas, the end of the text is a return.
    decode_before(d, (struct code){.step = d->fn->is_entry ? step_exit : step_return,
                                   .guard = REG_SLOT_NONE,
                                   .d = REG_SLOT_NONE,
                                   .d2 = REG_SLOT_NONE,
                                   .ends = true});
    d->function->end = d->program->codes.n;
}

// Assigns slots to the parameters that are registers.
static void place_registers(struct decoder *d)
{
    const struct program_function *function = d->function;
    uint32_t count = function->return_count + function->param_count;
    for (uint32_t i = 0; i < count; i++) {
        struct program_parameter *parameter = &d->program->parameters.v[function->returns + i];
        for (uint32_t r = 0; parameter->symbol == IR_NONE && r < d->fn->registers.n; r++) {
            const struct ir_register *reg = &d->fn->registers.v[r];
            if (reg->decl != parameter->node || d->slots.offset[r] == IR_NONE)
                continue;
            parameter->slot = REG_SLOT(BASE_FRAME, d->slots.offset[r]);
            parameter->width = (uint8_t)reg_slots_width(reg);
            parameter->bytes = parameter->width;
        }
    }
}

// Estimates the registers that an assembler needs: the most that are live at once and a reserve,
// but not more than if each value kept one register from its first to its last place in the text.
// docs/reference/machine.md compares this with ptxas. No GPU since sm_35 gives a thread more than
// MOST [CUDA programming guide, compute capabilities].
static uint32_t estimate_registers(struct decoder *d)
{
    enum { RESERVED = 2, LIMIT = 255 };
    uint32_t live = pressure_of(&d->scratch, d->fn).registers + RESERVED;
    uint32_t min = live < d->slots.registers ? live : d->slots.registers;
    return min < LIMIT ? min : LIMIT;
}

static void place_unset(struct decoder *d)
{
    d->function->unset = d->program->unset.n;
    d->function->unset_count = d->slots.unset_count;
    for (uint32_t i = 0; i < d->slots.unset_count; i++) {
        uint32_t reg = d->slots.unset[i].reg;
        struct program_unset unset = {reg, d->slots.offset[reg], d->slots.unset[i].written,
                                      reg_slots_width(&d->fn->registers.v[reg])};
        vec_push(d->program->arena, &d->program->unset, unset);
    }
}

static void decode_function(struct decoder *d)
{
    const struct ir_function *fn = d->fn;
    reg_slots_assign(&d->slots, &d->scratch, fn);
    decode_order(d);
    d->block_code = ARENA_ARRAY(&d->scratch, uint32_t, fn->blocks.n + 1);
    d->function->begin = d->program->codes.n;
    d->function->registers = estimate_registers(d);
    place_registers(d);
    place_unset(d);
    const uint64_t *reconvergences = find_reconvergence(d);
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        d->block_code[b] = d->program->codes.n;
        if (bits_test(reconvergences, b))
            decode_before(d, (struct code){.step = step_reconverge,
                                           .guard = REG_SLOT_NONE,
                                           .d = REG_SLOT_NONE,
                                           .d2 = REG_SLOT_NONE,
                                           .inst = fn->blocks.v[b].first});
        for (uint32_t i = fn->blocks.v[b].first; i < fn->blocks.v[b].end; i++)
            decode_instruction(d, i);
    }
    end_function(d);
    resolve_branches(d);
    place_temps(d);
}

// Aligns the constants to 64 bytes, as lanes require.
static void align_constants(struct program *program)
{
    uint8_t *at = arena_alloc(program->arena, program->constants.n + 64);
    at += -(uintptr_t)at & 63;
    if (program->constants.n)
        memcpy(at, program->constants.v, program->constants.n);
    program->constants.v = at;
}

void program_build(struct program *program, struct arena *arena, const struct ir_module *module,
                   const struct lanes_table *lanes)
{
    program_build_at(program, arena, module, lanes,
                     module->address_bits == 64 ? GLOBAL_FIRST_64 : GLOBAL_FIRST);
}

void program_build_at(struct program *program, struct arena *arena, const struct ir_module *module,
                      const struct lanes_table *lanes, uint64_t global_first)
{
    *program = (struct program){
        .arena = arena, .module = module, .lanes = lanes, .global_first = global_first};
    layout_module(program);
    struct selection *selection = select_new(arena, module, lanes);
    for (uint32_t i = 0; i < program->functions.n; i++) {
        struct decoder d = {.program = program,
                            .function = &program->functions.v[i],
                            .fn = &module->functions.v[program->functions.v[i].function],
                            .selection = selection};
        arena_init(&d.scratch, arena->memory);
        decode_function(&d);
        arena_free(&d.scratch);
    }
    align_constants(program);
    program_close(program);
}

const struct program_function *program_find_function(const struct program *program,
                                                     const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < program->functions.n; i++) {
        const struct ir_function *fn =
            &program->module->functions.v[program->functions.v[i].function];
        const struct name *own = tree_name(program->module->tree, fn->name);
        if (own->length == length && !memcmp(own->text, name, length))
            return &program->functions.v[i];
    }
    return NULL;
}

const struct program_function *program_find(const struct program *program, const char *name)
{
    const struct program_function *found = program_find_function(program, name);
    return found && program->module->functions.v[found->function].is_entry ? found : NULL;
}

void program_set_registers(struct program *program, const char *name, uint32_t registers)
{
    const struct program_function *found = program_find_function(program, name);
    if (!found || found->assembled)
        return;
    struct program_function *function = &program->functions.v[found - program->functions.v];
    function->registers = registers;
    function->assembled = true;
}

// Propagates properties of functions from callees to callers. A call by address may reach any
// function. An instruction that cannot be executed in such a function is a fault only when it is
// reached.

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
