// Decodes cvt between formats without a row of their own, cvt.pack, and cvta.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/lanes/convert.h"
#include <string.h>

struct named_format {
    uint16_t word;
    uint8_t elements, stride; // in bits
    struct format format;
};

// clang-format off
static const struct named_format formats[] = {
    {W_u8, 1, 8, {FORMAT_UNSIGNED, 8, 0, 0, 0, 0}},
    {W_u16, 1, 16, {FORMAT_UNSIGNED, 16, 0, 0, 0, 0}},
    {W_u32, 1, 32, {FORMAT_UNSIGNED, 32, 0, 0, 0, 0}},
    {W_u64, 1, 64, {FORMAT_UNSIGNED, 64, 0, 0, 0, 0}},
    {W_s8, 1, 8, {FORMAT_SIGNED, 8, 0, 0, 0, 0}},
    {W_s16, 1, 16, {FORMAT_SIGNED, 16, 0, 0, 0, 0}},
    {W_s32, 1, 32, {FORMAT_SIGNED, 32, 0, 0, 0, 0}},
    {W_s64, 1, 64, {FORMAT_SIGNED, 64, 0, 0, 0, 0}},
    {W_f16, 1, 16, {FORMAT_IEEE, 16, 5, 10, 0, 15}},
    {W_bf16, 1, 16, {FORMAT_IEEE, 16, 8, 7, 0, 127}},
    {W_f32, 1, 32, {FORMAT_IEEE, 32, 8, 23, 0, 127}},
    {W_f64, 1, 64, {FORMAT_IEEE, 64, 11, 52, 0, 1023}},
    {W_tf32, 1, 32, {FORMAT_IEEE, 19, 8, 10, 13, 127}},
    {W_f16x2, 2, 16, {FORMAT_IEEE, 16, 5, 10, 0, 15}},
    {W_bf16x2, 2, 16, {FORMAT_IEEE, 16, 8, 7, 0, 127}},
    {W_e4m3x2, 2, 8, {FORMAT_NAN, 8, 4, 3, 0, 7}},
    {W_e5m2x2, 2, 8, {FORMAT_IEEE, 8, 5, 2, 0, 15}},
    {W_e2m3x2, 2, 8, {FORMAT_FINITE, 6, 2, 3, 0, 1}},
    {W_e3m2x2, 2, 8, {FORMAT_FINITE, 6, 3, 2, 0, 3}},
    {W_e2m1x2, 2, 4, {FORMAT_FINITE, 4, 2, 1, 0, 1}},
    {W_e4m3x4, 4, 8, {FORMAT_NAN, 8, 4, 3, 0, 7}},
    {W_e5m2x4, 4, 8, {FORMAT_IEEE, 8, 5, 2, 0, 15}},
    {W_e2m3x4, 4, 8, {FORMAT_FINITE, 6, 2, 3, 0, 1}},
    {W_e3m2x4, 4, 8, {FORMAT_FINITE, 6, 3, 2, 0, 3}},
    {W_e2m1x4, 4, 4, {FORMAT_FINITE, 4, 2, 1, 0, 1}},
    {W_ue8m0x2, 2, 8, {FORMAT_POWER, 8, 0, 0, 0, 127}},
    {W_s2f6x2, 2, 8, {FORMAT_FIXED, 8, 0, 6, 0, 0}},
};
// clang-format on

// The random bits of .rs: their number per element, and the position for each element, the last
// element first. Pairs of eight-bit elements share 16 bits. Of four-bit elements, in the manual's
// order a, b, e, f, the first two use the upper bytes of both halves, the others the lower bytes.
static const struct random_bits {
    uint16_t word;
    uint8_t digits, shift[CONVERT_ELEMENTS];
} random_bits[] = {
    {W_f16x2, 13, {0, 16}},         {W_bf16x2, 16, {0, 16}},        {W_e4m3x4, 16, {0, 0, 16, 16}},
    {W_e5m2x4, 16, {0, 0, 16, 16}}, {W_e2m3x4, 16, {0, 0, 16, 16}}, {W_e3m2x4, 16, {0, 0, 16, 16}},
    {W_e2m1x4, 8, {0, 16, 8, 24}},
};

static const struct named_format *find_format(uint16_t word)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (formats[i].word == word)
            return &formats[i];
    return NULL;
}

static bool is_integer(const struct format *format)
{
    return format->kind == FORMAT_SIGNED || format->kind == FORMAT_UNSIGNED;
}

static bool rounds_to_integer(const struct decoder *d)
{
    return decode_has(d, W_rni) || decode_has(d, W_rzi) || decode_has(d, W_rmi) ||
           decode_has(d, W_rpi);
}

// Returns the result for a NaN: as an integer 0 or the highest bit, otherwise the format's NaN or
// its largest number.
static uint64_t nan_result(const struct named_format *from, const struct named_format *to)
{
    bool wide = from->word == W_f64 || to->format.bits == 64;
    if (is_integer(&to->format))
        return wide ? UINT64_C(1) << (to->format.bits - 1) : 0;
    if (to->format.kind == FORMAT_POWER)
        return UINT8_MAX;
    return number_nan(NULL, &to->format, false) << to->format.unused;
}

static void describe(const struct decoder *d, const struct code *code,
                     const struct named_format *from, const struct named_format *to,
                     struct convert *convert)
{
    bool flush = decode_has(d, W_ftz);
    *convert =
        (struct convert){.from = from->format,
                         .to = to->format,
                         .elements = to->elements,
                         .from_stride = from->stride,
                         .to_stride = to->stride,
                         .nan = nan_result(from, to),
                         .carry = to->word == W_f64 || (to->word == W_f32 && from->word == W_f64),
                         .separate = from->elements < to->elements,
                         .flush = flush && from->word == W_f32,
                         .clamp = decode_has(d, W_sat) && !is_integer(&to->format),
                         .relu = decode_has(d, W_relu),
                         .multiply = from->word == W_s2f6x2};
    convert->how.mode = code->round;
    convert->how.finite = decode_has(d, W_satfinite);
    convert->how.flush = flush && to->word == W_f32;
    convert->integral = !is_integer(&to->format) && rounds_to_integer(d);
    if (convert->clamp) {
        convert->carry = false;
        convert->nan = 0;
    }
}

// Packs {a, b, e, f} into one lane of 16 bytes, with a in the lowest bytes.
static uint32_t pack_sources(struct decoder *d, uint32_t count, uint32_t width, uint16_t type)
{
    uint32_t whole = decode_temp(d, count * width);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = decode_source(d, decode_operand(d, ROLE_USE, i), width, type);
        if (from == REG_SLOT_NONE)
            return REG_SLOT_NONE;
        decode_before(d, move_put(whole, count * width, from, width, count - 1 - i));
    }
    return whole;
}

static const char *add_source(struct decoder *d, struct code *code, uint32_t operand,
                              uint32_t width, uint16_t type)
{
    uint32_t slot = decode_source(d, decode_operand(d, ROLE_USE, operand), width, type);
    code->s[code->source_count++] = slot;
    return slot == REG_SLOT_NONE ? "this operand is not supported" : NULL;
}

static const char *decode_elements(struct decoder *d, struct code *code, struct convert *convert,
                                   const struct named_format *from, uint32_t *operands)
{
    uint32_t bytes = (from->elements * from->stride + 7u) / 8;
    *operands = convert->separate ? convert->elements : 1;
    convert->from_bytes = (uint8_t)bytes;
    if (*operands > 2) {
        convert->separate = false;
        convert->from_bytes = (uint8_t)(*operands * bytes);
        code->s[0] = pack_sources(d, *operands, bytes, from->word);
        code->source_count = 1;
        return code->s[0] == REG_SLOT_NONE ? "this operand is not supported" : NULL;
    }
    const char *error = NULL;
    for (uint32_t i = 0; i < *operands && !error; i++)
        error = add_source(d, code, i, bytes, from->word);
    return error;
}

static const char *decode_random(struct decoder *d, struct code *code, struct convert *convert,
                                 uint32_t operand, uint16_t to)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(random_bits); i++) {
        if (random_bits[i].word != to)
            continue;
        convert->how.random_digits = random_bits[i].digits;
        memcpy(convert->random_shift, random_bits[i].shift, sizeof convert->random_shift);
        convert->random = code->source_count;
        return add_source(d, code, operand, 4, W_b32);
    }
    return "this rounding is not supported";
}

static bool is_copy(const struct decoder *d, const struct convert *convert, uint16_t from,
                    uint16_t to)
{
    return from == to && (to == W_f32 || to == W_f64) && !convert->integral && !convert->clamp &&
           !decode_has(d, W_ftz);
}

const char *prepare_convert(struct decoder *d, struct code *code)
{
    const struct named_format *to = find_format(d->inst->type), *from = find_format(d->inst->type2);
    struct convert *convert = ARENA_NEW(d->program->arena, struct convert);
    uint32_t operands;
    if (!to || !from || (is_integer(&to->format) && is_integer(&from->format)) ||
        (from->elements > 1 && from->elements != to->elements))
        return "this conversion is not supported";
    describe(d, code, from, to, convert);
    const char *error = decode_elements(d, code, convert, from, &operands);
    if (!error && code->round == ROUND_STOCHASTIC)
        error = decode_random(d, code, convert, operands, to->word);
    if (!error && decode_has(d, W_scaled_n2_ue8m0)) {
        convert->scale = code->source_count;
        error = add_source(d, code, operands, 2, W_b16);
    }
    code->width = (uint8_t)divide_up(to->elements * to->stride, 8);
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), code->width, to->word);
    code->extra = convert;
    if (is_copy(d, convert, from->word, to->word))
        code->lanes = move_copy;
    return code->d == REG_SLOT_NONE ? "this destination is not supported" : error;
}

// Decodes cvt.pack, whose sources are 32-bit registers for all types in its name.
const char *prepare_convert_pack(struct decoder *d, struct code *code)
{
    uint32_t count = decode_operand(d, ROLE_USE, 2) ? 3 : 2;
    const char *error = NULL;
    for (uint32_t i = 0; i < count && !error; i++)
        error = add_source(d, code, i, 4, W_u32);
    code->width = 4;
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), 4, W_u32);
    return code->d == REG_SLOT_NONE ? "this destination is not supported" : error;
}
