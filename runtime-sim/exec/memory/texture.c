#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/half.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/exec/memory/access.h"
#include <inttypes.h>

// Bindings

static const struct texture_binding *find(const struct textures *textures, uint64_t handle)
{
    for (uint32_t i = 0; textures && i < textures->list.n; i++)
        if (textures->list.v[i].handle == handle)
            return &textures->list.v[i];
    return NULL;
}

void texture_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *texture)
{
    struct texture_binding *old = (struct texture_binding *)find(textures, handle);
    struct texture_binding binding = {handle, *texture};
    if (old)
        *old = binding;
    else
        vec_push(arena, &textures->list, binding);
}

void sampler_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct sampler *sampler)
{
    texture_bind(textures, arena, handle, &(struct texture){.sampler = *sampler});
}

// Texels: four channels as bits

static const uint8_t format_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};

static bool is_float(const struct texture *texture)
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

static uint32_t channel(const struct texture *texture, const uint8_t *from)
{
    bool norm = texture->normalized_float;
    uint16_t half;
    uint32_t word;
    memcpy(&half, from, format_bytes[texture->format] > 1 ? 2 : 1);
    switch (texture->format) {
    case TEXTURE_U8: return norm ? normalized(*from, 255) : *from;
    case TEXTURE_S8: return norm ? normalized((int8_t)*from, 127) : (uint32_t)(int8_t)*from;
    case TEXTURE_U16: return norm ? normalized(half, 65535) : half;
    case TEXTURE_S16: return norm ? normalized((int16_t)half, 32767) : (uint32_t)(int16_t)half;
    case TEXTURE_F16: return bits_f32(f32_of_f16(half));
    default: memcpy(&word, from, sizeof word); return word;
    }
}

// The fetch of one lane.
struct fetch {
    struct warp *warp;
    const struct code *code;
    uint32_t lane, function;
    bool linear; // interpolates between texels
    const struct texture *texture;
    const struct sampler *sampler;
};

// Adds the description of an invalid address to the fault.
static void describe(struct warp *warp, uint64_t address)
{
    struct fault *fault = warp->fault;
    if (fault->happened)
        return;
    fault->has_address = true;
    fault->address = address;
    image_describe(warp->cta->launch->image, address, fault->nearest, sizeof fault->nearest);
}

// For the checks of races and of reads of unwritten bytes, texels are plain loads.
static void check_texel(const struct fetch *fetch, uint64_t address, uint8_t *from, uint32_t size)
{
    static const struct memory_code memory = {.space = W_global, .order = W_weak};
    const struct access access = {
        .code = fetch->code, .memory = &memory, .reads = true, .function = fetch->function};
    const struct spot spot = {.space = W_global, .address = address, .host = from};
    check_access(fetch->warp->check, fetch->warp, &access, fetch->lane, &spot, size);
}

// Reads a texel. A negative coordinate is outside the texture. Returns false if the texel is not in
// the memory image.
static bool read_texel(const struct fetch *fetch, int64_t x, int64_t y, uint32_t *texel)
{
    const struct texture *texture = fetch->texture;
    if (x < 0 || y < 0) {
        memcpy(texel, fetch->sampler->border, 4 * sizeof *texel);
        return true;
    }
    uint32_t bytes = format_bytes[texture->format], size = texture->channels * bytes;
    uint64_t address = texture->address + (uint64_t)y * texture->pitch + (uint64_t)x * size;
    uint8_t *from = image_at(fetch->warp->cta->launch->image, address, size, &fetch->warp->hint);
    if (!from) {
        describe(fetch->warp, address);
        warp_fault(fetch->warp, fetch->code, 1u << fetch->lane,
                   "texel (%" PRId64 ", %" PRId64 ") at global address 0x%" PRIx64
                   " is in no allocation",
                   x, y, address);
        return false;
    }
    const struct image *image = fetch->warp->cta->launch->image;
    uint64_t missing =
        image->watches_planes ? plane_find_missing(image, address, size, PLANE_WAIT_FULL) : 0;
    if (missing) {
        describe(fetch->warp, missing);
        fetch->warp->fault->needs_word = missing;
        warp_fault(fetch->warp, fetch->code, 1u << fetch->lane,
                   "texel (%" PRId64 ", %" PRId64 ") needs a word that is empty", x, y);
        return false;
    }
    if (fetch->warp->check)
        check_texel(fetch, address, from, size);
    if (fetch->warp->touched)
        touched_add(fetch->warp->touched, TOUCHED_TEXTURE, TOUCHED_READ, fetch->lane, address,
                    size);
    uint32_t one = is_float(texture) ? bits_f32(1) : 1;
    for (uint32_t c = 0; c < 4; c++)
        texel[c] = c < texture->channels ? channel(texture, from + c * bytes) : c == 3 ? one : 0;
    return true;
}

// Coordinates. The one or two texels at or around the coordinate of one dimension; −1: outside.
struct taps {
    int64_t index[2];
    uint32_t weight[2]; // of 256
};

static int64_t settle(enum texture_mode mode, int64_t index, int64_t size, bool linear)
{
    if (index >= 0 && index < size)
        return index;
    if (mode == TEXTURE_WRAP)
        return ((index % size) + size) % size;
    if (mode == TEXTURE_CLAMP_TO_BORDER || (mode == TEXTURE_CLAMP_OGL && linear))
        return -1;
    return index < 0 ? 0 : size - 1;
}

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

static struct taps find_taps(const struct fetch *fetch, uint32_t dimension, double x, bool whole)
{
    const struct texture *texture = fetch->texture;
    const struct sampler *sampler = fetch->sampler;
    uint32_t size = dimension ? texture->height : texture->width;
    enum texture_mode mode = sampler->mode[dimension];
    bool norm = texture->normalized_coordinates && !sampler->force_unnormalized && !whole;
    bool linear = fetch->linear;
    x = x == x ? clamp(x, -0x1p127, 0x1p127) : 0;
    if (!norm && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR))
        mode = TEXTURE_CLAMP_TO_EDGE;
    if (mode == TEXTURE_WRAP)
        x -= floor(x);
    if (mode == TEXTURE_MIRROR)
        x = fmod(floor(x), 2) == 0 ? x - floor(x) : 1 - (x - floor(x));
    x = clamp(norm ? x * size : x, mode == TEXTURE_CLAMP_OGL ? 0 : -0x1p32,
              mode == TEXTURE_CLAMP_OGL ? size : 0x1p33);
    double at = floor(linear ? x - 0.5 : x);
    uint32_t part = linear ? (uint32_t)((x - 0.5 - at) * 256 + 0.5) : 0;
    return (struct taps){
        {settle(mode, (int64_t)at, size, linear), settle(mode, (int64_t)at + 1, size, linear)},
        {256 - part, part}};
}

// Sums the texels around the position with their weights. A texel of weight 1 is copied.
static bool sample(const struct fetch *fetch, const struct taps taps[2], uint32_t *result)
{
    double sum[4] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t texel[4], weight = taps[0].weight[i & 1] * taps[1].weight[i >> 1];
        if (!weight)
            continue;
        if (!read_texel(fetch, taps[0].index[i & 1], taps[1].index[i >> 1], texel))
            return false;
        if (weight == 1 << 16) {
            memcpy(result, texel, sizeof texel);
            return true;
        }
        for (uint32_t c = 0; c < 4; c++)
            sum[c] += weight * (double)f32_of(texel[c]);
    }
    for (uint32_t c = 0; c < 4; c++)
        result[c] = bits_f32(canonical((float)(sum[c] * 0x1p-16)));
    return true;
}

static double coordinate(const struct fetch *fetch, const struct texture_code *what, uint32_t n)
{
    const union lanes *lanes = warp_register_lanes(fetch->warp, fetch->code->s[1 + n]);
    return what->whole ? lanes->s32[fetch->lane] : (double)lanes->f32[fetch->lane];
}

// Reports an unbound handle, which may be the address of an unbound variable or of a buffer.
static void unbound(struct warp *warp, const struct code *code, uint32_t lane, const char *what,
                    uint64_t handle)
{
    uint32_t hint = 0;
    if (image_at(warp->cta->launch->image, handle, 1, &hint))
        describe(warp, handle);
    warp_fault(warp, code, 1u << lane, "no %s is bound to the handle 0x%" PRIx64, what, handle);
}

static bool has_dimensions(const struct fetch *fetch, uint32_t dimensions)
{
    uint32_t has = fetch->texture->height ? 2 : 1;
    if (has != dimensions)
        warp_fault(fetch->warp, fetch->code, 1u << fetch->lane,
                   "a fetch with %u dimension%s from a texture with %u", dimensions,
                   dimensions == 1 ? "" : "s", has);
    return has == dimensions;
}

static bool find_texture(struct fetch *fetch, const struct texture_code *what)
{
    const struct warp *warp = fetch->warp;
    const struct textures *textures = warp->cta->launch->textures;
    const union lanes *handles = warp_register_lanes(warp, fetch->code->s[0]);
    uint64_t handle = handles->u64[fetch->lane];
    const struct texture_binding *binding = find(textures, handle), *other = NULL;
    if (binding && binding->texture.width) {
        fetch->texture = &binding->texture;
        fetch->sampler = &binding->texture.sampler;
        if (!has_dimensions(fetch, what->dimensions))
            return false;
        if (!what->sampler)
            return true;
        handles = warp_register_lanes(warp, fetch->code->s[what->sampler]);
        handle = handles->u64[fetch->lane];
        other = find(textures, handle);
        fetch->sampler = other ? &other->texture.sampler : what->initial;
    }
    if (!fetch->sampler)
        unbound(fetch->warp, fetch->code, fetch->lane, fetch->texture ? "sampler" : "texture",
                handle);
    return fetch->sampler;
}

// Results

static void put_results(union lanes *results, uint32_t lane, uint16_t type, bool floats,
                        const uint32_t *texel)
{
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t bits = texel[c];
        if (type == W_f16 || type == W_f16x2)
            bits = floats ? f16_of_f32(f32_of(bits)) : bits & 0xffff;
        if (type == W_f16)
            results[c].u16[lane] = (uint16_t)bits;
        else if (type == W_f16x2)
            results[c / 2].u32[lane] = (c & 1 ? results[c / 2].u32[lane] : 0) | bits
                                                                                    << 16 * (c & 1);
        else
            results[c].u32[lane] = bits;
    }
}

// Finds the texels at or around the coordinates of one lane. Returns false if no texture is bound.
static bool begin_fetch(struct fetch *fetch, const struct texture_code *what, bool gathers,
                        struct taps taps[2])
{
    taps[0] = taps[1] = (struct taps){{0, 0}, {256, 0}};
    if (!find_texture(fetch, what))
        return false;
    fetch->linear = gathers || (fetch->sampler->filter == TEXTURE_LINEAR &&
                                is_float(fetch->texture) && !what->whole);
    for (uint32_t i = 0; i < what->dimensions; i++)
        taps[i] = find_taps(fetch, i, coordinate(fetch, what, i), what->whole);
    return true;
}

static void write_results(struct warp *warp, const struct code *code, uint32_t mask,
                          const union lanes *results)
{
    for (uint32_t i = 0; i < code->list->count; i++)
        warp->ops->blend(warp_register_lanes(warp, code->list->slot[i]), &results[i], mask,
                         code->list->width[i]);
    warp->temp[0].mask = FULL_MASK; // all texels are resident
    if (code->d2 != REG_SLOT_NONE)
        warp->ops->blend(warp_register_lanes(warp, code->d2), &warp->temp[0], mask,
                         WIDTH_PREDICATE);
}

enum step_result step_tex(struct warp *warp, struct path *path, const struct code *code,
                          uint32_t mask)
{
    const struct texture_code *what = code->extra;
    union lanes results[4];
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct fetch fetch = {warp, code, (uint32_t)__builtin_ctz(rest),
                              .function = path->function};
        struct taps taps[2];
        uint32_t texel[4];
        if (!begin_fetch(&fetch, what, false, taps) || !sample(&fetch, taps, texel))
            return STEP_FAULT;
        put_results(results, fetch.lane, what->type, is_float(fetch.texture), texel);
    }
    write_results(warp, code, mask, results);
    return STEP_NEXT;
}

// Returns one channel of the four texels around the position, counter-clockwise from the lower left
// one; y increases downwards.
enum step_result step_tld4(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const struct texture_code *what = code->extra;
    union lanes results[4];
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct fetch fetch = {warp, code, (uint32_t)__builtin_ctz(rest),
                              .function = path->function};
        struct taps taps[2];
        if (!begin_fetch(&fetch, what, true, taps))
            return STEP_FAULT;
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t texel[4];
            if (!read_texel(&fetch, taps[0].index[order[i][0]], taps[1].index[order[i][1]], texel))
                return STEP_FAULT;
            results[i].u32[fetch.lane] = texel[what->component];
        }
    }
    write_results(warp, code, mask, results);
    return STEP_NEXT;
}

// txq. Channel types and orders have the numbers of OpenCL.

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
                              uint16_t word)
{
    switch (word) {
    case W_width: return texture->width;
    case W_height: return texture->height;
    case W_channel_data_type: return channel_type(texture);
    case W_channel_order: return channel_order(texture);
    case W_normalized_coords: return texture->normalized_coordinates;
    case W_force_unnormalized_coords: return sampler->force_unnormalized;
    case W_filter_mode: return sampler->filter;
    case W_addr_mode_0: return sampler->mode[0];
    case W_addr_mode_1: return sampler->mode[1];
    default: return 0; // depth, elements of an array, levels, samples: not supported
    }
}

enum step_result step_txq(struct warp *warp, struct path *path, const struct code *code,
                          uint32_t mask)
{
    const struct texture_code *what = code->extra;
    const union lanes *handles = warp_register_lanes(warp, code->s[0]);
    const struct texture none = {.channels = 1};
    (void)path;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct texture_binding *binding =
            find(warp->cta->launch->textures, handles->u64[lane]);
        if (!binding && !what->initial)
            unbound(warp, code, lane, "texture", handles->u64[lane]);
        if (!binding && !what->initial)
            return STEP_FAULT;
        warp->temp[0].u32[lane] =
            query_texture(binding ? &binding->texture : &none,
                          binding ? &binding->texture.sampler : what->initial, what->type);
    }
    warp->ops->blend(warp_register_lanes(warp, code->d), &warp->temp[0], mask, 4);
    return STEP_NEXT;
}
