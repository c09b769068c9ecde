// Binds the textures of a run to their handles.
#include "frontend/isa.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/run/session.h"
#include <inttypes.h>
#include <string.h>

enum {
    MAX_TEXELS = 1 << 28, // of a texture with one dimension
    MAX_WIDTH = 1 << 17,
    MAX_HEIGHT = 1 << 16,
    MAX_PITCH = 1 << 30,
    PITCH_ALIGN = 32,
    MAX_LAYERS = 1 << 20,
};

// Names of the channel types by format. Types b8 to b32 count as u8 to u32.
static const char *const formats[] = {
    [TEXTURE_U8] = "u8",   [TEXTURE_S8] = "s8",   [TEXTURE_U16] = "u16", [TEXTURE_S16] = "s16",
    [TEXTURE_U32] = "u32", [TEXTURE_S32] = "s32", [TEXTURE_F16] = "f16", [TEXTURE_F32] = "f32",
};
enum { FORMATS = ARRAY_LENGTH(formats) };

struct argument_texture {
    struct session *session;
    const struct run_texture *from;
    const struct run_buffer *buffer; // NULL: a separate sampler
    struct texture texture;
    uint32_t texel; // bytes of a texel
};

static struct run *run_of(const struct argument_texture *b)
{
    return b->session->run;
}

// Handles

// All variables in the space .tex, from old versions of PTX, are .texref.
static uint16_t type_of_variable(const struct session *session, uint32_t variable)
{
    const struct program *program = session->device.program;
    const struct ir_symbol *symbol =
        &program->module->symbols.v[program->variables.v[variable].symbol];
    return symbol->space == W_tex ? W_texref : symbol->type;
}

bool session_is_handle(const struct session *session, uint32_t variable)
{
    uint16_t type = type_of_variable(session, variable);
    return type == W_texref || type == W_samplerref || type == W_surfref;
}

static bool name_variable(struct session *session, struct run_texture *texture)
{
    bool sampler = texture->buffer == UINT32_MAX;
    uint32_t found = session_find_variable(session, &texture->variable);
    if (found == UINT32_MAX)
        return false;
    if (type_of_variable(session, found) != (sampler            ? W_samplerref
                                             : texture->surface ? W_surfref
                                                                : W_texref)) {
        run_fault(session->run, &texture->variable, "'%s' is not a %s", texture->variable.text,
                  sampler            ? ".samplerref, as required for a sampler without a 'buffer'"
                  : texture->surface ? ".surfref"
                                     : ".texref");
        return false;
    }
    texture->handle = session->device.program->variables.v[found].address;
    return true;
}

bool session_name_textures(struct session *session)
{
    struct run *run = session->run;
    bool good = true;
    for (uint32_t i = 0; i < run->textures.n; i++) {
        struct run_texture *texture = &run->textures.v[i];
        texture->handle = device_texture_handle(i);
        int64_t own = (int64_t)texture->handle;
        if (texture->own_handle.expr)
            good &= run_integer(run, &texture->own_handle, 1, INT64_MAX, "the handle", &own);
        texture->handle = (uint64_t)own;
        if (texture->variable.text)
            good &= name_variable(session, texture);
        const struct run_text *at =
            texture->variable.text ? &texture->variable : &texture->own_handle.at;
        for (uint32_t k = 0; good && k < i; k++)
            if (run->textures.v[k].handle == texture->handle) {
                run_fault(run, at, "'%s' is bound twice", at->text ? at->text : texture->at.text);
                good = false;
            }
        if (texture->name != UINT32_MAX)
            run->names.v[texture->name].number.integer = (int64_t)texture->handle;
    }
    return good;
}

// Texels

static int find_format(const struct scalar *type)
{
    for (int i = 0; i < FORMATS; i++)
        if (!strcmp(type->name, formats[i]) ||
            (type->name[0] == 'b' && type->class == SCALAR_UNSIGNED && formats[i][0] == 'u' &&
             !strcmp(type->name + 1, formats[i] + 1)))
            return i;
    return -1;
}

static bool bind_format(struct argument_texture *b)
{
    const struct run_texture *from = b->from;
    const struct scalar *type = from->type ? from->type : b->buffer->type;
    int format = find_format(type);
    int64_t channels = 1;
    if (format < 0) {
        run_fault(run_of(b), from->type ? &from->type_at : &from->at,
                  "unsupported channel type %s: expected u8 to u32, s8 to s32, f16 or f32",
                  type->name);
        return false;
    }
    if (from->channels.expr &&
        !run_integer(run_of(b), &from->channels, 1, 4, "the number of channels", &channels))
        return false;
    if (channels == 3)
        run_fault(run_of(b), &from->channels.at, "a texel must have 1, 2 or 4 channels");
    b->texture.format = (uint8_t)format;
    b->texture.channels = (uint8_t)channels;
    b->texel = type->bytes * (uint32_t)channels;
    return channels != 3;
}

static bool gives_floats(const struct argument_texture *b)
{
    return b->texture.format >= TEXTURE_F16 || b->texture.normalized_float;
}

// Checks that the properties are compatible with each other and with the format.
static bool check_how(const struct argument_texture *b)
{
    const struct run_texture *from = b->from;
    const char *format = formats[b->texture.format];
    if (b->texture.normalized_float && b->texture.format > TEXTURE_S16) {
        run_fault(run_of(b), &from->how_at[WAY_READ],
                  "normalized-float is for integers of 8 and 16 bits, but a channel is %s", format);
        return false;
    }
    if (from->how[WAY_FILTER] == TEXTURE_LINEAR && !gives_floats(b)) {
        run_fault(run_of(b), &from->how_at[WAY_FILTER],
                  "linear is not for integers, but a channel is %s%s", format,
                  b->texture.format <= TEXTURE_S16 ? ": read it as normalized-float" : "");
        return false;
    }
    for (int i = WAY_ADDRESS_X; i <= WAY_ADDRESS_Z; i++)
        if (from->how[i] <= TEXTURE_MIRROR && !from->how[WAY_COORDINATES]) {
            run_fault(run_of(b), &from->how_at[i], "'%s' needs normalized coordinates",
                      from->how_at[i].text);
            return false;
        }
    return true;
}

static bool bind_pitch(struct argument_texture *b)
{
    int64_t row = (int64_t)b->texture.base.width * b->texel;
    int64_t pitch = b->from->is_mipmap ? (row + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN : row;
    const struct run_expr *from = &b->from->pitch;
    if (from->expr && !run_integer(run_of(b), from, row, MAX_PITCH, "the pitch", &pitch))
        return false;
    if (from->expr && pitch % PITCH_ALIGN) {
        run_fault(run_of(b), &from->at, "the pitch is %" PRId64 ", but must be a multiple of %d",
                  pitch, PITCH_ALIGN);
        return false;
    }
    b->texture.base.pitch = (uint32_t)pitch;
    return true;
}

// Reads layers and slices, and the bytes between them.
static bool bind_layers(struct argument_texture *b)
{
    const struct run_texture *from = b->from;
    struct texels *base = &b->texture.base;
    int64_t layers = from->cube ? 6 : 0, depth = 0;
    int64_t slice = (int64_t)(base->height ? base->height : 1) * base->pitch;
    if ((from->layers.expr &&
         !run_integer(run_of(b), &from->layers, 1, MAX_LAYERS, "the number of layers", &layers)) ||
        (from->depth.expr &&
         !run_integer(run_of(b), &from->depth, 1, MAX_LAYERS, "the depth", &depth)))
        return false;
    if (from->cube && (layers % 6 || base->width != base->height || depth)) {
        run_fault(run_of(b), &from->at,
                  "a cube must have equal width and height, no depth, and a multiple of 6 layers");
        return false;
    }
    if (layers && depth) {
        run_fault(run_of(b), &from->depth.at, "layers have no depth");
        return false;
    }
    if (from->slice.expr &&
        !run_integer(run_of(b), &from->slice, slice, INT64_MAX / MAX_LAYERS, "the slice", &slice))
        return false;
    base->depth = (uint32_t)depth;
    base->slice = (uint64_t)slice;
    b->texture.layers = (uint32_t)layers;
    b->texture.layered = from->layers.expr;
    b->texture.cube = from->cube;
    return true;
}

// Returns the bytes from the first texel to the end of the last one of a level.
static uint64_t level_bytes(const struct argument_texture *b, const struct texels *level)
{
    uint64_t slices = b->texture.layers ? b->texture.layers : level->depth ? level->depth : 1;
    uint64_t rows = level->height ? level->height : 1;
    return (slices - 1) * level->slice + (rows - 1) * level->pitch +
           (uint64_t)level->width * b->texel;
}

// Reads the levels of a mipmap. Increases *need to the bytes of all.
static bool bind_levels(struct argument_texture *b, uint64_t *need)
{
    const struct run_texture *from = b->from;
    struct texels pair[2] = {b->texture.base};
    struct texels *smaller = ARENA_ARRAY(b->session->arena, struct texels, from->levels.n);
    if (from->is_mipmap)
        b->texture.levels = from->levels.n + 1;
    if (from->levels.n >=
        texels_levels(b->texture.base.width, b->texture.base.height, b->texture.base.depth)) {
        run_fault(run_of(b), &from->levels.v[from->levels.n - 1].at,
                  "the texture is too small for %u levels", b->texture.levels);
        return false;
    }
    for (uint32_t i = 0; i < from->levels.n; i++) {
        int64_t offset;
        if (!run_integer(run_of(b), &from->levels.v[i], 0, INT64_MAX / 2, "the level", &offset))
            return false;
        texels_lay_out(pair, 2, 1, b->texel, PITCH_ALIGN);
        pair[1].address = b->texture.base.address + (uint64_t)offset;
        smaller[i] = pair[0] = pair[1];
        uint64_t end = (uint64_t)offset + level_bytes(b, &smaller[i]);
        *need = end > *need ? end : *need;
    }
    b->texture.smaller = smaller;
    return true;
}

static bool bind_offset(struct argument_texture *b, int64_t *offset)
{
    const struct run_expr *from = &b->from->offset;
    *offset = 0;
    if (from->expr && !run_integer(run_of(b), from, 0, INT64_MAX / 2, "the offset", offset))
        return false;
    b->texture.base.address += (uint64_t)*offset;
    return true;
}

static bool bind_size(struct argument_texture *b)
{
    const struct run_texture *from = b->from;
    uint64_t bytes = b->buffer->elements * b->buffer->type->bytes;
    int64_t offset, height = 0;
    bool flat = !from->height.expr;
    if (!bind_offset(b, &offset))
        return false;
    int64_t width = ((int64_t)bytes - offset) / b->texel;
    if (from->width.expr && !run_integer(run_of(b), &from->width, 1, flat ? MAX_TEXELS : MAX_WIDTH,
                                         "the width", &width))
        return false;
    if (!flat && !run_integer(run_of(b), &from->height, 1, MAX_HEIGHT, "the height", &height))
        return false;
    if (width < 1 || width > MAX_TEXELS) {
        run_fault(run_of(b), &from->at,
                  "'%s' holds %" PRId64 " texels, but only 1 to %d are "
                  "supported",
                  b->buffer->name, width, MAX_TEXELS);
        return false;
    }
    b->texture.base.width = (uint32_t)width;
    b->texture.base.height = (uint32_t)height;
    if (!bind_pitch(b) || !bind_layers(b))
        return false;
    uint64_t need = level_bytes(b, &b->texture.base);
    if (!bind_levels(b, &need))
        return false;
    need += (uint64_t)offset;
    if (need > bytes)
        run_fault(run_of(b), flat ? &from->width.at : &from->height.at,
                  "the texture takes %" PRIu64 " bytes, but '%s' has %" PRIu64, need,
                  b->buffer->name, bytes);
    return need <= bytes;
}

// Stores the border values, which have the type of the values that texture reads return.
static bool bind_border(struct argument_texture *b)
{
    const struct run_texture *from = b->from;
    bool sign = formats[b->texture.format][0] == 's';
    const char *name = gives_floats(b) ? "f32" : sign ? "s32" : "u32";
    const struct scalar *type = scalar_find(name, 3);
    bool used = false;
    for (int i = WAY_ADDRESS_X; i <= WAY_ADDRESS_Z; i++)
        used |= from->how[i] == TEXTURE_CLAMP_TO_BORDER;
    for (int i = 0; i < 4 && from->border[i].expr; i++) {
        const struct run_text *at = &from->border[i].at;
        struct host_number number;
        if (!used) {
            run_fault(run_of(b), at, "a border needs 'address: border'");
            return false;
        }
        if (!run_value(run_of(b), &from->border[i], &number))
            return false;
        const char *error = number_is_reference(&number)
                                ? "it is not a number"
                                : scalar_store(type, &number, &b->texture.sampler.border[i]);
        if (error) {
            run_fault(run_of(b), at, "the value does not fit into a %s: %s", type->name, error);
            return false;
        }
    }
    return true;
}

// Textures and samplers

static bool bind_real(struct argument_texture *b, const struct run_expr *from, float *to)
{
    struct host_number number;
    if (!from->expr)
        return true;
    if (!run_value(run_of(b), from, &number))
        return false;
    const char *error = number_is_reference(&number)
                            ? "it is not a number"
                            : scalar_store(scalar_find("f32", 3), &number, to);
    if (error)
        run_fault(run_of(b), &from->at, "the value does not fit into a f32: %s", error);
    return !error;
}

static bool bind_sampler(struct argument_texture *b)
{
    const struct run_texture *from = b->from;
    struct sampler *sampler = &b->texture.sampler;
    sampler->filter = from->how[WAY_FILTER];
    sampler->level_filter = from->how[WAY_LEVELS];
    sampler->seamless = from->how[WAY_EDGES];
    for (int i = 0; i < 3; i++)
        sampler->mode[i] = from->how[WAY_ADDRESS_X + i];
    sampler->max_level = MAX_LEVEL;
    sampler->force_unnormalized =
        !b->buffer && from->how_at[WAY_COORDINATES].text && !from->how[WAY_COORDINATES];
    b->texture.normalized_coordinates = from->how[WAY_COORDINATES];
    b->texture.normalized_float = from->how[WAY_READ];
    b->texture.srgb = from->how[WAY_ENCODING];
    return bind_real(b, &from->bias, &sampler->bias) &&
           bind_real(b, &from->min_level, &sampler->min_level) &&
           bind_real(b, &from->max_level, &sampler->max_level);
}

static bool bind(struct session *session, const struct run_texture *from)
{
    struct argument_texture b = {.session = session, .from = from};
    if (from->buffer != UINT32_MAX)
        b.buffer = &session->run->buffers.v[from->buffer];
    if (!bind_sampler(&b))
        return false;
    if (!b.buffer) {
        sampler_bind(session->device.textures, session->arena, from->handle, &b.texture.sampler);
        return true;
    }
    b.texture.base.address = b.buffer->address;
    if (!bind_format(&b) || !check_how(&b) || !bind_size(&b) || !bind_border(&b))
        return false;
    (from->surface ? surface_bind : texture_bind)(session->device.textures, session->arena,
                                                  from->handle, &b.texture);
    return true;
}

bool session_bind_textures(struct session *session)
{
    bool good = true;
    for (uint32_t i = 0; i < session->run->textures.n; i++)
        good &= bind(session, &session->run->textures.v[i]);
    return good;
}
