// Decodes tex, tld4, txq and suq: the handle, the coordinates, levels, offsets and comparison, the
// sampler, and samplers that the module defines.
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/exec/decode/prepare.h"
#include <string.h>

// .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = nearest }: names and values
// alternate.

static const struct {
    const char *name;
    uint32_t value;
} words[] = {
    {"nearest", TEXTURE_NEAREST},
    {"linear", TEXTURE_LINEAR},
    {"wrap", TEXTURE_WRAP},
    {"mirror", TEXTURE_MIRROR},
    {"clamp_ogl", TEXTURE_CLAMP_OGL},
    {"clamp_to_edge", TEXTURE_CLAMP_TO_EDGE},
    {"clamp_to_border", TEXTURE_CLAMP_TO_BORDER},
};

static const struct name *name_at(const struct tree *tree, uint32_t node)
{
    return tree_name(tree, tree->nodes.v[node].value);
}

static bool is_named(const struct name *name, const char *text)
{
    return name->length == strlen(text) && !memcmp(name->text, text, name->length);
}

static uint8_t field_value(const struct tree *tree, uint32_t node)
{
    if (tree->nodes.v[node].kind != NODE_NAME)
        return (uint8_t)tree->nodes.v[node].value;
    for (uint32_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (is_named(name_at(tree, node), words[i].name))
            return (uint8_t)words[i].value;
    return 0;
}

static void set_field(struct sampler *sampler, const struct name *name, uint8_t value)
{
    if (is_named(name, "filter_mode"))
        sampler->filter = value;
    if (is_named(name, "addr_mode_0"))
        sampler->mode[0] = value;
    if (is_named(name, "addr_mode_1"))
        sampler->mode[1] = value;
    if (is_named(name, "addr_mode_2"))
        sampler->mode[2] = value;
    if (is_named(name, "force_unnormalized_coords"))
        sampler->force_unnormalized = value;
}

// Returns the module's definition of a sampler, or NULL for other samplers.
static const struct sampler *initial_sampler(const struct decoder *d,
                                             const struct ir_operand *operand)
{
    const struct tree *tree = d->program->module->tree;
    if (operand->kind != OPERAND_SYMBOL)
        return NULL;
    const struct ir_symbol *symbol = &d->program->module->symbols.v[operand->index];
    NODE_EACH (child, tree, symbol->node) {
        if (symbol->type != W_samplerref || tree->nodes.v[child].kind != NODE_INIT)
            continue;
        struct sampler *sampler = ARENA_NEW(d->program->arena, struct sampler);
        sampler->max_level = MAX_LEVEL;
        NODE_EACH (field, tree, child + 1)
            if (tree->nodes.v[field].kind == NODE_EXPR && tree->nodes.v[field].size > 2)
                set_field(sampler, name_at(tree, field + 1),
                          field_value(tree, node_next(tree, field + 1)));
        return sampler;
    }
    return NULL;
}

uint32_t decode_handle(struct decoder *d, const struct ir_operand *operand)
{
    if (operand->kind == OPERAND_SYMBOL) {
        struct location at = layout_locate(d->program, d->function, operand->index);
        if (at.kind == LOCATION_FIXED)
            return decode_constant(d, at.address, 8);
        if (at.kind == LOCATION_LAUNCH && at.launch == LAUNCH_PARAMETERS)
            return decode_launch_value(d, (struct launch_value){.kind = LAUNCH_PARAMETER,
                                                                .width = 8,
                                                                .type = W_b64,
                                                                .offset = (uint32_t)at.address});
        return REG_SLOT_NONE;
    }
    return operand->kind == OPERAND_REGISTER && !operand->value
               ? decode_source(d, operand, 8, W_b64)
               : REG_SLOT_NONE;
}

static bool is_sampler(const struct decoder *d, const struct ir_operand *operand)
{
    uint32_t width = 0;
    if (operand->kind == OPERAND_SYMBOL)
        return true;
    if (operand->kind == OPERAND_REGISTER)
        decode_register(d, operand, &width);
    return width == 8;
}

// The list of a fetch while it is decoded: results, then the other operands.
enum { FETCH_OPERANDS = 24 };

struct fetch_list {
    struct decoder *d;
    uint32_t count, slot[FETCH_OPERANDS];
    uint8_t width[FETCH_OPERANDS];
    bool failed;
};

static uint8_t add_source(struct fetch_list *list, const struct ir_operand *from, uint16_t type)
{
    uint32_t slot = from && list->count < FETCH_OPERANDS ? decode_source(list->d, from, 4, type)
                                                         : REG_SLOT_NONE;
    list->failed |= slot == REG_SLOT_NONE;
    if (list->failed)
        return 0;
    list->slot[list->count] = slot;
    list->width[list->count] = 4;
    return (uint8_t)list->count++;
}

// Adds `count` read operands in this slot of the instruction, from the first one on. Returns the
// index of the first in the list.
static uint8_t add_vector(struct fetch_list *list, uint32_t slot, uint32_t skip, uint32_t count,
                          uint16_t type)
{
    uint8_t first = (uint8_t)list->count;
    for (uint32_t n = 0; count && !list->failed; n++) {
        const struct ir_operand *from = decode_operand(list->d, ROLE_USE, n);
        if (from && from->slot != slot)
            continue;
        if (from && skip) {
            skip--;
            continue;
        }
        add_source(list, from, type);
        count--;
    }
    return first;
}

// Returns the number of read operands in a slot of the instruction, and the first one.
static uint32_t count_in_slot(const struct decoder *d, uint32_t slot,
                              const struct ir_operand **first)
{
    uint32_t count = 0;
    const struct ir_operand *from;
    for (uint32_t n = 0; (from = decode_operand(d, ROLE_USE, n)); n++)
        if (from->slot == slot && !count++)
            *first = from;
    return count;
}

// An operand in the slot after the others is an offset or a value to compare with: the former is
// an integer, or a vector.
static bool is_offset(const struct decoder *d, const struct ir_operand *first, uint32_t count)
{
    if (count > 1)
        return true;
    if (first->kind == OPERAND_REGISTER) {
        uint16_t type = d->fn->registers.v[first->index].type;
        return type != W_f32 && (type != W_b32 || decode_has(d, W_n1d) || decode_has(d, W_a1d));
    }
    return first->node != IR_NONE &&
           d->program->module->tree->nodes.v[first->node].kind == NODE_INT;
}

static void add_rest(struct fetch_list *list, struct texture_code *what, uint32_t slot)
{
    const struct ir_operand *first = NULL;
    uint32_t dimensions = what->dimensions, count;
    if (what->selects == LEVEL_GIVEN)
        what->level = add_vector(list, slot++, 0, 1, what->whole ? W_s32 : W_f32);
    if (what->selects == LEVEL_GRADIENT) {
        what->level = add_vector(list, slot++, 0, dimensions, W_f32);
        add_vector(list, slot++, 0, dimensions, W_f32);
    }
    count = count_in_slot(list->d, slot, &first);
    if (count && is_offset(list->d, first, count))
        what->offset = add_vector(list, slot++, 0, dimensions, W_s32);
    if (count_in_slot(list->d, slot, &first))
        what->compare = add_vector(list, slot, 0, 1, W_f32);
}

// Resolves [texture, sampler, {layer, x, y}] and the operands that follow. The sampler may be
// missing, and there may be more coordinates than required.
static const char *decode_operands(struct decoder *d, struct code *code, struct texture_code *what,
                                   struct fetch_list *list)
{
    const struct ir_operand *texture = decode_operand(d, ROLE_ADDRESS, 0);
    const struct ir_operand *next = decode_operand(d, ROLE_USE, 0);
    uint32_t skip = 0;
    code->s[0] = texture ? decode_handle(d, texture) : REG_SLOT_NONE;
    code->source_count = 1;
    if (code->s[0] == REG_SLOT_NONE || !next)
        return "this texture is not supported";
    if (is_sampler(d, next)) {
        skip++;
        what->initial = initial_sampler(d, next);
        what->samples = true;
        code->s[1] = decode_handle(d, next);
        if (code->s[1] == REG_SLOT_NONE)
            return "this sampler is not supported";
        code->source_count++;
    }
    if (what->layered)
        what->layer = add_vector(list, texture->slot, skip++, 1, W_u32);
    what->at = add_vector(list, texture->slot, skip, what->dimensions, what->whole ? W_s32 : W_f32);
    if (list->failed)
        return "this coordinate is not supported";
    add_rest(list, what, texture->slot + 1u);
    return list->failed ? "this level, offset or value to compare with is not supported" : NULL;
}

static const char *decode_results(struct decoder *d, struct code *code, struct fetch_list *list)
{
    uint32_t count = d->inst->vector, width = d->inst->type == W_f16 ? 2 : 4;
    const struct ir_operand *resident;
    for (uint32_t i = 0; i < count; i++) {
        list->slot[i] = decode_result(d, decode_operand(d, ROLE_DEF, i), width, d->inst->type);
        list->width[i] = (uint8_t)width;
        if (list->slot[i] == REG_SLOT_NONE)
            return "this destination is not supported";
    }
    list->count = count;
    resident = decode_operand(d, ROLE_DEF, count);
    if (!resident)
        return NULL;
    code->d2 = decode_result(d, resident, WIDTH_PREDICATE, W_pred);
    return code->d2 == REG_SLOT_NONE ? "this destination is not supported" : NULL;
}

static const struct {
    uint16_t word;
    uint8_t dimensions;
    bool layered, cube;
} geometries[] = {
    {W_n1d, 1, false, false}, {W_n2d, 2, false, false}, {W_n3d, 3, false, false},
    {W_a1d, 1, true, false},  {W_a2d, 2, true, false},  {W_cube, 3, false, true},
    {W_acube, 3, true, true},
};

static const char *prepare_fetch(struct decoder *d, struct code *code, struct texture_code *what)
{
    struct fetch_list list = {.d = d};
    code->extra = what;
    for (uint32_t i = 0; i < ARRAY_LENGTH(geometries); i++)
        if (decode_has(d, geometries[i].word)) {
            what->dimensions = geometries[i].dimensions;
            what->layered = geometries[i].layered;
            what->cube = geometries[i].cube;
        }
    if (!what->dimensions)
        return "a fetch from a texture with several samples";
    what->type = d->inst->type;
    what->results = d->inst->vector;
    const char *error = decode_results(d, code, &list);
    if (!error)
        error = decode_operands(d, code, what, &list);
    code->list = decode_list(d, list.count);
    memcpy(code->list->slot, list.slot, list.count * sizeof *list.slot);
    memcpy(code->list->width, list.width, list.count * sizeof *list.width);
    return error;
}

const char *prepare_tex(struct decoder *d, struct code *code)
{
    struct texture_code *what = ARENA_NEW(d->program->arena, struct texture_code);
    what->whole = d->inst->type2 == W_s32;
    what->selects = decode_has(d, W_level)  ? LEVEL_GIVEN
                    : decode_has(d, W_grad) ? LEVEL_GRADIENT
                                            : LEVEL_BASE;
    return prepare_fetch(d, code, what);
}

const char *prepare_tld4(struct decoder *d, struct code *code)
{
    static const uint16_t components[] = {W_r, W_g, W_b, W_a};
    struct texture_code *what = ARENA_NEW(d->program->arena, struct texture_code);
    for (uint8_t i = 0; i < 4; i++)
        if (decode_has(d, components[i]))
            what->component = i;
    return prepare_fetch(d, code, what);
}

const char *prepare_txq(struct decoder *d, struct code *code)
{
    struct texture_code *what = ARENA_NEW(d->program->arena, struct texture_code);
    const struct ir_operand *texture = decode_operand(d, ROLE_ADDRESS, 0);
    for (uint32_t i = 0; i < d->mod_count; i++)
        if (d->mods[i] != W_level && !isa_is_type(d->mods[i]))
            what->type = d->mods[i];
    code->extra = what;
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), 4, W_b32);
    code->width = 4;
    code->s[0] = texture ? decode_handle(d, texture) : REG_SLOT_NONE;
    code->source_count = 1;
    if (decode_has(d, W_level)) {
        what->level = 1;
        code->s[1] = decode_source(d, decode_operand(d, ROLE_USE, 0), 4, W_u32);
        code->source_count = 2;
    }
    if (code->s[0] == REG_SLOT_NONE || code->d == REG_SLOT_NONE ||
        (what->level && code->s[1] == REG_SLOT_NONE))
        return "this texture or surface is not supported";
    what->initial = initial_sampler(d, texture);
    return NULL;
}
