// Texture fetches compared with a plain sampler: positions as multiples of 1/256 texel, coordinates
// folded rather than cut, texels from typed arrays.
#include "tests/unit/runtime-sim/numbers.h"
#include "runtime-sim/exec/memory/texture.h"
#include <float.h>

enum { WIDTH = 7, HEIGHT = 5, PITCH = 160, POINTS = 256 };

// The reference

struct point {
    float x, y;
    int32_t whole_x, whole_y;
};

struct test_texels {
    struct texture texture;
    const uint8_t *data;
};

static const struct {
    uint32_t bytes;
    const char *number; // in numbers.h
    double max;         // what is read as 1
} known[] = {{1, "u8", 255}, {1, "s8", 127}, {2, NULL, 65535}, {2, NULL, 32767},
             {4, NULL, 0},   {4, "s32", 0},  {2, "f16", 0},    {4, "f32", 0}};

static bool gives_floats(const struct texture *t)
{
    return t->format == TEXTURE_F16 || t->format == TEXTURE_F32 ||
           (t->normalized_float && known[t->format].bytes <= 2);
}

static double channel_value(const struct test_texels *t, int x, int y, int c)
{
    uint32_t format = t->texture.format, bytes = known[format].bytes;
    if (c >= t->texture.channels)
        return c == 3;
    const uint8_t *at = t->data + y * PITCH + (x * t->texture.channels + c) * (int)bytes;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < bytes; i++)
        bits |= (uint64_t)at[i] << 8 * i;
    double value = (double)bits;
    if (format == TEXTURE_F16 || format == TEXTURE_F32)
        return value_of(format_named(known[format].number), bits);
    if (format == TEXTURE_S8 || format == TEXTURE_S16 || format == TEXTURE_S32)
        value -= (double)(bits >> (8 * bytes - 1)) * ldexp(1, 8 * (int)bytes);
    if (!gives_floats(&t->texture))
        return value;
    return (double)(float)(value < -known[format].max ? -1 : value / known[format].max);
}

// Returns the texel for place i of n; −1: the border.
static int fold(int mode, long long i, int n, bool linear)
{
    while (mode == TEXTURE_WRAP && i < 0)
        i += n;
    while (mode == TEXTURE_WRAP && i >= n)
        i -= n;
    if (i >= 0 && i < n)
        return (int)i;
    bool border = mode == TEXTURE_CLAMP_TO_BORDER || (mode == TEXTURE_CLAMP_OGL && linear);
    return border ? -1 : i < 0 ? 0 : n - 1;
}

// Two texels, and the weight of the second one, of 256.
struct texel_range {
    int first, second, weight;
};

// Returns a coordinate in texels; sets the mode for places outside.
static long double position(const struct texture *t, const struct sampler *sampler, int dimension,
                            float coordinate, int *mode)
{
    int n = dimension ? HEIGHT : WIDTH;
    bool normalized = t->normalized_coordinates && !sampler->force_unnormalized;
    long double x = isnan(coordinate)   ? 0
                    : isinf(coordinate) ? copysignl(0x1p100L, coordinate)
                                        : (long double)coordinate;
    *mode = sampler->mode[dimension];
    if (!normalized && *mode <= TEXTURE_MIRROR)
        *mode = TEXTURE_CLAMP_TO_EDGE;
    if (*mode == TEXTURE_MIRROR) {
        x = fmodl(fabsl(x), 2);
        x = x > 1 ? 2 - x : x;
    }
    if (*mode == TEXTURE_WRAP)
        x = fmodl(x, 1);
    x = normalized ? x * n : x;
    if (*mode == TEXTURE_CLAMP_OGL)
        x = fminl(fmaxl(x, 0), n);
    return fminl(fmaxl(x, -1e6L), 1e6L);
}

static struct texel_range texels_of(const struct texture *t, const struct sampler *sampler,
                                    int dimension, float coordinate, bool linear)
{
    int n = dimension ? HEIGHT : WIDTH, mode;
    long double x = position(t, sampler, dimension, coordinate, &mode);
    if (!linear) {
        int at = fold(mode, (long long)floorl(x), n, false);
        return (struct texel_range){at, at, 0};
    }
    long long q = (long long)floorl(256 * x - 128 + 0.5L); // in 1/256 texel
    return (struct texel_range){fold(mode, q >> 8, n, true), fold(mode, (q >> 8) + 1, n, true),
                                (int)(q & 255)};
}

static double border_or_texel(const struct test_texels *t, const struct sampler *sampler, int x,
                              int y, int c)
{
    uint64_t bits = sampler->border[c];
    if (x >= 0 && y >= 0)
        return channel_value(t, x, y, c);
    return gives_floats(&t->texture) ? value_of(format_named("f32"), bits) : (double)(int32_t)bits;
}

static uint32_t expected(const struct test_texels *t, const struct sampler *sampler, int dimensions,
                         const struct point *point, bool whole, int c)
{
    struct texture flat = t->texture;
    bool floats = gives_floats(&t->texture);
    bool linear = sampler->filter == TEXTURE_LINEAR && floats && !whole;
    if (whole)
        flat.normalized_coordinates = false;
    float at[2] = {whole ? (float)point->whole_x : point->x,
                   whole ? (float)point->whole_y : point->y};
    struct texel_range x = texels_of(&flat, sampler, 0, at[0], linear), y = {0, 0, 0};
    if (dimensions == 2)
        y = texels_of(&flat, sampler, 1, at[1], linear);
    long double sum = 0;
    for (int i = 0; i < 4; i++) {
        int weight = (i & 1 ? x.weight : 256 - x.weight) * (i & 2 ? y.weight : 256 - y.weight);
        if (weight)
            sum += (long double)weight *
                   (long double)border_or_texel(t, sampler, i & 1 ? x.second : x.first,
                                                i & 2 ? y.second : y.first, c);
    }
    sum /= 65536;
    return floats ? (uint32_t)bits_of(format_named("f32"), (double)sum) : (uint32_t)(int64_t)sum;
}

// Kernels

#define KERNEL(head, parameters, text)                                                             \
    head "\n.address_size 64\n" parameters "{\n"                                                   \
         ".reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b16 "       \
         "%h<8>;\n"                                                                                \
         "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"                                    \
         "mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 16; add.u64 %rd0, %rd0, %rd2;\n"            \
         "add.u64 %rd1, %rd1, %rd2; ld.global.v2.f32 {%f0,%f1}, [%rd0];\n"                         \
         "ld.global.v2.b32 {%r2,%r3}, [%rd0+8]; mov.b32 %r4, 77; mov.b32 %r5, 77;\n"               \
         "mov.b32 %r6, 77; mov.b32 %r7, 77;\n" text                                                \
         "st.global.v4.b32 [%rd1], {%r4,%r5,%r6,%r7}; ret;\n}\n"
#define UNIFIED(text)                                                                              \
    KERNEL(".version 8.6\n.target sm_90",                                                          \
           ".entry k(.param .u64 in, .param .u64 out, .param .u64 t)\n",                           \
           "ld.param.u64 %rd3, [t];\n" text)

struct setup {
    struct kernel k;
    struct point *points;
    uint32_t (*out)[4];
    struct textures textures;
    struct test_texels texels;
};

enum { HANDLE = 0x51 };

static float some_coordinate(uint32_t i, int n, bool normalized, uint64_t *state)
{
    static const float special[] = {0.0f, -0.0f, NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 1e-40f};
    float at = (float)(int)(conform_random(state) % 40) - 16; // texels
    if (i < 8)
        return special[i];
    switch (i % 4) {
    case 0: break; // where texels meet
    case 1: at += 0.5f; break;
    case 2: at += (float)(conform_random(state) % 1024) / 1024; break;
    case 3: at += (float)(conform_random(state) % (1 << 24)) * 0x1p-24f; break;
    }
    at = i % 16 == 9 ? nextafterf(at, -INFINITY) : at;
    return normalized ? at / (float)n : at;
}

static void fill_points(struct setup *s, bool normalized)
{
    uint64_t state = 5;
    for (uint32_t i = 0; i < POINTS; i++) {
        uint32_t other = i < 64 ? i / 8 : i + 7; // special ones meet each other
        s->points[i] = (struct point){
            some_coordinate(i < 64 ? i % 8 : i, WIDTH, normalized, &state),
            some_coordinate(other, HEIGHT, normalized, &state),
            (int)(conform_random(&state) % 24) - 8, (int)(conform_random(&state) % 24) - 8};
    }
}

static void fill_texels(uint8_t *data, uint32_t format)
{
    uint64_t state = 3 + format;
    uint32_t bytes = known[format].bytes;
    for (uint32_t i = 0; i < PITCH * HEIGHT; i += bytes) {
        uint64_t bits = conform_random(&state);
        if (format == TEXTURE_F16 || format == TEXTURE_F32)
            bits = random_element(format_named(known[format].number), 0, &state);
        else if (i % 7 == 0) // the least and the most
            bits = UINT64_C(1) << (8 * bytes - 1) ^ (conform_random(&state) & 1 ? UINT64_MAX : 0);
        memcpy(data + i, &bits, bytes);
    }
}

static void begin(struct setup *s, const char *text)
{
    memset(s, 0, sizeof *s);
    kernel_load(&s->k, text, NULL);
    s->points = kernel_buffer(&s->k, POINTS * sizeof *s->points);
    s->out = kernel_buffer(&s->k, POINTS * sizeof *s->out);
    s->k.textures = &s->textures;
    uint64_t handle = HANDLE;
    memcpy(s->k.params + s->k.param_bytes, &handle, sizeof handle);
    s->texels.texture = (struct texture){
        .base = {.address = image_allocate(&s->k.image, PITCH * HEIGHT, 256, "texels"),
                 .width = WIDTH,
                 .height = HEIGHT,
                 .pitch = PITCH},
        .channels = 4,
        .format = TEXTURE_F32,
        .sampler = {.mode = {TEXTURE_CLAMP_TO_EDGE, TEXTURE_CLAMP_TO_EDGE},
                    .border = {0x40000000, 0x40400000, 0x3f000000, 0xc0800000}}};
    s->texels.data = s->k.image.list.v[s->k.image.list.n - 1].data;
}

static void bind_and_run(struct setup *s)
{
    fill_texels((uint8_t *)s->texels.data, s->texels.texture.format);
    fill_points(s, s->texels.texture.normalized_coordinates);
    texture_bind(&s->textures, &s->k.arena, HANDLE, &s->texels.texture);
    kernel_succeeds(&s->k, "k", 1, POINTS);
}

static void compare(const struct setup *s, const struct sampler *sampler, int dimensions,
                    bool whole)
{
    const struct texture *t = &s->texels.texture;
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < 4; c++) {
            uint32_t want = expected(&s->texels, sampler, dimensions, &s->points[i], whole, c);
            if (s->out[i][c] != want)
                fail_msg(
                    "%d-D format %u filter %u modes %u %u normalized %u%u: (%a, %a) %d: %08x, not "
                    "%08x",
                    dimensions, t->format, sampler->filter, sampler->mode[0], sampler->mode[1],
                    t->normalized_float, t->normalized_coordinates, (double)s->points[i].x,
                    (double)s->points[i].y, c, s->out[i][c], want);
        }
}

// Checks every format, filter, mode and kind of coordinates.
static void check_all(const char *text, int dimensions, bool whole)
{
    struct setup s;
    begin(&s, text);
    struct texture *t = &s.texels.texture;
    t->base.height = dimensions == 1 ? 0 : HEIGHT;
    for (uint32_t i = 0; i < 8 * 2 * 2 * 5 * 2; i++) {
        static const uint8_t channels[] = {1, 2, 4};
        t->format = (uint8_t)(i % 8);
        t->normalized_float = i / 8 % 2;
        t->sampler.filter = (uint8_t)(i / 16 % 2);
        t->sampler.mode[0] = (uint8_t)(i / 32 % 5);
        t->sampler.mode[1] = (uint8_t)(i / 32 % 5 * 2 % 5);
        t->normalized_coordinates = i / 160 % 2;
        t->channels = channels[(i + i / 8) % 3];
        bind_and_run(&s);
        compare(&s, &t->sampler, dimensions, whole);
    }
    kernel_free(&s.k);
}

static void test_one_dimension(void **state)
{
    (void)state;
    check_all(UNIFIED("tex.1d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd3, {%f0}];\n"
                      "mov.b32 %r4, %f4; mov.b32 %r5, %f5; mov.b32 %r6, %f6; mov.b32 %r7, %f7;\n"),
              1, false);
    check_all(UNIFIED("tex.1d.v4.s32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r2}];\n"), 1, true);
}

static void test_two_dimensions(void **state)
{
    (void)state;
    check_all(UNIFIED("tex.2d.v4.f32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}];\n"), 2, false);
    check_all(UNIFIED("tex.level.2d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}], %f0;\n"), 2,
              false);
    check_all(UNIFIED("tex.grad.2d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}], {%f0,%f1}, "
                      "{%f1,%f0};\n"),
              2, false);
    check_all(UNIFIED("tex.2d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r2,%r3}];\n"), 2, true);
    check_all(UNIFIED("tex.base.2d.v4.s32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r2,%r3,%r2,%r2}];\n"), 2,
              true);
}

// Returns one channel of the four texels around a point.
static uint32_t gathered(const struct setup *s, const struct point *point, int right, int down,
                         int c)
{
    const struct texture *t = &s->texels.texture;
    int modes[2];
    long double x = position(t, &t->sampler, 0, point->x, &modes[0]);
    long double y = position(t, &t->sampler, 1, point->y, &modes[1]);
    int column = fold(modes[0], (long long)floorl(x - 0.5L) + right, WIDTH, true);
    int row = fold(modes[1], (long long)floorl(y - 0.5L) + down, HEIGHT, true);
    double value = border_or_texel(&s->texels, &t->sampler, column, row, c);
    return gives_floats(t) ? (uint32_t)bits_of(format_named("f32"), value)
                           : (uint32_t)(int64_t)value;
}

static void check_gathers(const char *text, int c)
{
    struct setup s;
    begin(&s, text);
    struct texture *t = &s.texels.texture;
    for (uint32_t i = 0; i < 8 * 2 * 5 * 2 * 2; i++) {
        t->format = (uint8_t)(i % 8);
        t->normalized_float = i / 8 % 2;
        t->sampler.mode[0] = (uint8_t)(i / 16 % 5);
        t->sampler.mode[1] = (uint8_t)((i / 16 + 2) % 5);
        t->normalized_coordinates = i / 80 % 2;
        t->sampler.filter = (uint8_t)(i / 160); // makes no difference
        t->channels = 2;
        bind_and_run(&s);
        for (int p = 0; p < POINTS; p++) {
            uint32_t want[4] = {
                gathered(&s, &s.points[p], 0, 1, c), gathered(&s, &s.points[p], 1, 1, c),
                gathered(&s, &s.points[p], 1, 0, c), gathered(&s, &s.points[p], 0, 0, c)};
            if (memcmp(s.out[p], want, sizeof want))
                fail_msg("format %u modes %u %u (%a, %a): %08x %08x, not %08x %08x", t->format,
                         t->sampler.mode[0], t->sampler.mode[1], (double)s.points[p].x,
                         (double)s.points[p].y, s.out[p][0], s.out[p][1], want[0], want[1]);
        }
    }
    kernel_free(&s.k);
}

static void test_gathers(void **state)
{
    (void)state;
    check_gathers(UNIFIED("tld4.r.2d.v4.f32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}];\n"), 0);
    check_gathers(UNIFIED("tld4.g.2d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}];\n"), 1);
    check_gathers(UNIFIED("tld4.b.2d.v4.s32.f32 {%r4,%r5,%r6,%r7}|%p1, [%rd3, {%f0,%f1}];\n"), 2);
    check_gathers(UNIFIED("tld4.a.2d.v4.s32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}];\n"), 3);
}

// Only some lanes, only one result, and residency.
static void test_lanes(void **state)
{
    (void)state;
    struct setup s;
    begin(&s, UNIFIED("setp.lt.u32 %p0, %r0, 100; setp.ne.u32 %p1, %r0, %r0;\n"
                      "@%p0 tex.2d.v4.u32.s32 {%r4,_,%r6,_}|%p1, [%rd3, {%r2,%r3}];\n"
                      "selp.b32 %r7, 1, 0, %p1;\n"));
    bind_and_run(&s);
    for (int i = 0; i < POINTS; i++) {
        uint32_t want[4] = {77, 77, 77, 0};
        for (int c = 0; c < 4 && i < 100; c += 2)
            want[c] = expected(&s.texels, &s.texels.texture.sampler, 2, &s.points[i], true, c);
        want[3] = i < 100;
        assert_memory_equal(s.out[i], want, sizeof want);
    }
    kernel_free(&s.k);
}

static void test_halves(void **state)
{
    (void)state;
    struct setup s;
    begin(&s, UNIFIED("tex.2d.v4.f16.s32 {%h0,%h1,%h2,%h3}, [%rd3, {%r2,%r3}];\n"
                      "mov.b32 %r4, {%h0,%h1}; mov.b32 %r5, {%h2,%h3};\n"
                      "tex.2d.v2.f16x2.s32 {%r6,%r7}, [%rd3, {%r2,%r3}];\n"));
    bind_and_run(&s);
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < 4; c++) {
            uint32_t bits =
                expected(&s.texels, &s.texels.texture.sampler, 2, &s.points[i], true, c);
            uint64_t want = bits_of(format_named("f16"), value_of(format_named("f32"), bits));
            assert_int_equal(s.out[i][c / 2] >> 16 * (c & 1) & 0xffff, want);
            assert_int_equal(s.out[i][2 + c / 2] >> 16 * (c & 1) & 0xffff, want);
        }
    kernel_free(&s.k);
}

// Variables of the module, and a parameter of the kernel.

static uint64_t address_of(const struct kernel *k, const char *name)
{
    for (uint32_t i = 0; i < k->image.list.n; i++)
        if (!strcmp(k->image.list.v[i].name, name))
            return k->image.list.v[i].address;
    fail_msg("no variable %s", name);
    return 0;
}

static void test_variables(void **state)
{
    (void)state;
    struct setup s;
    begin(&s, KERNEL(".version 8.6\n.target sm_90",
                     ".global .texref v;\n"
                     ".entry k(.param .u64 in, .param .u64 out, .param .texref t)\n",
                     "mov.u64 %rd4, v; tex.1d.v4.u32.s32 {%r4,_,_,_}, [v, {%r2}];\n"
                     "tex.1d.v4.u32.s32 {%r5,_,_,_}, [%rd4, {%r2}];\n"
                     "tex.1d.v4.u32.s32 {%r6,_,_,_}, [t, {%r2}];\n"));
    s.texels.texture.base.height = 0;
    struct texture other = s.texels.texture;
    other.base.address += PITCH; // the second row
    texture_bind(&s.textures, &s.k.arena, address_of(&s.k, "v"), &other);
    bind_and_run(&s);
    struct test_texels second = {other, s.texels.data + PITCH};
    for (int i = 0; i < POINTS; i++) {
        uint32_t want = expected(&second, &other.sampler, 1, &s.points[i], true, 0);
        assert_int_equal(s.out[i][0], want);
        assert_int_equal(s.out[i][1], want);
        assert_int_equal(s.out[i][2],
                         expected(&s.texels, &other.sampler, 1, &s.points[i], true, 0));
    }
    kernel_free(&s.k);
}

static void test_samplers(void **state)
{
    (void)state;
    struct setup s;
    begin(&s, KERNEL(".version 8.6\n.target sm_90, texmode_independent",
                     ".global .texref v;\n.global .samplerref one = { addr_mode_0 = mirror, "
                     "addr_mode_1 = clamp_to_border, filter_mode = linear };\n"
                     ".global .samplerref two;\n"
                     ".entry k(.param .u64 in, .param .u64 out, .param .texref t)\n",
                     "tex.2d.v4.u32.f32 {%r4,_,_,_}, [t, one, {%f0,%f1}];\n"
                     "tex.2d.v4.u32.f32 {%r5,_,_,_}, [t, two, {%f0,%f1}];\n"
                     "txq.filter_mode.b32 %r6, [one]; txq.addr_mode_1.b32 %r7, [two];\n"));
    struct sampler one = {.filter = TEXTURE_LINEAR,
                          .mode = {TEXTURE_MIRROR, TEXTURE_CLAMP_TO_BORDER}};
    struct sampler two = {.filter = TEXTURE_NEAREST,
                          .mode = {TEXTURE_CLAMP_TO_BORDER, TEXTURE_CLAMP_TO_EDGE},
                          .force_unnormalized = true,
                          .border = {0x42000000}};
    s.texels.texture.normalized_coordinates = true;
    sampler_bind(&s.textures, &s.k.arena, address_of(&s.k, "two"), &two);
    bind_and_run(&s);
    for (int i = 0; i < POINTS; i++) {
        assert_int_equal(s.out[i][0], expected(&s.texels, &one, 2, &s.points[i], false, 0));
        assert_int_equal(s.out[i][1], expected(&s.texels, &two, 2, &s.points[i], false, 0));
        assert_int_equal(s.out[i][2], TEXTURE_LINEAR);
        assert_int_equal(s.out[i][3], TEXTURE_CLAMP_TO_EDGE);
    }
    kernel_free(&s.k);
}

static void check_query(const char *text, const uint32_t *want)
{
    struct setup s;
    begin(&s, text);
    s.texels.texture.format = TEXTURE_U16;
    s.texels.texture.channels = 2;
    s.texels.texture.normalized_float = true;
    bind_and_run(&s);
    assert_memory_equal(s.out[POINTS - 1], want, 16);
    kernel_free(&s.k);
}

static void test_queries(void **state)
{
    (void)state;
    check_query(UNIFIED("txq.width.b32 %r4, [%rd3]; txq.height.b32 %r5, [%rd3];\n"
                        "txq.channel_data_type.b32 %r6, [%rd3];\n"
                        "txq.channel_order.b32 %r7, [%rd3];\n"),
                (const uint32_t[]){WIDTH, HEIGHT, 0x10d3, 0x10b2});
    check_query(
        UNIFIED("txq.level.width.b32 %r4, [%rd3], 0; txq.array_size.b32 %r5, [%rd3];\n"
                "txq.normalized_coords.b32 %r6, [%rd3]; txq.addr_mode_0.b32 %r7, [%rd3];\n"),
        (const uint32_t[]){WIDTH, 0, 0, TEXTURE_CLAMP_TO_EDGE});
}

static void check_fault(struct setup *s, const char *expects)
{
    kernel_run(&s->k, "k", 1, POINTS, 0);
    assert_true(s->k.result.fault.happened);
    if (!strstr(s->k.result.fault.text, expects))
        fail_msg("%s", s->k.result.fault.text);
    kernel_free(&s->k);
}

static void test_faults(void **state)
{
    (void)state;
    kernel_needs_order();
    static const char text[] = UNIFIED("tex.2d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r2,%r3}];\n");
    struct setup s;
    begin(&s, text);
    check_fault(&s, "no texture is bound to the handle 0x51");
    begin(&s, text);
    uint64_t wrong = s.texels.texture.base.address + 4; // the memory instead of the texture
    memcpy(s.k.params + 16, &wrong, sizeof wrong);
    kernel_run(&s.k, "k", 1, POINTS, 0);
    assert_string_equal(s.k.result.fault.nearest, "4 bytes into 'texels' (800 bytes)");
    check_fault(&s, "no texture is bound to the handle 0x");
    begin(&s, text);
    s.texels.texture.base.height = 100;
    texture_bind(&s.textures, &s.k.arena, HANDLE, &s.texels.texture);
    for (int i = 0; i < POINTS; i++)
        s.points[i].whole_y = i;
    check_fault(&s, "texel (0, 5) at global address 0x");
    begin(&s, text);
    s.texels.texture.base.height = 0;
    texture_bind(&s.textures, &s.k.arena, HANDLE, &s.texels.texture);
    check_fault(&s, "a fetch of .2d from a texture of .1d");
    begin(&s, UNIFIED("tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r2}];\n"));
    texture_bind(&s.textures, &s.k.arena, HANDLE, &s.texels.texture);
    check_fault(&s, "a fetch of .1d from a texture of .2d");
}

static void test_refusals(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k, UNIFIED("tex.2dms.v4.f32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r2,%r3,%r2,%r2}];\n"),
                NULL);
    const struct program_function *function = program_find(&k.program, "k");
    assert_non_null(function->refusal);
    assert_non_null(strstr(function->refusal, "several samples"));
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_dimension), cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_gathers),       cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_halves),        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_samplers),      cmocka_unit_test(test_queries),
        cmocka_unit_test(test_faults),        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
