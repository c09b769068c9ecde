// tex and tld4: from a position to the texels around it, and their weighted sum.
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/half.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/exec/memory/access.h"
#include <inttypes.h>

// The fetch of one lane.
struct fetch {
    struct warp *warp;
    const struct code *code;
    const struct texture_code *what;
    uint32_t lane, function;
    bool linear, floats; // interpolates between texels; has floats as results
    const struct texture *texture;
    const struct sampler *sampler;
    double position[3];    // of a cube: s and t of the face, in 0 … 1
    double gradient[2][3]; // in the same units
    uint32_t layer;        // of a cube: with the face
    float compared;        // if what->compare
    int64_t offset[3];
};

// Operands

static const union lanes *operand(const struct fetch *fetch, uint32_t index)
{
    return warp_register_lanes(fetch->warp, fetch->code->list->slot[index]);
}

static double number(const struct fetch *fetch, uint32_t index, bool whole)
{
    const union lanes *lanes = operand(fetch, index);
    return whole ? lanes->s32[fetch->lane] : (double)lanes->f32[fetch->lane];
}

static bool has_geometry(const struct fetch *fetch)
{
    const struct texture_code *what = fetch->what;
    const struct texture *texture = fetch->texture;
    uint32_t dimensions = texture_dimensions(texture);
    if (dimensions == what->dimensions && texture->layered == what->layered &&
        texture->cube == what->cube)
        return true;
    warp_fault(fetch->warp, fetch->code, 1u << fetch->lane, "a fetch of .%s from a texture of .%s",
               texture_geometry(what->dimensions, what->layered, what->cube),
               texture_geometry(dimensions, texture->layered, texture->cube));
    return false;
}

static bool find_texture(struct fetch *fetch)
{
    struct warp *warp = fetch->warp;
    const struct code *code = fetch->code;
    const struct textures *textures = warp->cta->launch->textures;
    const union lanes *handles = warp_register_lanes(warp, code->s[0]);
    uint64_t handle = handles->u64[fetch->lane];
    fetch->texture = texture_find(textures, handle, BOUND_TEXTURE);
    if (!fetch->texture)
        texture_unbound(warp, code, fetch->lane, "texture", handle);
    if (!fetch->texture || !has_geometry(fetch))
        return false;
    fetch->sampler = &fetch->texture->sampler;
    if (!fetch->what->samples)
        return true;
    handles = warp_register_lanes(warp, code->s[1]);
    handle = handles->u64[fetch->lane];
    const struct texture *other = texture_find(textures, handle, BOUND_SAMPLER);
    other = other ? other : texture_find(textures, handle, BOUND_TEXTURE);
    fetch->sampler = other ? &other->sampler : fetch->what->initial;
    if (!fetch->sampler)
        texture_unbound(warp, code, fetch->lane, "sampler", handle);
    return fetch->sampler;
}

// Texels

// For the checks of races and of reads of unwritten bytes, texels are plain loads.
static void check_texel(const struct fetch *fetch, uint64_t address, uint8_t *from, uint32_t size)
{
    static const struct memory_code memory = {.space = W_global, .order = W_weak};
    const struct access access = {
        .code = fetch->code, .memory = &memory, .reads = true, .function = fetch->function};
    const struct spot spot = {.space = W_global, .address = address, .host = from};
    check_access(fetch->warp->check, fetch->warp, &access, fetch->lane, &spot, size);
}

// Replaces the channels that the texture has by the results of the comparison.
static void compare_channels(const struct fetch *fetch, uint32_t *texel)
{
    const struct texture *texture = fetch->texture;
    bool floats = texture_is_float(texture);
    bool is_signed = texture->format == TEXTURE_S8 || texture->format == TEXTURE_S16 ||
                     texture->format == TEXTURE_S32;
    for (uint32_t c = 0; c < 4; c++) {
        double value = floats      ? (double)f32_of(texel[c])
                       : is_signed ? (double)(int32_t)texel[c]
                                   : texel[c];
        bool passes = c < texture->channels ? (double)fetch->compared <= value : c == 3;
        texel[c] = bits_f32(passes);
    }
}

// Reads a texel. A negative coordinate is outside the texture; z is a slice or layer. Returns false
// if the texel is not in the memory image.
static bool read_texel(const struct fetch *fetch, const struct texels *texels, int64_t x, int64_t y,
                       int64_t z, uint32_t *texel)
{
    struct warp *warp = fetch->warp;
    const struct texture *texture = fetch->texture;
    if (x < 0 || y < 0 || z < 0) {
        memcpy(texel, fetch->sampler->border, 4 * sizeof *texel);
        if (fetch->what->compare)
            compare_channels(fetch, texel);
        return true;
    }
    uint32_t size = texel_bytes(texture);
    uint64_t address = texels->address + (uint64_t)z * texels->slice + (uint64_t)y * texels->pitch +
                       (uint64_t)x * size;
    const struct image *image = warp->cta->launch->image;
    uint8_t *from = image_at(image, address, size, &warp->hint);
    if (!from) {
        texture_describe(warp, address);
        warp_fault(warp, fetch->code, 1u << fetch->lane,
                   "texel (%" PRId64 ", %" PRId64 ") at global address 0x%" PRIx64
                   " is in no allocation",
                   x, y, address);
        return false;
    }
    uint64_t missing =
        image->watches_planes ? plane_find_missing(image, address, size, PLANE_WAIT_FULL) : 0;
    if (missing) {
        texture_describe(warp, missing);
        warp->fault->needs_word = missing;
        warp_fault(warp, fetch->code, 1u << fetch->lane,
                   "texel (%" PRId64 ", %" PRId64 ") needs a word that is empty", x, y);
        return false;
    }
    if (warp->check)
        check_texel(fetch, address, from, size);
    if (warp->touched)
        touched_add(warp->touched, TOUCHED_TEXTURE, TOUCHED_READ, fetch->lane, address, size);
    texel_decode(texture, from, texel);
    if (fetch->what->compare)
        compare_channels(fetch, texel);
    return true;
}

// Cubes. A face has two axes in the space of (s, t, r); the third coordinate is its direction.

static const struct {
    uint8_t direction, s, t;
    int8_t direction_sign, s_sign, t_sign;
} faces[] = {
    {0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
    {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1},  {2, 0, 1, -1, -1, -1},
};

static uint32_t find_face(const double at[3])
{
    uint32_t axis = fabs(at[2]) >= fabs(at[1]) && fabs(at[2]) >= fabs(at[0]) ? 2
                    : fabs(at[1]) >= fabs(at[0])                             ? 1
                                                                             : 0;
    return 2 * axis + (at[axis] < 0);
}

// Replaces a direction by the position on a face. Its gradients become those of the position.
static uint32_t project(double at[3], double gradient[2][3])
{
    uint32_t face = find_face(at);
    double length = fabs(at[faces[face].direction]);
    double s = faces[face].s_sign * at[faces[face].s], t = faces[face].t_sign * at[faces[face].t];
    for (uint32_t i = 0; i < 2; i++) {
        double *d = gradient[i], grow = faces[face].direction_sign * d[faces[face].direction];
        double ds = faces[face].s_sign * d[faces[face].s];
        double dt = faces[face].t_sign * d[faces[face].t];
        d[0] = length > 0 ? (ds - s / length * grow) / length / 2 : 0;
        d[1] = length > 0 ? (dt - t / length * grow) / length / 2 : 0;
        d[2] = 0;
    }
    at[0] = length > 0 ? (s / length + 1) / 2 : 0.5;
    at[1] = length > 0 ? (t / length + 1) / 2 : 0.5;
    at[2] = 0;
    return face;
}

// Finds the texel of a neighbouring face for one that is beyond an edge of its face.
static uint32_t cross_edge(uint32_t face, uint32_t size, int64_t *x, int64_t *y)
{
    double at[3], none[2][3] = {{0}};
    at[faces[face].direction] = faces[face].direction_sign;
    at[faces[face].s] = faces[face].s_sign * (2 * ((double)*x + 0.5) / size - 1);
    at[faces[face].t] = faces[face].t_sign * (2 * ((double)*y + 0.5) / size - 1);
    face = project(at, none);
    *x = (int64_t)floor(at[0] * size);
    *y = (int64_t)floor(at[1] * size);
    return face;
}

static bool is_outside(int64_t at, uint32_t size)
{
    return at < 0 || at >= size;
}

static bool read_seamless(const struct fetch *fetch, const struct texels *texels, int64_t x,
                          int64_t y, uint32_t *texel)
{
    uint32_t size = texels->width, cube = fetch->layer / 6 * 6, face = fetch->layer % 6;
    int64_t inner_x = x < 0 ? 0 : x >= size ? size - 1 : x;
    int64_t inner_y = y < 0 ? 0 : y >= size ? size - 1 : y;
    if (!is_outside(x, size) || !is_outside(y, size)) {
        if (is_outside(x, size) || is_outside(y, size))
            face = cross_edge(face, size, &x, &y);
        return read_texel(fetch, texels, x, y, cube + face, texel);
    }
    const int64_t others[3][2] = {{inner_x, inner_y}, {x, inner_y}, {inner_x, y}};
    double sum[4] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        if (!read_seamless(fetch, texels, others[i][0], others[i][1], texel))
            return false;
        for (uint32_t c = 0; c < 4; c++)
            sum[c] += (double)f32_of(texel[c]);
    }
    for (uint32_t c = 0; c < 4; c++)
        texel[c] = bits_f32(canonical((float)(sum[c] / 3)));
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
    if (mode == TEXTURE_MIRROR) {
        int64_t at = ((index % (2 * size)) + 2 * size) % (2 * size);
        return at < size ? at : 2 * size - 1 - at;
    }
    if (mode == TEXTURE_CLAMP_TO_BORDER || (mode == TEXTURE_CLAMP_OGL && linear))
        return -1;
    return index < 0 ? 0 : size - 1;
}

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

static bool is_normalized(const struct fetch *fetch)
{
    return fetch->what->cube || (fetch->texture->normalized_coordinates &&
                                 !fetch->sampler->force_unnormalized && !fetch->what->whole);
}

static bool is_seamless(const struct fetch *fetch)
{
    return fetch->what->cube && fetch->sampler->seamless && fetch->linear && fetch->floats;
}

static struct taps find_taps(const struct fetch *fetch, uint32_t dimension, uint32_t size)
{
    enum texture_mode mode = fetch->sampler->mode[dimension];
    bool norm = is_normalized(fetch), linear = fetch->linear;
    double x = fetch->position[dimension];
    int64_t offset = fetch->offset[dimension];
    x = x == x ? clamp(x, -0x1p127, 0x1p127) : 0;
    if ((!norm && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR)) || fetch->what->cube)
        mode = TEXTURE_CLAMP_TO_EDGE;
    if (mode == TEXTURE_WRAP)
        x -= floor(x);
    if (mode == TEXTURE_MIRROR) {
        bool mirrored = fmod(floor(x), 2) != 0;
        x = mirrored ? 1 - (x - floor(x)) : x - floor(x);
        offset = mirrored ? -offset : offset;
    }
    x = clamp(norm ? x * size : x, mode == TEXTURE_CLAMP_OGL ? 0 : -0x1p32,
              mode == TEXTURE_CLAMP_OGL ? size : 0x1p33);
    double at = floor(linear ? x - 0.5 : x);
    uint32_t part = linear ? (uint32_t)((x - 0.5 - at) * 256 + 0.5) : 0;
    int64_t index = (int64_t)at + offset;
    struct taps taps = {{index, index + 1}, {256 - part, part}};
    for (uint32_t i = 0; i < 2 && !is_seamless(fetch); i++)
        taps.index[i] = settle(mode, taps.index[i], size, linear);
    return taps;
}

static void find_all_taps(const struct fetch *fetch, const struct texels *texels,
                          struct taps taps[3])
{
    const uint32_t sizes[] = {texels->width, texels->height, texels->depth};
    uint32_t flat = fetch->what->cube ? 2 : fetch->what->dimensions;
    for (uint32_t i = 0; i < 3; i++)
        taps[i] = i < flat ? find_taps(fetch, i, sizes[i]) : (struct taps){{0, 0}, {256, 0}};
    if (flat < 3)
        taps[2].index[0] = fetch->layer;
}

static bool read_tap(const struct fetch *fetch, const struct texels *texels,
                     const struct taps taps[3], uint32_t i, uint32_t *texel)
{
    int64_t x = taps[0].index[i & 1], y = taps[1].index[i >> 1 & 1], z = taps[2].index[i >> 2];
    return is_seamless(fetch) ? read_seamless(fetch, texels, x, y, texel)
                              : read_texel(fetch, texels, x, y, z, texel);
}

// Levels

struct level_taps {
    uint32_t level[2], weight[2]; // of 256
};

static const struct texels *texels_of(const struct fetch *fetch, uint32_t level)
{
    return level ? &fetch->texture->smaller[level - 1] : &fetch->texture->base;
}

static double gradient_level(const struct fetch *fetch)
{
    const struct texels *base = &fetch->texture->base;
    const double sizes[] = {base->width, base->height, base->depth};
    double longest = 0;
    for (uint32_t i = 0; i < 2; i++) {
        double square = 0;
        for (uint32_t k = 0; k < (fetch->what->cube ? 2 : fetch->what->dimensions); k++) {
            double part = fetch->gradient[i][k] * (is_normalized(fetch) ? sizes[k] : 1);
            square += part * part;
        }
        longest = square > longest ? square : longest;
    }
    return longest > 0 ? 0.5 * log2(clamp(longest, 0x1p-200, 0x1p200)) : -100;
}

static struct level_taps find_levels(const struct fetch *fetch)
{
    const struct sampler *sampler = fetch->sampler;
    uint32_t levels = fetch->texture->levels;
    if (levels < 2 || fetch->what->selects == LEVEL_BASE)
        return (struct level_taps){{0, 0}, {256, 0}};
    double level = fetch->what->selects == LEVEL_GIVEN
                       ? number(fetch, fetch->what->level, fetch->what->whole)
                       : gradient_level(fetch);
    level += (double)sampler->bias;
    level = level == level ? level : 0;
    level = clamp(level, (double)sampler->min_level, (double)sampler->max_level);
    level = clamp(level, 0, levels - 1);
    if (sampler->level_filter == TEXTURE_NEAREST || !fetch->floats || fetch->what->whole)
        return (struct level_taps){{(uint32_t)(level + 0.5), 0}, {256, 0}};
    uint32_t fixed = (uint32_t)(level * 256 + 0.5), part = fixed & 255;
    uint32_t next = (fixed >> 8) + 1 < levels ? (fixed >> 8) + 1 : levels - 1;
    return (struct level_taps){{fixed >> 8, next}, {256 - part, part}};
}

// Sums the texels around the position with their weights. A texel of weight 1 is copied.
static bool sample(const struct fetch *fetch, uint32_t *result)
{
    double sum[4] = {0};
    struct level_taps levels = find_levels(fetch);
    for (uint32_t l = 0; l < 2; l++) {
        if (!levels.weight[l])
            continue;
        const struct texels *texels = texels_of(fetch, levels.level[l]);
        struct taps taps[3];
        find_all_taps(fetch, texels, taps);
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t texel[4];
            uint64_t weight = (uint64_t)levels.weight[l] * taps[0].weight[i & 1] *
                              taps[1].weight[i >> 1 & 1] * taps[2].weight[i >> 2];
            if (!weight)
                continue;
            if (!read_tap(fetch, texels, taps, i, texel))
                return false;
            if (weight == UINT64_C(1) << 32) {
                memcpy(result, texel, sizeof texel);
                return true;
            }
            for (uint32_t c = 0; c < 4; c++)
                sum[c] += (double)weight * (double)f32_of(texel[c]);
        }
    }
    for (uint32_t c = 0; c < 4; c++)
        result[c] = bits_f32(canonical((float)(sum[c] * 0x1p-32)));
    return true;
}

// Instructions

static void read_gradients(struct fetch *fetch)
{
    uint32_t count = fetch->what->dimensions;
    for (uint32_t i = 0; i < 2 * count && fetch->what->selects == LEVEL_GRADIENT; i++)
        fetch->gradient[i / count][i % count] = number(fetch, fetch->what->level + i, false);
}

static void select_layer(struct fetch *fetch)
{
    const struct texture_code *what = fetch->what;
    const struct texture *texture = fetch->texture;
    uint32_t faces_each = what->cube ? 6 : 1, count = texture->layers / faces_each;
    if (what->layered) {
        uint32_t layer = operand(fetch, what->layer)->u32[fetch->lane];
        fetch->layer = faces_each * (layer < count ? layer : count - 1);
    }
    if (what->cube)
        fetch->layer += project(fetch->position, fetch->gradient);
}

// Reads the operands of one lane. Returns false if no texture is bound.
static bool begin_fetch(struct fetch *fetch, bool gathers)
{
    const struct texture_code *what = fetch->what;
    if (!find_texture(fetch))
        return false;
    bool is_float = texture_is_float(fetch->texture);
    fetch->floats = is_float || what->compare;
    fetch->linear =
        gathers || (fetch->sampler->filter == TEXTURE_LINEAR && is_float && !what->whole);
    for (uint32_t i = 0; i < what->dimensions; i++) {
        double x = number(fetch, what->at + i, what->whole);
        fetch->position[i] = what->cube && x != x ? 0 : x;
        if (what->offset)
            fetch->offset[i] = operand(fetch, what->offset + i)->s32[fetch->lane];
    }
    if (what->compare)
        fetch->compared = operand(fetch, what->compare)->f32[fetch->lane];
    read_gradients(fetch);
    select_layer(fetch);
    return true;
}

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

static void write_results(struct warp *warp, const struct code *code, uint32_t mask,
                          const union lanes *results)
{
    const struct texture_code *what = code->extra;
    for (uint32_t i = 0; i < what->results; i++)
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
        struct fetch fetch = {warp, code, what, (uint32_t)__builtin_ctz(rest),
                              .function = path->function};
        uint32_t texel[4];
        if (!begin_fetch(&fetch, false) || !sample(&fetch, texel))
            return STEP_FAULT;
        put_results(results, fetch.lane, what->type, fetch.floats, texel);
    }
    write_results(warp, code, mask, results);
    return STEP_NEXT;
}

// Returns one channel of the four texels around the position, counter-clockwise from the lower left
// one; y increases downwards.
enum step_result step_tld4(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    static const uint8_t order[] = {2, 3, 1, 0};
    const struct texture_code *what = code->extra;
    union lanes results[4];
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct fetch fetch = {warp, code, what, (uint32_t)__builtin_ctz(rest),
                              .function = path->function};
        struct taps taps[3];
        if (!begin_fetch(&fetch, true))
            return STEP_FAULT;
        find_all_taps(&fetch, &fetch.texture->base, taps);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t texel[4];
            if (!read_tap(&fetch, &fetch.texture->base, taps, order[i], texel))
                return STEP_FAULT;
            results[i].u32[fetch.lane] = texel[what->component];
        }
    }
    write_results(warp, code, mask, results);
    return STEP_NEXT;
}
