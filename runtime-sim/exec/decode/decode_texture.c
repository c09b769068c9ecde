// Decodes tex, tld4 and txq: the handle, the coordinates, the sampler, and samplers that the module
// defines.
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
        NODE_EACH (field, tree, child + 1)
            if (tree->nodes.v[field].kind == NODE_EXPR && tree->nodes.v[field].size > 2)
                set_field(sampler, name_at(tree, field + 1),
                          field_value(tree, node_next(tree, field + 1)));
        return sampler;
    }
    return NULL;
}

// Resolves a handle: a register, a variable of the module, or a parameter of the kernel.
static uint32_t decode_handle(struct decoder *d, const struct ir_operand *operand)
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

// Resolves [texture, sampler, {x, y}]. The sampler may be missing, and there may be more
// coordinates than required.
static const char *decode_address(struct decoder *d, struct code *code, struct texture_code *what)
{
    const struct ir_operand *texture = decode_operand(d, ROLE_ADDRESS, 0);
    const struct ir_operand *next = decode_operand(d, ROLE_USE, 0);
    uint32_t n = 0;
    code->s[0] = texture ? decode_handle(d, texture) : REG_SLOT_NONE;
    code->source_count = 1;
    if (code->s[0] == REG_SLOT_NONE || !next)
        return "this texture is not supported";
    if (is_sampler(d, next)) {
        n++;
        what->initial = initial_sampler(d, next);
        what->sampler = (uint8_t)(1 + what->dimensions);
        code->s[what->sampler] = decode_handle(d, next);
        if (code->s[what->sampler] == REG_SLOT_NONE)
            return "this sampler is not supported";
        code->source_count++;
    }
    for (uint32_t i = 0; i < what->dimensions; i++) {
        next = decode_operand(d, ROLE_USE, n + i);
        code->s[1 + i] = next && next->slot == texture->slot
                             ? decode_source(d, next, 4, what->whole ? W_s32 : W_f32)
                             : REG_SLOT_NONE;
        if (code->s[1 + i] == REG_SLOT_NONE)
            return "this coordinate is not supported";
        code->source_count++;
    }
    return NULL;
}

static const char *decode_results(struct decoder *d, struct code *code, uint16_t type)
{
    uint32_t count = d->inst->vector, width = type == W_f16 ? 2 : 4;
    const struct ir_operand *first = decode_operand(d, ROLE_DEF, 0), *resident;
    code->list = decode_list(d, count);
    for (uint32_t i = 0; i < count; i++) {
        code->list->slot[i] = decode_result(d, decode_operand(d, ROLE_DEF, i), width, type);
        code->list->width[i] = (uint8_t)width;
        if (code->list->slot[i] == REG_SLOT_NONE)
            return "this destination is not supported";
    }
    resident = decode_operand(d, ROLE_DEF, count);
    if (!first || !resident)
        return NULL;
    code->d2 = decode_result(d, resident, WIDTH_PREDICATE, W_pred);
    return code->d2 == REG_SLOT_NONE ? "this destination is not supported" : NULL;
}

// Returns true if operands follow the address: a level, or two gradients, which select a level.
// Only one level exists.
static bool has_more(const struct decoder *d, uint32_t max_slot)
{
    const struct ir_operand *operands = ir_operands(d->fn, d->id);
    for (uint32_t i = 0; i < d->inst->operand_count; i++)
        if (operands[i].role == ROLE_USE && operands[i].slot > max_slot)
            return true;
    return false;
}

const char *prepare_tex(struct decoder *d, struct code *code)
{
    struct texture_code *what = ARENA_NEW(d->program->arena, struct texture_code);
    const struct ir_operand *texture = decode_operand(d, ROLE_ADDRESS, 0);
    what->dimensions = decode_has(d, W_n2d) ? 2 : 1;
    what->whole = d->inst->type2 == W_s32;
    what->type = d->inst->type;
    code->extra = what;
    uint32_t selects = decode_has(d, W_level) ? 1 : decode_has(d, W_grad) ? 2 : 0;
    if (!decode_has(d, W_n1d) && !decode_has(d, W_n2d))
        return "only textures of one and two dimensions and one level can be fetched";
    if (texture && has_more(d, texture->slot + selects))
        return "a texture fetch with an offset or a comparison";
    const char *error = decode_address(d, code, what);
    return error ? error : decode_results(d, code, d->inst->type);
}

const char *prepare_tld4(struct decoder *d, struct code *code)
{
    static const uint16_t components[] = {W_r, W_g, W_b, W_a};
    struct texture_code *what = ARENA_NEW(d->program->arena, struct texture_code);
    const struct ir_operand *texture = decode_operand(d, ROLE_ADDRESS, 0);
    what->dimensions = 2;
    what->type = d->inst->type;
    for (uint8_t i = 0; i < 4; i++)
        if (decode_has(d, components[i]))
            what->component = i;
    code->extra = what;
    if (!decode_has(d, W_n2d))
        return "only textures of one and two dimensions and one level can be fetched";
    if (texture && has_more(d, texture->slot))
        return "a texture fetch with an offset or a comparison";
    const char *error = decode_address(d, code, what);
    return error ? error : decode_results(d, code, d->inst->type);
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
    if (code->s[0] == REG_SLOT_NONE || code->d == REG_SLOT_NONE)
        return "this texture is not supported";
    what->initial = initial_sampler(d, texture);
    return NULL;
}
