// Packed conversions: pairs of halves, formats of eight, six and four bits, scales, fixed point,
// random roundings, cvt.pack.
#include "tests/unit/runtime-sim/convert.h"

// An instruction on packed elements.
struct packing {
    const char *to, *from; // in the instruction's name
    uint32_t elements, to_stride, from_stride;
    bool separate; // a source for each element, the highest first
};

static struct conversion now;
static struct packing layout;
static uint32_t source_mask;

// The random bits of four elements are derived from the sources, which are too few.
#define RANDOM_FACTOR UINT32_C(0x9e3779b1)

static uint32_t random_of_pair(uint32_t random, uint32_t place)
{
    if (is_type(now.to, "f16"))
        return (place ? random >> 16 : random) & 0x1fff;
    return place ? random >> 16 : random & 0xffff;
}

static uint32_t random_of_four(uint32_t random, uint32_t place)
{
    static const uint32_t byte_of[] = {0, 2, 1, 3}; // f e b a
    if (is_type(now.to, "e2m1"))
        return random >> 8 * byte_of[place] & 0xff;
    return place >= 2 ? random >> 16 : random & 0xffff;
}

static void reference(const uint64_t *in, uint64_t *out)
{
    uint32_t count = layout.elements;
    out[0] = 0;
    for (uint32_t place = 0; place < count; place++) {
        uint64_t bits = layout.separate ? in[count - 1 - place] & source_mask
                                        : (in[0] & source_mask) >> place * layout.from_stride;
        if (now.mode == 's')
            now.random =
                count == 2
                    ? random_of_pair((uint32_t)in[2], place)
                    : random_of_four((uint32_t)in[0] * RANDOM_FACTOR + (uint32_t)(in[1] ^ in[2]),
                                     place);
        uint64_t code = cut_to(converted(&now, bits), now.to->bits);
        out[0] |= code << place * layout.to_stride;
    }
}

static void put_name(char *name, size_t size, const char *type, uint32_t elements)
{
    snprintf(name, size, "%s", type);
    if (elements > 1)
        snprintf(name, size, "%sx%u", type, elements);
}

// Four-bit pairs are in registers of eight bits, from which nothing else is read.
static void run(const char *modifiers, const char *source)
{
    char to[16], from[16], text[300], types_text[48], mask[80] = "";
    uint32_t bits = layout.elements * layout.to_stride;
    bool to_byte = bits == 8, from_byte = layout.elements * layout.from_stride == 8;
    put_name(to, sizeof to, layout.to, layout.elements);
    put_name(from, sizeof from, layout.from, layout.separate ? 1 : layout.elements);
    if (source_mask != UINT32_MAX && layout.separate)
        snprintf(mask, sizeof mask, "and.b32 %%a, %%a, 0x%x; and.b32 %%b, %%b, 0x%x;", source_mask,
                 source_mask);
    else if (source_mask != UINT32_MAX)
        snprintf(mask, sizeof mask, "and.b32 %%a, %%a, 0x%x;", source_mask);
    snprintf(text, sizeof text, "{ .reg .b8 %%q;\n%s%s cvt%s.%s.%s %s, %s;%s }", mask,
             from_byte ? "cvt.u8.u16 %q, %a;" : "", modifiers, to, from, to_byte ? "%q" : "%d",
             from_byte ? "%q" : source, to_byte ? " cvt.u16.u8 %d, %q;" : "");
    snprintf(types_text, sizeof types_text, "b%u=%s", bits < 16 ? 16 : bits,
             layout.separate ? "f32,f32,b32" : "");
    if (!layout.separate && layout.from_stride == 16)
        snprintf(types_text, sizeof types_text, "b%u=%sx2", bits < 16 ? 16 : bits, layout.from);
    else if (!layout.separate)
        snprintf(types_text, sizeof types_text, "b%u=b16", bits);
    struct conform_case test = {text, types_text, reference, .version = "9.1", .target = "sm_100a"};
    conform(&test, 1);
}

// Runs with and without .relu and .satfinite, with many sources halfway between two results.
static void run_all(const char *rounding, bool must_be_finite, bool may_be_finite,
                    const uint32_t *masks, const char *source)
{
    for (uint32_t set = 0; set < 4; set++) {
        char modifiers[48];
        now = (struct conversion){.to = type_named(layout.to),
                                  .from = type_named(layout.from),
                                  .mode = rounding[2],
                                  .relu = set & 1,
                                  .finite = set & 2};
        if ((now.finite && !may_be_finite) || (!now.finite && must_be_finite))
            continue;
        snprintf(modifiers, sizeof modifiers, "%s%s%s", rounding, now.finite ? ".satfinite" : "",
                 now.relu ? ".relu" : "");
        for (uint32_t i = 0; masks[i]; i++) {
            source_mask = masks[i];
            run(modifiers, source);
        }
    }
}

static const uint32_t masks_none[] = {UINT32_MAX, 0};
static const uint32_t masks_f32[] = {UINT32_MAX, 0xfff80000, 0xffe00000, 0};
static const uint32_t masks_f16[] = {UINT32_MAX, 0xffe0ffe0, 0xff80ff80, 0};
static const uint32_t masks_bf16[] = {UINT32_MAX, 0xfffcfffc, 0xfff0fff0, 0};
static const uint32_t masks_pair[] = {UINT32_MAX, 0xfffff000, 0xffff8000, 0};

static void test_pairs_of_halves(void **state)
{
    (void)state;
    layout = (struct packing){"f16", "f32", 2, 16, 0, true};
    run_all(".rn", false, true, masks_pair, "%a, %b");
    run_all(".rz", false, true, masks_pair, "%a, %b");
    layout.to = "bf16";
    run_all(".rn", false, true, masks_pair, "%a, %b");
    run_all(".rz", false, true, masks_pair, "%a, %b");
}

static const char *const small[] = {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"};

static uint32_t stride_of(const char *type)
{
    return strcmp(type, "e2m1") ? 8 : 4;
}

static void test_to_small(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(small); i++) {
        uint32_t stride = stride_of(small[i]);
        layout = (struct packing){small[i], "f32", 2, stride, 0, true};
        run_all(".rn", true, true, masks_f32, "%a, %b");
        layout = (struct packing){small[i], "f16", 2, stride, 16, false};
        run_all(".rn", true, true, masks_f16, "%a");
        layout = (struct packing){small[i], "bf16", 2, stride, 16, false};
        run_all(".rn", true, true, masks_bf16, "%a");
    }
}

static void test_from_small(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(small); i++) {
        layout = (struct packing){"f16", small[i], 2, 16, stride_of(small[i]), false};
        run_all(".rn", false, false, masks_none, "%a");
    }
}

static void run_random(uint32_t digits, bool must_be_finite, const char *before,
                       const char *operands, const char *types_text)
{
    for (uint32_t set = 0; set < 4; set++) {
        char text[300];
        now = (struct conversion){.to = type_named(layout.to),
                                  .from = type_named(layout.from),
                                  .mode = 's',
                                  .relu = set & 1,
                                  .finite = set & 2,
                                  .random_digits = digits};
        if (must_be_finite && !now.finite)
            continue;
        snprintf(text, sizeof text, "%s cvt.rs%s%s.%sx%u.f32 %%d, %s;", before,
                 now.relu ? ".relu" : "", now.finite ? ".satfinite" : "", layout.to,
                 layout.elements, operands);
        struct conform_case test = {text, types_text, reference, .version = "9.1",
                                    .target = "sm_100a"};
        conform(&test, 1);
    }
}

static void test_random(void **state)
{
    (void)state;
    source_mask = UINT32_MAX;
    layout = (struct packing){"f16", "f32", 2, 16, 0, true};
    run_random(13, false, "", "%a, %b, %c", "b32=f32,f32,b32");
    layout.to = "bf16";
    run_random(16, false, "", "%a, %b, %c", "b32=f32,f32,b32");
    for (uint32_t i = 0; i < COUNT(small); i++) {
        bool four = !strcmp(small[i], "e2m1");
        layout = (struct packing){small[i], "f32", 4, stride_of(small[i]), 0, true};
        run_random(four ? 8 : 16, true,
                   "xor.b32 %t3, %b, %c; mad.lo.u32 %t3, %a, 0x9e3779b1, %t3;\n",
                   "{%a, %b, %c, %g}, %t3", four ? "b16=f32,f32,f32,f32" : "b32=f32,f32,f32,f32");
    }
}

// Scales: the power of two at or below, or at or above a magnitude.

static char scale_mode;
static bool scale_finite;

static uint64_t scale_of(const char *type, uint64_t bits)
{
    long double magnitude = fabsl(read_value(type_named(type), bits));
    uint32_t code = 0;
    if (isnan(magnitude))
        return 255;
    if (scale_mode == 'z')
        while (code < 255 && ldexpl(1, (int)code + 1 - 127) <= magnitude)
            code++;
    else
        while (code < 255 && ldexpl(1, (int)code - 127) < magnitude)
            code++;
    return code == 255 && scale_finite ? 254 : code;
}

static void scale_f32(const uint64_t *in, uint64_t *out)
{
    out[0] = scale_of("f32", in[0]) << 8 | scale_of("f32", in[1]);
}

static void scale_bf16(const uint64_t *in, uint64_t *out)
{
    out[0] = scale_of("bf16", in[0] >> 16) << 8 | scale_of("bf16", in[0]);
}

static uint64_t bf16_of_scale(uint64_t scale)
{
    return scale == 255 ? 0x7fff : scale ? scale << 7 : 0x40;
}

static void scale_to_bf16(const uint64_t *in, uint64_t *out)
{
    out[0] = bf16_of_scale(in[0] >> 8) << 16 | bf16_of_scale(in[0] & 0xff);
}

static void test_scales(void **state)
{
    (void)state;
    for (uint32_t set = 0; set < 4; set++) {
        char text[2][80];
        scale_mode = set & 1 ? 'p' : 'z';
        scale_finite = set & 2;
        snprintf(text[0], sizeof *text, "cvt.r%c%s.ue8m0x2.f32 %%d, %%a, %%b;", scale_mode,
                 scale_finite ? ".satfinite" : "");
        snprintf(text[1], sizeof *text, "cvt.r%c%s.ue8m0x2.bf16x2 %%d, %%a;", scale_mode,
                 scale_finite ? ".satfinite" : "");
        const struct conform_case cases[] = {
            {text[0], "b16=f32,f32", scale_f32, .version = "9.1", .target = "sm_100a"},
            {text[1], "b16=bf16x2", scale_bf16, .version = "9.1", .target = "sm_100a"},
        };
        conform(cases, COUNT(cases));
    }
    const struct conform_case back = {"cvt.rn.bf16x2.ue8m0x2 %d, %a;", "b32=b16", scale_to_bf16,
                                      .version = "9.1", .target = "sm_100a"};
    conform(&back, 1);
}

// Fixed point, multiplied or divided by scales

static bool fixed_relu, fixed_scaled;

static long double scale_value(uint64_t scales, uint32_t place)
{
    uint32_t scale = fixed_scaled ? scales >> 8 * place & 0xff : 127;
    return scale == 255 ? (long double)NAN : ldexpl(1, (int)scale - 127);
}

static uint64_t fixed_of(const char *type, uint64_t bits, long double scale)
{
    long double value = read_value(type_named(type), bits) / scale * 64;
    if (isnan(value))
        return 0x7f;
    if (fixed_relu && signbit(value))
        return 0;
    value = value > 127 ? 127 : value < -128 ? -128 : value;
    long double low = floorl(value), rest = value - low;
    bool up = rest > 0.5L || (rest == 0.5L && fmodl(low, 2) != 0);
    return (uint64_t)(int64_t)(low + up) & 0xff;
}

static void fixed_f32(const uint64_t *in, uint64_t *out)
{
    out[0] = fixed_of("f32", in[0], scale_value(in[2], 1)) << 8 |
             fixed_of("f32", in[1], scale_value(in[2], 0));
}

static void fixed_bf16(const uint64_t *in, uint64_t *out)
{
    out[0] = fixed_of("bf16", in[0] >> 16, scale_value(in[1], 1)) << 8 |
             fixed_of("bf16", in[0], scale_value(in[1], 0));
}

static void fixed_to_bf16(const uint64_t *in, uint64_t *out)
{
    out[0] = 0;
    for (uint32_t place = 0; place < 2; place++) {
        int8_t units = (int8_t)(in[0] >> 8 * place);
        long double value = (long double)units / 64 * scale_value(in[1], place);
        struct conversion c = {
            .to = type_named("bf16"), .from = type_named("f32"), .mode = 'n', .relu = fixed_relu};
        out[0] |= write_float(&c, value, 0) << 16 * place;
    }
}

static void test_fixed_point(void **state)
{
    (void)state;
    for (uint32_t set = 0; set < 4; set++) {
        char text[3][120];
        fixed_relu = set & 1;
        fixed_scaled = set & 2;
        const char *relu = fixed_relu ? ".relu" : "";
        const char *scaled = fixed_scaled ? ".scaled::n2::ue8m0" : "";
        snprintf(text[0], sizeof *text, "cvt.rn.satfinite%s%s.s2f6x2.f32 %%d, %%a, %%b%s;", relu,
                 scaled, fixed_scaled ? ", %c" : "");
        snprintf(text[1], sizeof *text, "cvt.rn.satfinite%s%s.s2f6x2.bf16x2 %%d, %%a%s;", relu,
                 scaled, fixed_scaled ? ", %b" : "");
        snprintf(text[2], sizeof *text, "cvt.rn%s%s.bf16x2.s2f6x2 %%d, %%a%s;", relu, scaled,
                 fixed_scaled ? ", %b" : "");
        const struct conform_case cases[] = {
            {text[0], "b16=f32,f32,b16", fixed_f32, .version = "9.1", .target = "sm_100a"},
            {text[1], "b16=bf16x2,b16", fixed_bf16, .version = "9.1", .target = "sm_100a"},
            {text[2], "b32=b16,b16", fixed_to_bf16, .version = "9.1", .target = "sm_100a"},
        };
        conform(cases, COUNT(cases));
    }
}

// cvt.pack, bit by bit as in the manual

static uint32_t pack_bits;
static bool pack_signed;

static int32_t limited(uint64_t bits)
{
    int64_t value = (int32_t)bits;
    int64_t min = pack_signed ? -(INT64_C(1) << (pack_bits - 1)) : 0;
    int64_t max = (INT64_C(1) << (pack_bits - pack_signed)) - 1;
    return (int32_t)(value < min ? min : value > max ? max : value);
}

static void pack(const uint64_t *in, uint64_t *out)
{
    int32_t a = limited(in[0]), b = limited(in[1]);
    out[0] = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t bit = i < pack_bits       ? (uint64_t)(b >> i)
                       : i < 2 * pack_bits ? (uint64_t)(a >> (i - pack_bits))
                                           : in[2] >> (i - 2 * pack_bits);
        out[0] |= (bit & 1) << i;
    }
}

static void test_pack(void **state)
{
    (void)state;
    for (pack_bits = 2; pack_bits <= 16; pack_bits *= 2)
        for (uint32_t sign = 0; sign < 2; sign++) {
            char text[80];
            pack_signed = sign;
            snprintf(text, sizeof text, "cvt.pack.sat.%c%u.s32%s %%d, %%a, %%b%s;",
                     sign ? 's' : 'u', pack_bits, pack_bits < 16 ? ".b32" : "",
                     pack_bits < 16 ? ", %c" : "");
            const struct conform_case cases[] = {
                {text, "u32=s32,s32,b32", pack},
                {text, "u64=b64,b64,b64", pack},
            };
            conform(cases, COUNT(cases));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_of_halves),
        cmocka_unit_test(test_to_small),
        cmocka_unit_test(test_from_small),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_fixed_point),
        cmocka_unit_test(test_pack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
