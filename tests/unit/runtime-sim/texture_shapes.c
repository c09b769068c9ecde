// Fetches of random textures of all geometries, compared with the formulas of the CUDA programming
// guide: texels are numbers in a table, positions are whole multiples of 1/256 texel, and the
// texels of a cube are points of a lattice in space.
#include "tests/unit/runtime-sim/numbers.h"
#include "runtime-sim/exec/memory/texture.h"

enum {
    LANES_USED = 32,
    CASES = 3000,
    SIDE = 9,
    LAYERS_MAX = 12,
    LEVELS_MAX = 4,
    BYTES = 1 << 20,
    HANDLE = 0x77,
};

// Kernels

enum shape { S1D, S2D, S3D, SA1D, SA2D, SCUBE, SACUBE, SHAPES };
static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static const int dimensions[] = {1, 2, 3, 1, 2, 3, 3};

enum level_mode { BASE, LEVEL, GRADIENT };

struct form {
    enum shape shape;
    enum level_mode level;
    bool whole, offset, compare, gathers;
    int component;
};

struct point {
    union {
        float f[3];
        int32_t s[3];
    } at;
    uint32_t layer;
    union {
        float f;
        int32_t s;
    } level;
    float compared, unused[2];
    float gradient[2][4];
    int32_t offset[4];
};

static bool is_layered(enum shape shape)
{
    return shape == SA1D || shape == SA2D || shape == SACUBE;
}

static bool is_cube(enum shape shape)
{
    return shape >= SCUBE;
}

// Writes a vector of registers from number `first` on, in the length that the geometry requires.
static void put_vector(FILE *to, enum shape shape, const char *kind, int first)
{
    int count = dimensions[shape];
    fprintf(to, "{");
    for (int i = 0; i < (count == 3 ? 4 : count); i++)
        fprintf(to, "%s%%%s%d", i ? "," : "", kind, first + (i < count ? i : 0));
    fprintf(to, "}");
}

static void put_coordinates(FILE *to, enum shape shape)
{
    static const char *const texts[] = {"{%r0}",
                                        "{%r0,%r1}",
                                        "{%r0,%r1,%r2,%r2}",
                                        "{%r3,%r0}",
                                        "{%r3,%r0,%r1,%r1}",
                                        "{%r0,%r1,%r2,%r2}",
                                        "{%r3,%r0,%r1,%r2}"};
    fputs(texts[shape], to);
}

static void put_kernel(FILE *to, const struct form *form, int number)
{
    static const char *const levels[] = {"", ".level", ".grad"};
    fprintf(to,
            ".entry k%d(.param .u64 in, .param .u64 out, .param .u64 t) {\n"
            ".reg .b32 %%r<24>; .reg .b64 %%d<8>; .reg .f32 %%f<4>;\n"
            "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out]; ld.param.u64 %%d3, [t];\n"
            "mov.u32 %%r20, %%tid.x; mul.wide.u32 %%d2, %%r20, 80; add.u64 %%d0, %%d0, %%d2;\n"
            "mul.wide.u32 %%d2, %%r20, 16; add.u64 %%d1, %%d1, %%d2;\n"
            "ld.global.v4.b32 {%%r0,%%r1,%%r2,%%r3}, [%%d0];\n"
            "ld.global.b32 %%r4, [%%d0+16]; ld.global.f32 %%f0, [%%d0+20];\n"
            "ld.global.v4.b32 {%%r8,%%r9,%%r10,%%r11}, [%%d0+32];\n"
            "ld.global.v4.b32 {%%r12,%%r13,%%r14,%%r15}, [%%d0+48];\n"
            "ld.global.v4.b32 {%%r16,%%r17,%%r18,%%r19}, [%%d0+64];\n",
            number);
    if (form->gathers)
        fprintf(to, "tld4.%c.%s.v4.u32.f32 {%%r20,%%r21,%%r22,%%r23}, [%%d3, ",
                "rgba"[form->component], names[form->shape]);
    else
        fprintf(to, "tex%s.%s.v4.u32.%s {%%r20,%%r21,%%r22,%%r23}, [%%d3, ", levels[form->level],
                names[form->shape], form->whole ? "s32" : "f32");
    put_coordinates(to, form->shape);
    fprintf(to, "]");
    if (form->level == LEVEL)
        fprintf(to, ", %%r4");
    for (int i = 0; i < 2 && form->level == GRADIENT; i++) {
        fprintf(to, ", ");
        put_vector(to, form->shape, "r", 8 + 4 * i);
    }
    if (form->offset) {
        fprintf(to, ", ");
        put_vector(to, form->shape, "r", 16);
    }
    if (form->compare)
        fprintf(to, ", %%f0");
    fprintf(to, ";\nst.global.v4.b32 [%%d1], {%%r20,%%r21,%%r22,%%r23}; ret; }\n");
}

// Lists all forms that the manual has. Returns their number.
static int list_forms(struct form *to)
{
    int count = 0;
    for (int i = 0; i < SHAPES * 3 * 16; i++) {
        struct form form = {.shape = i % SHAPES,
                            .level = i / SHAPES % 3,
                            .whole = i / SHAPES / 3 & 1,
                            .offset = i / SHAPES / 3 & 2,
                            .compare = i / SHAPES / 3 & 4,
                            .gathers = i / SHAPES / 3 & 8,
                            .component = i % 4};
        bool flat = form.shape == S2D || form.shape == SA2D;
        if ((form.whole && (is_cube(form.shape) || form.compare || form.gathers)) ||
            (form.offset && is_cube(form.shape)) || (form.compare && form.shape == S3D) ||
            (form.gathers && (form.level || !(flat || is_cube(form.shape)))))
            continue;
        to[count++] = form;
    }
    return count;
}

// Textures: a table of numbers, and the memory made from it.

struct level {
    int size[3], layers;
    double value[LAYERS_MAX][SIDE][SIDE][SIDE][4]; // layer, z, y, x, channel
};

struct setup {
    struct kernel k;
    struct point *points;
    uint32_t (*out)[4];
    uint8_t *memory;
    uint64_t address;
    struct textures textures;
    struct texture texture;
    struct texels smaller[LEVELS_MAX];
    struct level *levels;
    uint64_t random;
};

static const struct {
    uint32_t bytes;
    double max;
    bool is_signed;
} kinds[] = {{1, 255, false},        {1, 127, true},        {2, 65535, false}, {2, 32767, true},
             {4, 4294967295, false}, {4, 2147483647, true}, {2, 0, true},      {4, 0, true}};

static uint32_t draw(struct setup *s, uint32_t below)
{
    return (uint32_t)(conform_random(&s->random) % below);
}

static bool is_real(const struct texture *t)
{
    return t->format >= TEXTURE_F16 || (t->normalized_float && t->format <= TEXTURE_S16);
}

static double read_as(const struct texture *t, int64_t bits, int c)
{
    double max = kinds[t->format].max;
    if (t->format == TEXTURE_F16 || t->format == TEXTURE_F32)
        return (double)bits / 64;
    if (!is_real(t))
        return (double)bits;
    double x = (double)((float)bits / (float)max);
    if (t->srgb && t->format == TEXTURE_U8 && c < 3) {
        long double encoded = bits / 255.0L;
        x = (double)(float)(encoded <= 0.04045L ? encoded / 12.92L
                                                : powl((encoded + 0.055L) / 1.055L, 2.4L));
    }
    return x < -1 ? -1 : x;
}

static uint64_t bits_in_memory(const struct texture *t, int64_t value)
{
    if (t->format == TEXTURE_F16)
        return bits_of(format_named("f16"), (double)value / 64);
    if (t->format == TEXTURE_F32)
        return bits_of(format_named("f32"), (double)value / 64);
    return (uint64_t)value;
}

static void fill_level(struct setup *s, struct level *level, const struct texels *texels)
{
    const struct texture *t = &s->texture;
    uint32_t bytes = kinds[t->format].bytes;
    for (int l = 0; l < level->layers * (level->size[2] ? level->size[2] : 1); l++)
        for (int y = 0; y < (level->size[1] ? level->size[1] : 1); y++)
            for (int x = 0; x < level->size[0]; x++)
                for (int c = 0; c < 4; c++) {
                    int64_t value = draw(s, t->format == TEXTURE_F16 ? 1024 : 4096);
                    if (t->format < TEXTURE_F16)
                        value %= (int64_t)kinds[t->format].max + 1;
                    if (kinds[t->format].is_signed && draw(s, 2))
                        value = -value - (t->format < TEXTURE_F16);
                    double *to =
                        &level->value[t->base.depth ? 0 : l][t->base.depth ? l : 0][y][x][c];
                    *to = c < t->channels ? read_as(t, value, c) : c == 3;
                    if (c >= t->channels)
                        continue;
                    uint64_t bits = bits_in_memory(t, value);
                    memcpy(s->memory + (texels->address - s->address) +
                               (uint64_t)l * texels->slice + (uint64_t)y * texels->pitch +
                               (uint64_t)(x * t->channels + c) * bytes,
                           &bits, bytes);
                }
}

// Draws sizes, and places the levels with gaps.
static void draw_levels(struct setup *s, enum shape shape)
{
    struct texture *t = &s->texture;
    int size[3] = {1 + (int)draw(s, SIDE), 1 + (int)draw(s, SIDE), 1 + (int)draw(s, SIDE - 4)};
    int flat = is_cube(shape) ? 2 : dimensions[shape];
    size[1] = is_cube(shape) ? size[0] : flat > 1 ? size[1] : 0;
    size[2] = flat > 2 ? size[2] : 0;
    t->layers = is_cube(shape)      ? 6 * (is_layered(shape) ? 1 + draw(s, 2) : 1)
                : is_layered(shape) ? 1 + draw(s, 4)
                                    : 0;
    t->layered = is_layered(shape);
    t->cube = is_cube(shape);
    t->levels = draw(s, LEVELS_MAX + 1);
    t->smaller = s->smaller;
    uint64_t at = 0;
    for (uint32_t i = 0; i < (t->levels ? t->levels : 1); i++) {
        struct texels *texels = i ? &s->smaller[i - 1] : &t->base;
        uint32_t row = (uint32_t)size[0] * t->channels * kinds[t->format].bytes;
        *texels = (struct texels){.address = s->address + at,
                                  .width = (uint32_t)size[0],
                                  .height = (uint32_t)size[1],
                                  .depth = (uint32_t)size[2],
                                  .pitch = (row / 32 + 1 + draw(s, 2)) * 32};
        uint64_t rows = size[1] ? (uint64_t)size[1] : 1;
        texels->slice = rows * texels->pitch + 32 * draw(s, 3);
        s->levels[i].layers = t->layers ? (int)t->layers : 1;
        memcpy(s->levels[i].size, size, sizeof size);
        fill_level(s, &s->levels[i], texels);
        at += texels->slice * (t->layers ? t->layers : 1) * (size[2] ? (uint64_t)size[2] : 1);
        at += 32 * draw(s, 5);
        for (int k = 0; k < 3; k++)
            size[k] = size[k] > 1 ? size[k] / 2 : size[k];
    }
    assert_true(at < BYTES);
}

static void draw_texture(struct setup *s, enum shape shape)
{
    static const uint8_t channels[] = {1, 2, 4};
    struct texture *t = &s->texture;
    *t = (struct texture){.format = (uint8_t)draw(s, 8),
                          .channels = channels[draw(s, 3)],
                          .normalized_float = draw(s, 2),
                          .srgb = draw(s, 2),
                          .normalized_coordinates = draw(s, 2)};
    t->sampler =
        (struct sampler){.filter = (uint8_t)draw(s, 2),
                         .mode = {(uint8_t)draw(s, 5), (uint8_t)draw(s, 5), (uint8_t)draw(s, 5)},
                         .seamless = draw(s, 2),
                         .level_filter = (uint8_t)draw(s, 2),
                         .bias = (float)((int)draw(s, 9) - 4) / 4,
                         .min_level = (float)draw(s, 4) / 4,
                         .max_level = draw(s, 2) ? 100 : 2.5f};
    for (int c = 0; c < 4; c++)
        t->sampler.border[c] =
            is_real(t) ? (uint32_t)bits_of(format_named("f32"), 100 + c) : 100u + (uint32_t)c;
    draw_levels(s, shape);
}

static void draw_points(struct setup *s, const struct form *form)
{
    const struct texture *t = &s->texture;
    const uint32_t sizes[] = {t->base.width, t->base.height, t->base.depth};
    for (int i = 0; i < LANES_USED; i++) {
        struct point *p = &s->points[i];
        memset(p, 0, sizeof *p);
        for (int k = 0; k < dimensions[form->shape]; k++) {
            double at = (double)draw(s, 40) - 16 + (double)draw(s, 1024) / 1024;
            at = draw(s, 3) ? at : floor(at) + 0.5;
            if (is_cube(form->shape))
                at = ((double)draw(s, 4097) - 2048) / 1024;
            else if (t->normalized_coordinates && !form->whole)
                at /= sizes[k];
            if (form->whole)
                p->at.s[k] = (int)floor(at);
            else
                p->at.f[k] = (float)at;
            for (int n = 0; n < 2; n++)
                p->gradient[n][k] = (float)((double)draw(s, 2001) - 1000) / 700;
            p->offset[k] = (int)draw(s, 16) - 8;
        }
        p->layer = draw(s, 8) ? draw(s, 5) : UINT32_MAX - draw(s, 2);
        if (form->whole)
            p->level.s = (int)draw(s, 6) - 1;
        else
            p->level.f = (float)((double)draw(s, 1500) / 256 - 1);
        p->compared = (float)draw(s, 64);
    }
}

// The reference

struct sample {
    const struct setup *s;
    const struct form *form;
    const struct point *point;
    int layer, face; // face: −1: no cube
    long double at[3];
    bool normalized, linear;
};

// The guide's table of faces: the direction and the coordinates s and t, as signed axes from 1 on.
static const int face_axes[6][3] = {{1, -3, -2}, {-1, 3, -2}, {2, 1, 3},
                                    {-2, 1, -3}, {3, 1, -2},  {-3, -1, -2}};

static long double along(const long double *vector, int axis)
{
    return axis > 0 ? vector[axis - 1] : -vector[-axis - 1];
}

static int face_of(const long double *v)
{
    int best = -1;
    long double most = -1;
    for (int axis = 2; axis >= 0; axis--)
        if (fabsl(v[axis]) > most) {
            most = fabsl(v[axis]);
            best = 2 * axis + (v[axis] < 0);
        }
    return best;
}

// Returns the texel of the cube whose centre is at this place of the lattice, in units of half a
// texel from the centre of the cube.
static bool lattice_texel(int n, const int *place, int *face, int *x, int *y)
{
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int centre[3] = {0};
                const int values[3] = {n, 2 * i + 1 - n, 2 * j + 1 - n};
                for (int k = 0; k < 3; k++) {
                    int axis = face_axes[f][k];
                    centre[abs(axis) - 1] = axis > 0 ? values[k] : -values[k];
                }
                if (memcmp(centre, place, sizeof centre))
                    continue;
                *face = f;
                *x = i;
                *y = j;
                return true;
            }
    return false;
}

static double compare_or_value(const struct sample *a, double value, int c)
{
    if (!a->form->compare)
        return value;
    return c < a->s->texture.channels ? (double)a->point->compared <= value : c == 3;
}

static double cube_texel(const struct sample *a, const struct level *level, int face, int x, int y,
                         int c)
{
    int n = level->size[0];
    bool out_x = x < 0 || x >= n, out_y = y < 0 || y >= n;
    int inner_x = x < 0 ? 0 : x >= n ? n - 1 : x, inner_y = y < 0 ? 0 : y >= n ? n - 1 : y;
    if (out_x && out_y) {
        double sum = (double)(float)cube_texel(a, level, face, inner_x, inner_y, c);
        sum += cube_texel(a, level, face, x, inner_y, c);
        sum += cube_texel(a, level, face, inner_x, y, c);
        return (double)(float)(sum / 3);
    }
    if (out_x || out_y) {
        // Beyond an edge the lattice goes on around the corner.
        int values[3] = {n - 1, 2 * x + 1 - n, 2 * y + 1 - n}, place[3];
        for (int k = 1; k < 3; k++)
            values[k] = values[k] > n ? n : values[k] < -n ? -n : values[k];
        for (int k = 0; k < 3; k++) {
            int axis = face_axes[face][k];
            place[abs(axis) - 1] = axis > 0 ? values[k] : -values[k];
        }
        assert_true(lattice_texel(n, place, &face, &x, &y));
    }
    return compare_or_value(a, level->value[a->layer + face][0][y][x][c], c);
}

// Returns the number of the texel for one outside; −1: the border.
static int fold(int mode, long i, int n, bool linear)
{
    while (mode == TEXTURE_WRAP && i < 0)
        i += n;
    while (mode == TEXTURE_WRAP && i >= n)
        i -= n;
    while (mode == TEXTURE_MIRROR && (i < 0 || i >= n))
        i = i < 0 ? -1 - i : 2L * n - 1 - i;
    if (i >= 0 && i < n)
        return (int)i;
    bool border = mode == TEXTURE_CLAMP_TO_BORDER || (mode == TEXTURE_CLAMP_OGL && linear);
    return border ? -1 : i < 0 ? 0 : n - 1;
}

struct around {
    long first; // before the address mode
    int weight; // of the second texel, of 256
    int mode;
};

static struct around find_around(const struct sample *a, const struct level *level, int k)
{
    const struct sampler *sampler = &a->s->texture.sampler;
    struct around to = {.mode = is_cube(a->form->shape) ? TEXTURE_CLAMP_TO_EDGE : sampler->mode[k]};
    long double x = a->at[k];
    int offset = a->form->offset ? a->point->offset[k] : 0, n = level->size[k];
    if (!a->normalized && to.mode <= TEXTURE_MIRROR)
        to.mode = TEXTURE_CLAMP_TO_EDGE;
    if (a->normalized)
        x *= n;
    if (to.mode == TEXTURE_CLAMP_OGL)
        x = fminl(fmaxl(x, 0), n);
    bool mirrored = to.mode == TEXTURE_MIRROR && fmodl(fabsl(floorl(x / n)), 2) == 1;
    // In a mirrored part the position is rounded on its mirror image.
    if (mirrored)
        x = (floorl(x / n) + 1) * n - x;
    long q = a->form->gathers ? 256 * (long)floorl(x - 0.5L)
             : a->linear      ? (long)floorl(256 * x - 128 + 0.5L)
                              : 256 * (long)floorl(x);
    to.weight = (int)(((q % 256) + 256) % 256);
    to.first = (q - to.weight) / 256;
    to.first += mirrored ? -offset : offset;
    return to;
}

static double texel_at(const struct sample *a, const struct level *level, const long at[3], int c)
{
    const struct texture *t = &a->s->texture;
    const int *size = level->size;
    int place[3] = {0};
    if (is_cube(a->form->shape)) {
        bool seamless = t->sampler.seamless && a->linear && (is_real(t) || a->form->compare);
        for (int k = 0; k < 2; k++)
            place[k] = seamless ? (int)at[k] : fold(TEXTURE_CLAMP_TO_EDGE, at[k], size[k], true);
        return cube_texel(a, level, a->face, place[0], place[1], c);
    }
    for (int k = 0; k < dimensions[a->form->shape]; k++) {
        place[k] = fold(find_around(a, level, k).mode, at[k], size[k], a->linear);
        if (place[k] < 0)
            return compare_or_value(a,
                                    is_real(t) ? value_of(format_named("f32"), t->sampler.border[c])
                                               : (double)t->sampler.border[c],
                                    c);
    }
    return compare_or_value(a, level->value[a->layer][place[2]][place[1]][place[0]][c], c);
}

static long double filtered(const struct sample *a, const struct level *level, int c)
{
    int flat = is_cube(a->form->shape) ? 2 : dimensions[a->form->shape];
    struct around around[3] = {{0}};
    long double sum = 0;
    for (int k = 0; k < flat; k++)
        around[k] = find_around(a, level, k);
    for (int i = 0; i < 1 << flat; i++) {
        long double weight = 1;
        long at[3] = {0};
        for (int k = 0; k < flat; k++) {
            int w = around[k].weight;
            weight *= (i >> k & 1 ? w : 256 - w) / 256.0L;
            at[k] = around[k].first + (i >> k & 1);
        }
        if (weight > 0)
            sum += weight * (long double)texel_at(a, level, at, c);
    }
    return sum;
}

static long double chosen_level(const struct sample *a)
{
    const struct texture *t = &a->s->texture;
    long double longest = 0, level = a->form->whole ? a->point->level.s : a->point->level.f;
    for (int n = 0; n < 2 && a->form->level == GRADIENT; n++) {
        long double square = 0, d[3], moved[3];
        for (int k = 0; k < dimensions[a->form->shape]; k++) {
            d[k] = a->point->gradient[n][k];
            moved[k] = a->point->at.f[k];
        }
        for (int k = 0; k < (is_cube(a->form->shape) ? 2 : dimensions[a->form->shape]); k++) {
            long double one = d[k];
            if (is_cube(a->form->shape)) { // the quotient rule
                const int *axes = face_axes[a->face];
                long double m = along(moved, axes[0]), s = along(moved, axes[k + 1]);
                one = m > 0 ? (along(d, axes[k + 1]) * m - s * along(d, axes[0])) / (m * m) / 2 : 0;
            }
            one *= a->normalized ? a->s->levels[0].size[k] : 1;
            square += one * one;
        }
        longest = fmaxl(longest, sqrtl(square));
    }
    if (a->form->level == GRADIENT)
        level = longest > 0 ? log2l(longest) : -1000;
    level = fmaxl(level + (long double)t->sampler.bias, (long double)t->sampler.min_level);
    level = fminl(level, (long double)t->sampler.max_level);
    return fminl(fmaxl(level, 0), t->levels - 1);
}

static long double leveled(const struct sample *a, int c)
{
    const struct texture *t = &a->s->texture;
    if (t->levels < 2 || a->form->level == BASE)
        return filtered(a, &a->s->levels[0], c);
    long double level = chosen_level(a);
    if (!t->sampler.level_filter || a->form->whole || !(is_real(t) || a->form->compare))
        return filtered(a, &a->s->levels[(int)floorl(level + 0.5L)], c);
    int q = (int)floorl(256 * level + 0.5L);
    long double result = (256 - q % 256) / 256.0L * filtered(a, &a->s->levels[q / 256], c);
    if (q % 256)
        result += q % 256 / 256.0L * filtered(a, &a->s->levels[q / 256 + 1], c);
    return result;
}

static uint32_t bits_of_result(const struct sample *a, long double value)
{
    return is_real(&a->s->texture) || a->form->compare
               ? (uint32_t)bits_of(format_named("f32"), (double)(float)value)
               : (uint32_t)(int64_t)value;
}

static struct sample make_sample(const struct setup *s, const struct form *form,
                                 const struct point *point)
{
    const struct texture *t = &s->texture;
    struct sample a = {.s = s, .form = form, .point = point, .face = -1};
    a.linear = form->gathers || (t->sampler.filter == TEXTURE_LINEAR && is_real(t) && !form->whole);
    a.normalized = is_cube(form->shape) || (t->normalized_coordinates && !form->whole);
    for (int k = 0; k < dimensions[form->shape]; k++)
        a.at[k] = form->whole ? point->at.s[k] : (long double)point->at.f[k];
    uint32_t layers = t->layers / (is_cube(form->shape) ? 6 : 1);
    if (is_layered(form->shape))
        a.layer = (int)(point->layer < layers ? point->layer : layers - 1);
    if (!is_cube(form->shape))
        return a;
    a.layer *= 6;
    a.face = face_of(a.at);
    long double m = along(a.at, face_axes[a.face][0]), v[3] = {a.at[0], a.at[1], a.at[2]};
    for (int k = 0; k < 2; k++)
        a.at[k] =
            m > 0 ? (long double)((double)(along(v, face_axes[a.face][k + 1]) / m) + 1) / 2 : 0.5L;
    return a;
}

static void compare_point(const struct setup *s, const struct form *form, int lane, int number)
{
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}}; // from the lower left
    struct sample a = make_sample(s, form, &s->points[lane]);
    for (int c = 0; c < 4; c++) {
        uint32_t want;
        if (form->gathers) {
            const long texel[3] = {find_around(&a, &s->levels[0], 0).first + order[c][0],
                                   find_around(&a, &s->levels[0], 1).first + order[c][1]};
            want = bits_of_result(&a,
                                  (long double)texel_at(&a, &s->levels[0], texel, form->component));
        } else {
            want = bits_of_result(&a, leveled(&a, c));
        }
        if (s->out[lane][c] != want)
            fail_msg(
                "case %d: %s level %d whole %d offset %d compare %d gathers %d, format %u x "
                "%u, filter %u, modes %u %u %u, normalized %u, seamless %u, %u levels, %u x %u "
                "x %u: lane %d (%g, %g, %g) layer %u channel %d: %08x, not %08x",
                number, names[form->shape], form->level, form->whole, form->offset, form->compare,
                form->gathers, s->texture.format, s->texture.channels, s->texture.sampler.filter,
                s->texture.sampler.mode[0], s->texture.sampler.mode[1], s->texture.sampler.mode[2],
                s->texture.normalized_coordinates, s->texture.sampler.seamless, s->texture.levels,
                s->texture.base.width, s->texture.base.height, s->texture.base.depth, lane,
                (double)a.at[0], (double)a.at[1], (double)a.at[2], s->points[lane].layer, c,
                s->out[lane][c], want);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    static struct form forms[SHAPES * 3 * 16];
    static struct setup s;
    int count = list_forms(forms);
    char *text, name[16];
    size_t length;
    FILE *to = open_memstream(&text, &length);
    fputs(HEAD("8.6", "sm_90"), to);
    for (int i = 0; i < count; i++)
        put_kernel(to, &forms[i], i);
    fclose(to);
    kernel_load(&s.k, text, NULL);
    free(text);
    s.random = 11;
    s.points = kernel_buffer(&s.k, LANES_USED * sizeof *s.points);
    s.out = kernel_buffer(&s.k, LANES_USED * sizeof *s.out);
    uint64_t handle = HANDLE;
    memcpy(s.k.params + s.k.param_bytes, &handle, sizeof handle);
    s.address = image_allocate(&s.k.image, BYTES, 256, "texels");
    s.memory = s.k.image.list.v[s.k.image.list.n - 1].data;
    s.levels = calloc(LEVELS_MAX, sizeof *s.levels);
    s.k.textures = &s.textures;
    for (int i = 0; i < CASES; i++) {
        int number = i < count ? i : (int)draw(&s, (uint32_t)count);
        const struct form *form = &forms[number];
        draw_texture(&s, form->shape);
        draw_points(&s, form);
        texture_bind(&s.textures, &s.k.arena, HANDLE, &s.texture);
        snprintf(name, sizeof name, "k%d", number);
        kernel_succeeds(&s.k, name, 1, LANES_USED);
        for (int lane = 0; lane < LANES_USED; lane++)
            compare_point(&s, form, lane, i);
    }
    free(s.levels);
    kernel_free(&s.k);
}

// txq of the sizes of all levels and of layers.
static void test_queries(void **state)
{
    (void)state;
    struct kernel k;
    static const char text[] = HEAD(
        "8.6",
        "sm_90") ".entry k(.param .u64 out, .param .u64 t) { .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
                 "ld.param.u64 %d0, [out]; ld.param.u64 %d1, [t]; mov.b32 %r7, 1;\n"
                 "txq.level.width.b32 %r0, [%d1], %r7; txq.level.height.b32 %r1, [%d1], 2;\n"
                 "txq.array_size.b32 %r2, [%d1]; txq.num_mipmap_levels.b32 %r3, [%d1];\n"
                 "st.global.v4.b32 [%d0], {%r0,%r1,%r2,%r3};\n"
                 "txq.depth.b32 %r0, [%d1]; txq.level.width.b32 %r1, [%d1], 9;\n"
                 "txq.num_samples.b32 %r2, [%d1]; txq.addr_mode_2.b32 %r3, [%d1];\n"
                 "st.global.v4.b32 [%d0+16], {%r0,%r1,%r2,%r3}; ret; }\n";
    kernel_load(&k, text, NULL);
    const uint32_t *out = kernel_buffer(&k, 32);
    uint64_t handle = HANDLE;
    memcpy(k.params + k.param_bytes, &handle, sizeof handle);
    struct textures textures = {0};
    struct texels smaller[2] = {{.width = 10, .height = 6}, {.width = 5, .height = 3}};
    struct texture texture = {.base = {.width = 20, .height = 12},
                              .smaller = smaller,
                              .levels = 3,
                              .layers = 12,
                              .layered = true,
                              .cube = true,
                              .channels = 1,
                              .sampler = {.mode = {0, 0, TEXTURE_CLAMP_TO_BORDER}}};
    texture_bind(&textures, &k.arena, HANDLE, &texture);
    k.textures = &textures;
    kernel_succeeds(&k, "k", 1, 1);
    const uint32_t want[] = {10, 3, 2, 3, 0, 0, 0, TEXTURE_CLAMP_TO_BORDER};
    assert_memory_equal(out, want, sizeof want);
    kernel_free(&k);
}

static void test_layouts(void **state)
{
    (void)state;
    struct texels levels[4] = {{.address = 256, .width = 13, .height = 9}};
    assert_int_equal(texels_levels(13, 9, 0), 4);
    assert_int_equal(texels_levels(1, 1, 1), 1);
    assert_int_equal(texels_levels(256, 3, 100), 9);
    // 2 layers of 4-byte texels: 9 rows of 64 bytes, then 4 of 32, 2 of 32 and 1 of 32.
    assert_int_equal(texels_lay_out(levels, 4, 2, 4, 32), 2 * (9 * 64 + 4 * 32 + 2 * 32 + 32));
    assert_int_equal(levels[3].address, 256 + 2 * (9 * 64 + 4 * 32 + 2 * 32));
    assert_int_equal(levels[2].width, 3);
    assert_int_equal(levels[2].height, 2);
    assert_int_equal(levels[3].height, 1);
    assert_int_equal(levels[1].slice, 4 * 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
