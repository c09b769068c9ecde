// Decodes ld and st: space, address, elements.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/decode/layout.h"
#include <string.h>

static void read_modifiers(const struct decoder *d, struct memory_code *memory)
{
    uint32_t caches = 0;
    memory->order = W_weak;
    memory->scope = W_UNKNOWN;
    for (uint32_t i = 0; i < 4; i++)
        memory->cache[i] = W_UNKNOWN;
    for (uint32_t i = 0; i < d->mod_count; i++) {
        uint16_t word = d->mods[i];
        if (word >= WORD_COUNT)
            continue;
        if (isa_words[word].kind == KIND_ORDER && memory->order != W_mmio)
            memory->order = word; // in .mmio.relaxed, .mmio is the stronger word
        if (isa_words[word].kind == KIND_SCOPE)
            memory->scope = word;
        if (isa_words[word].kind == KIND_CACHE && caches < 4)
            memory->cache[caches++] = word;
    }
}

uint16_t decode_space(const struct decoder *d, uint32_t n)
{
    for (uint32_t i = 0; i < d->mod_count; i++)
        if (isa_is_space(d->mods[i]) && !n--)
            return d->mods[i];
    return W_UNKNOWN;
}

// Resolves [register + offset], [variable + offset] or [number].
static const char *read_address(struct decoder *d, struct memory_code *memory,
                                const struct ir_operand *base)
{
    memory->base = REG_SLOT_NONE;
    memory->offset = base->value;
    uint32_t width;
    struct location at;
    switch (base->kind) {
    case OPERAND_REGISTER:
        memory->base = decode_register(d, base, &width);
        memory->base_width = (uint8_t)width;
        return width == 4 || width == 8 ? NULL : "an address is neither 32 nor 64 bits wide";
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
        return memory->base == REG_SLOT_NONE ? "this address is not supported" : NULL;
    default: return "this address is not supported";
    }
}

static uint16_t space_of_parameter(const struct decoder *d, const struct memory_code *memory,
                                   const struct ir_operand *base)
{
    if (memory->in_frame || !d->fn->is_entry)
        return W_local;
    return base->kind == OPERAND_SYMBOL ? W_global : W_param;
}

// Determines the space. It is that of the variable if the instruction names none. Kernel parameters
// and constants are in global memory, other parameters in local memory.
static void settle_space(const struct decoder *d, struct memory_code *memory,
                         const struct ir_operand *base, uint16_t space)
{
    memory->space = space;
    memory->parameter = space == W_param || space == W_param_entry || space == W_param_func;
    switch (space) {
    case W_param: memory->space = space_of_parameter(d, memory, base); break;
    case W_param_func: memory->space = W_local; break;
    case W_param_entry:
    case W_const: memory->space = W_global; break;
    case W_shared_cta:
    case W_shared_cluster: memory->space = W_shared; break;
    case W_UNKNOWN:
        if (base->kind == OPERAND_SYMBOL)
            settle_space(d, memory, base, d->program->module->symbols.v[base->index].space);
        break;
    default: break;
    }
}

struct memory_code *decode_memory(struct decoder *d, uint32_t n, uint16_t space, const char **error)
{
    const struct ir_operand *base = decode_operand(d, ROLE_ADDRESS, n);
    *error = "this address is not supported";
    if (!base)
        return NULL;
    struct memory_code *memory = ARENA_NEW(d->program->arena, struct memory_code);
    read_modifiers(d, memory);
    memory->type = d->inst->type;
    memory->bytes = (uint8_t)decode_type_bytes(memory->type);
    memory->elements = d->inst->vector;
    memory->sign = decode_is_signed(memory->type);
    memory->policy = REG_SLOT_NONE;
    *error = read_address(d, memory, base);
    settle_space(d, memory, base, space);
    return *error ? NULL : memory;
}

// Resolves the address of ld and st, and the cache policy, which follows the values.
static struct memory_code *new_memory(struct decoder *d, struct code *code, uint32_t values,
                                      const char **error)
{
    struct memory_code *memory = decode_memory(d, 0, d->inst->space, error);
    if (memory && decode_has(d, W_L2_cache_hint))
        memory->policy = decode_source(d, decode_operand(d, ROLE_USE, values), 8, W_b64);
    code->extra = memory;
    return memory;
}

struct code_list *decode_list(struct decoder *d, uint32_t count)
{
    struct code_list *list = ARENA_NEW(d->program->arena, struct code_list);
    list->count = count;
    list->slot = ARENA_ARRAY(d->program->arena, uint32_t, count);
    list->width = ARENA_ARRAY(d->program->arena, uint8_t, count);
    return list;
}

// Returns true for a load of a kernel parameter, which is the same for all lanes, so that the load
// becomes a move. A load beyond the parameter is executed as a load, which reports the fault.
static bool is_launch_parameter(const struct decoder *d)
{
    const struct ir_operand *base = decode_operand(d, ROLE_ADDRESS, 0);
    uint32_t bytes = decode_type_bytes(d->inst->type);
    if (!d->fn->is_entry || (d->inst->space != W_param && d->inst->space != W_param_entry) ||
        !base || base->kind != OPERAND_SYMBOL || d->inst->vector != 1 || bytes > 8 || !bytes ||
        d->program->module->symbols.v[base->index].parameter == IR_NONE)
        return false;
    struct location at = layout_locate(d->program, d->function, base->index);
    uint64_t offset = at.address + (uint64_t)base->value;
    uint32_t all = d->function->param_bytes;
    return offset % bytes == 0 && offset < all && bytes <= all - offset;
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
        return "this destination is not supported";
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

static uint32_t element_bytes(const struct decoder *d, const struct ir_operand *operand)
{
    return decode_type_bytes(d->fn->registers.v[operand->index].type);
}

const char *decode_loaded(struct decoder *d, const struct memory_code *memory,
                          struct code_list *list)
{
    for (uint32_t i = 0; i < memory->elements; i++) {
        struct ir_operand own;
        const struct ir_operand *to = decode_vector(d, ROLE_DEF, 0, i, &own);
        uint32_t width = memory->bytes;
        if (to && to->kind == OPERAND_REGISTER && to->member == W_UNKNOWN)
            list->slot[i] = decode_register(d, to, &width);
        else if (to && to->kind == OPERAND_SINK)
            list->slot[i] = decode_temp(d, width);
        else if (to && to->kind == OPERAND_REGISTER)
            list->slot[i] = decode_result(d, to, width = element_bytes(d, to), memory->type);
        else
            list->slot[i] = REG_SLOT_NONE;
        if (list->slot[i] == REG_SLOT_NONE)
            return "this destination is not supported";
        list->width[i] = (uint8_t)width;
    }
    return NULL;
}

const char *prepare_load(struct decoder *d, struct code *code)
{
    if (is_launch_parameter(d))
        return load_parameter(d, code);
    const char *error;
    struct memory_code *memory = new_memory(d, code, 0, &error);
    if (error)
        return error;
    code->list = decode_list(d, memory->elements);
    code->step = step_load;
    return decode_loaded(d, memory, code->list);
}

static bool writes_constant(const struct decoder *d)
{
    const struct ir_operand *base = decode_operand(d, ROLE_ADDRESS, 0);
    return base->kind == OPERAND_SYMBOL &&
           d->program->module->symbols.v[base->index].space == W_const;
}

// In a vector, an element that is not written is a sink and has no slot.
const char *decode_stored(struct decoder *d, const struct memory_code *memory,
                          struct code_list *list, uint32_t first, uint32_t operand)
{
    for (uint32_t i = 0; i < memory->elements; i++) {
        struct ir_operand own;
        const struct ir_operand *from = decode_vector(d, ROLE_USE, operand, i, &own);
        uint32_t width = memory->bytes, *slot = &list->slot[first + i];
        *slot = REG_SLOT_NONE;
        if (from && from->kind == OPERAND_SINK && memory->elements > 1)
            continue;
        if (from && from->kind == OPERAND_REGISTER && from->member == W_UNKNOWN && !from->part)
            *slot = decode_register(d, from, &width);
        else if (from && from->kind == OPERAND_REGISTER)
            *slot = decode_source(d, from, width = from->part ? width : element_bytes(d, from),
                                  memory->type);
        else
            *slot = decode_source(d, from, width, memory->type);
        if (*slot == REG_SLOT_NONE)
            return "this operand is not supported";
        list->width[first + i] = (uint8_t)width;
    }
    return NULL;
}

const char *prepare_store(struct decoder *d, struct code *code)
{
    if (decode_has(d, W_mbarrier_complete_tx_bytes))
        return prepare_async_store(d, code);
    if (decode_has(d, W_bulk))
        return prepare_fill(d, code);
    const char *error;
    struct memory_code *memory =
        new_memory(d, code, decode_is_vector(d, ROLE_USE, 0) ? 1 : d->inst->vector, &error);
    if (error)
        return error;
    if (writes_constant(d))
        return "a store to constant memory";
    code->list = decode_list(d, memory->elements);
    code->step = step_store;
    return decode_stored(d, memory, code->list, 0, 0);
}

const char *prepare_discard(struct decoder *d, struct code *code)
{
    const char *error;
    code->extra = decode_memory(d, 0, decode_space(d, 0), &error);
    return error;
}
