// Bindings of textures and surfaces, the layout and formats of their texels, and queries.
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/half.h"
#include <inttypes.h>

// Bindings

static struct texture_binding *find(const struct textures *textures, uint64_t handle)
{
    for (uint32_t i = 0; textures && i < textures->list.n; i++)
        if (textures->list.v[i].handle == handle)
            return &textures->list.v[i];
    return NULL;
}

static void bind(struct textures *textures, struct arena *arena,
                 const struct texture_binding *binding)
{
    struct texture_binding *old = find(textures, binding->handle);
    if (old)
        *old = *binding;
    else
        vec_push(arena, &textures->list, *binding);
}

void texture_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *texture)
{
    bind(textures, arena, &(struct texture_binding){handle, BOUND_TEXTURE, *texture});
}

void surface_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *surface)
{
    bind(textures, arena, &(struct texture_binding){handle, BOUND_SURFACE, *surface});
}

void sampler_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct sampler *sampler)
{
    bind(textures, arena, &(struct texture_binding){handle, BOUND_SAMPLER, {.sampler = *sampler}});
}

void texture_unbind(struct textures *textures, uint64_t handle)
{
    struct texture_binding *old = find(textures, handle);
    if (old)
        *old = textures->list.v[--textures->list.n];
}

const struct texture *texture_find(const struct textures *textures, uint64_t handle,
                                   enum texture_bound kind)
{
    const struct texture_binding *binding = find(textures, handle);
    return binding && binding->kind == kind ? &binding->texture : NULL;
}

void texture_describe(struct warp *warp, uint64_t address)
{
    struct fault *fault = warp->fault;
    if (fault->happened)
        return;
    fault->has_address = true;
    fault->address = address;
    image_describe(warp->cta->launch->image, address, fault->nearest, sizeof fault->nearest);
}

void texture_unbound(struct warp *warp, const struct code *code, uint32_t lane, const char *what,
                     uint64_t handle)
{
    uint32_t hint = 0;
    if (image_at(warp->cta->launch->image, handle, 1, &hint))
        texture_describe(warp, handle);
    warp_fault(warp, code, 1u << lane, "no %s is bound to the handle 0x%" PRIx64, what, handle);
}

// Geometry

const char *texture_geometry(uint32_t dimensions, bool layered, bool cube)
{
    static const char *const plain[] = {"1d", "2d", "3d"}, *const arrays[] = {"a1d", "a2d", "a3d"};
    if (cube)
        return layered ? "acube" : "cube";
    return (layered ? arrays : plain)[dimensions - 1];
}

uint32_t texture_dimensions(const struct texture *texture)
{
    return texture->cube || texture->base.depth ? 3 : texture->base.height ? 2 : 1;
}

static uint32_t half_of(uint32_t size)
{
    return size > 1 ? size / 2 : size;
}

uint64_t texels_lay_out(struct texels *to, uint32_t levels, uint32_t layers, uint32_t texel,
                        uint32_t align)
{
    uint64_t at = to[0].address;
    for (uint32_t i = 0; i < levels; i++) {
        struct texels *level = &to[i];
        if (i)
            *level = (struct texels){.width = half_of(to[i - 1].width),
                                     .height = half_of(to[i - 1].height),
                                     .depth = half_of(to[i - 1].depth)};
        uint64_t row = (uint64_t)level->width * texel, rows = level->height ? level->height : 1;
        level->address = at;
        level->pitch = (uint32_t)((row + align - 1) / align * align);
        level->slice = rows * level->pitch;
        at += level->slice * layers * (level->depth ? level->depth : 1);
    }
    return at - to[0].address;
}

uint32_t texels_levels(uint32_t width, uint32_t height, uint32_t depth)
{
    uint32_t levels = 1;
    for (uint32_t sides = width | height | depth | 1; sides > 1; sides /= 2)
        levels++;
    return levels;
}

// Formats

static const uint8_t format_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};
// The largest values of integers, for those that are read as numbers.
static const float format_max[] = {255, 127, 65535, 32767};

uint32_t texel_bytes(const struct texture *texture)
{
    return texture->channels * format_bytes[texture->format];
}

bool texture_is_float(const struct texture *texture)
{
    return texture->format >= TEXTURE_F16 ||
           (texture->normalized_float && texture->format <= TEXTURE_S16);
}

// Normalises a signed integer. The smallest integer gives the same result as the next larger one.
static uint32_t normalized(int32_t value, float max)
{
    float number = (float)value / max;
    return bits_f32(number < -1 ? -1 : number);
}

static uint32_t linear_of_srgb(uint32_t value)
{
    double x = value / 255.0;
    return bits_f32((float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)));
}

static uint32_t channel(const struct texture *texture, const uint8_t *from, uint32_t c)
{
    bool norm = texture->normalized_float;
    float max = norm && texture->format <= TEXTURE_S16 ? format_max[texture->format] : 1;
    uint16_t half;
    uint32_t word;
    memcpy(&half, from, format_bytes[texture->format] > 1 ? 2 : 1);
    switch (texture->format) {
    case TEXTURE_U8:
        if (norm && texture->srgb && c < 3)
            return linear_of_srgb(*from);
        return norm ? normalized(*from, max) : *from;
    case TEXTURE_S8: return norm ? normalized((int8_t)*from, max) : (uint32_t)(int8_t)*from;
    case TEXTURE_U16: return norm ? normalized(half, max) : half;
    case TEXTURE_S16: return norm ? normalized((int16_t)half, max) : (uint32_t)(int16_t)half;
    case TEXTURE_F16: return bits_f32(f32_of_f16(half));
    default: memcpy(&word, from, sizeof word); return word;
    }
}

void texel_decode(const struct texture *texture, const uint8_t *from, uint32_t *to)
{
    uint32_t one = texture_is_float(texture) ? bits_f32(1) : 1;
    for (uint32_t c = 0; c < 4; c++)
        to[c] = c < texture->channels
                    ? channel(texture, from + c * format_bytes[texture->format], c)
                : c == 3 ? one
                         : 0;
}

static int64_t limited(int64_t value, int64_t min, int64_t max)
{
    return value < min ? min : value > max ? max : value;
}

// Converts a number in −1 … 1 to an integer, rounded to the nearest even one. NaN is 0.
static int64_t integer_of(uint32_t bits, float max, bool is_signed)
{
    float value = f32_of(bits), min = is_signed ? -1 : 0;
    value = value == value ? value : 0;
    value = value < min ? min : value > 1 ? 1 : value;
    return (int64_t)rint((double)value * (double)max);
}

// Integers that do not fit are limited to the range of the format.
void texel_encode(const struct texture *texture, const uint32_t *from, uint32_t count, uint8_t *to)
{
    uint32_t bytes = format_bytes[texture->format], format = texture->format;
    bool is_signed = format == TEXTURE_S8 || format == TEXTURE_S16 || format == TEXTURE_S32;
    for (uint32_t c = 0; c < texture->channels; c++) {
        uint32_t bits = c < count ? from[c] : 0;
        int64_t max = (INT64_C(1) << (8 * bytes - is_signed)) - 1;
        int64_t value = texture->normalized_float && format <= TEXTURE_S16
                            ? integer_of(bits, format_max[format], is_signed)
                        : is_signed ? (int32_t)bits
                                    : (int64_t)bits;
        uint32_t word = format == TEXTURE_F16 ? f16_of_f32(f32_of(bits))
                        : format == TEXTURE_F32
                            ? bits
                            : (uint32_t)limited(value, is_signed ? -max - 1 : 0, max);
        memcpy(to + c * bytes, &word, bytes);
    }
}

// txq and suq. Channel types and orders have the numbers of OpenCL.

static uint32_t channel_type(const struct texture *texture)
{
    static const uint16_t raw[] = {0x10da, 0x10d7, 0x10db, 0x10d8, 0x10dc, 0x10d9, 0x10dd, 0x10de};
    static const uint16_t normal[] = {0x10d2, 0x10d0, 0x10d3, 0x10d1};
    bool norm = texture->normalized_float && texture->format <= TEXTURE_S16;
    return norm ? normal[texture->format] : raw[texture->format];
}

static uint32_t channel_order(const struct texture *texture)
{
    static const uint16_t orders[] = {0x10b0, 0x10b2, 0x10b4, 0x10b5};
    return orders[(texture->channels - 1) & 3];
}

static uint32_t query_texture(const struct texture *texture, const struct sampler *sampler,
                              uint16_t word, uint32_t level)
{
    const struct texels *texels = !level                    ? &texture->base
                                  : level < texture->levels ? &texture->smaller[level - 1]
                                                            : &(const struct texels){0};
    switch (word) {
    case W_width: return texels->width;
    case W_height: return texels->height;
    case W_depth: return texels->depth;
    case W_channel_data_type: return channel_type(texture);
    case W_channel_order: return channel_order(texture);
    case W_array_size: return texture->layered ? texture->layers / (texture->cube ? 6 : 1) : 0;
    case W_num_mipmap_levels: return texture->levels;
    case W_normalized_coords: return texture->normalized_coordinates;
    case W_force_unnormalized_coords: return sampler->force_unnormalized;
    case W_filter_mode: return sampler->filter;
    case W_addr_mode_0: return sampler->mode[0];
    case W_addr_mode_1: return sampler->mode[1];
    case W_addr_mode_2: return sampler->mode[2];
    default: return 0; // a CUDA array has one sample, and no linear layout
    }
}

enum step_result step_txq(struct warp *warp, struct path *path, const struct code *code,
                          uint32_t mask)
{
    const struct texture_code *what = code->extra;
    const union lanes *handles = warp_register_lanes(warp, code->s[0]);
    const union lanes *levels = what->level ? warp_register_lanes(warp, code->s[1]) : NULL;
    const struct texture none = {.channels = 1};
    (void)path;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct texture_binding *binding =
            find(warp->cta->launch->textures, handles->u64[lane]);
        if (!binding && !what->initial) {
            texture_unbound(warp, code, lane, "texture or surface", handles->u64[lane]);
            return STEP_FAULT;
        }
        const struct texture *texture = binding ? &binding->texture : &none;
        warp->temp[0].u32[lane] =
            query_texture(texture, binding ? &texture->sampler : what->initial, what->type,
                          levels ? levels->u32[lane] : 0);
    }
    warp->ops->blend(warp_register_lanes(warp, code->d), &warp->temp[0], mask, 4);
    return STEP_NEXT;
}
