// ld, st, atom, red: space, address, elements.
#include "runtime-sim/exec/access.h"
#include "runtime-sim/exec/steps_memory.h"
#include "runtime-sim/program/layout.h"
#include "runtime-sim/program/prepare.h"
#include <string.h>

static void read_modifiers(const struct decoder *d, struct memory_code *memory)
{
    uint32_t caches = 0;
    memory->space = d->inst->space;
    memory->order = W_weak;
    for (uint32_t i = 0; i < 4; i++)
        memory->cache[i] = W_UNKNOWN;
    for (uint32_t i = 0; i < d->mod_count; i++) {
        uint16_t word = d->mods[i];
        if (word >= WORD_COUNT)
            continue;
        if (isa_words[word].kind == KIND_ORDER)
            memory->order = word;
        if (isa_words[word].kind == KIND_CACHE && caches < 4)
            memory->cache[caches++] = word;
    }
}

// [register + offset], [variable + offset], [number]
static const char *read_address(struct decoder *d, struct memory_code *memory)
{
    const struct ir_operand *base = decode_operand(d, ROLE_ADDRESS, 0);
    if (!base)
        return "this address cannot be executed";
    memory->base = SLOT_NONE;
    memory->offset = base->value;
    uint32_t width;
    struct location at;
    switch (base->kind) {
    case OPERAND_REGISTER:
        memory->base = decode_register(d, base, &width);
        memory->base_width = (uint8_t)width;
        return width == 4 || width == 8 ? NULL : "this address cannot be executed";
    case OPERAND_IMMEDIATE: return NULL;
    case OPERAND_SYMBOL:
        at = layout_locate(d->program, d->function, base->index);
        memory->in_frame = at.kind == LOCATION_FRAME;
        if (at.kind == LOCATION_FRAME || at.kind == LOCATION_FIXED) {
            memory->offset += (int64_t)at.address;
            return NULL;
        }
        memory->base_width = 8;
        memory->base = decode_symbol(d, base, 8);
        memory->offset = 0;
        return memory->base == SLOT_NONE ? "this address cannot be executed" : NULL;
    default: return "this address cannot be executed";
    }
}

// A variable's space counts where the instruction names none.
static void settle_space(struct decoder *d, struct memory_code *memory)
{
    const struct ir_operand *base = decode_operand(d, ROLE_ADDRESS, 0);
    if (memory->space == W_param)
        memory->space = memory->in_frame || !d->fn->is_entry ? W_local : W_global;
    if (memory->space == W_const)
        memory->space = W_global;
    if (memory->space == W_UNKNOWN && base->kind == OPERAND_SYMBOL) {
        memory->space = d->program->module->symbols.v[base->index].space;
        settle_space(d, memory);
    }
}

static struct memory_code *new_memory(struct decoder *d, struct code *code, const char **error)
{
    struct memory_code *memory = ARENA_NEW(d->program->arena, struct memory_code);
    read_modifiers(d, memory);
    memory->type = d->inst->type;
    memory->bytes = (uint8_t)decode_type_bytes(memory->type);
    memory->elements = d->inst->vector;
    memory->sign = decode_is_signed(memory->type);
    *error = read_address(d, memory);
    if (!*error)
        settle_space(d, memory);
    code->extra = memory;
    return memory;
}

static struct code_list *new_list(struct decoder *d, uint32_t count)
{
    struct code_list *list = ARENA_NEW(d->program->arena, struct code_list);
    list->count = count;
    list->slot = ARENA_ARRAY(d->program->arena, uint32_t, count);
    list->width = ARENA_ARRAY(d->program->arena, uint8_t, count);
    return list;
}

// The parameters of a launch are the same for all lanes: a load is a move.
static bool is_launch_parameter(const struct decoder *d)
{
    const struct ir_operand *base = decode_operand(d, ROLE_ADDRESS, 0);
    return d->fn->is_entry && d->inst->space == W_param && base && base->kind == OPERAND_SYMBOL &&
           d->inst->vector == 1 && d->program->module->symbols.v[base->index].parameter != IR_NONE;
}

static void move_lanes(const struct code *code, void *d, const void *const *s)
{
    memmove(d, s[0], lanes_bytes(code->width));
}

static const char *load_parameter(struct decoder *d, struct code *code)
{
    const struct ir_operand *base = decode_operand(d, ROLE_ADDRESS, 0);
    const struct ir_operand *to = decode_operand(d, ROLE_DEF, 0);
    if (!to || to->kind != OPERAND_REGISTER)
        return "this destination cannot be executed";
    uint32_t width, slot = decode_register(d, to, &width);
    struct location at = layout_locate(d->program, d->function, base->index);
    code->lanes = move_lanes;
    code->step = NULL;
    code->d = slot;
    code->width = (uint8_t)width;
    code->s[0] = decode_launch_value(
        d, (struct launch_value){.kind = LAUNCH_PARAMETER,
                                 .width = (uint8_t)width,
                                 .type = d->inst->type,
                                 .offset = (uint32_t)(at.address + (uint64_t)base->value)});
    code->source_count = 1;
    return NULL;
}

const char *prepare_load(struct decoder *d, struct code *code)
{
    if (is_launch_parameter(d))
        return load_parameter(d, code);
    const char *error;
    struct memory_code *memory = new_memory(d, code, &error);
    if (error)
        return error;
    code->list = new_list(d, memory->elements);
    for (uint32_t i = 0; i < memory->elements; i++) {
        const struct ir_operand *to = decode_operand(d, ROLE_DEF, i);
        uint32_t width = memory->bytes;
        if (to && to->kind == OPERAND_REGISTER && to->member == W_UNKNOWN)
            code->list->slot[i] = decode_register(d, to, &width);
        else if (to && to->kind == OPERAND_SINK)
            code->list->slot[i] = decode_temp(d, width);
        else
            return "this destination cannot be executed";
        code->list->width[i] = (uint8_t)width;
    }
    code->step = step_load;
    return NULL;
}

const char *prepare_store(struct decoder *d, struct code *code)
{
    const char *error;
    struct memory_code *memory = new_memory(d, code, &error);
    if (error)
        return error;
    code->list = new_list(d, memory->elements);
    for (uint32_t i = 0; i < memory->elements; i++) {
        const struct ir_operand *from = decode_operand(d, ROLE_USE, i);
        uint32_t width = memory->bytes;
        if (from && from->kind == OPERAND_REGISTER && from->member == W_UNKNOWN)
            code->list->slot[i] = decode_register(d, from, &width);
        else
            code->list->slot[i] = decode_source(d, from, width, memory->type);
        if (code->list->slot[i] == SLOT_NONE)
            return "this operand cannot be executed";
        code->list->width[i] = (uint8_t)width;
    }
    code->step = step_store;
    return NULL;
}
