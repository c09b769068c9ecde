// Conversions through exact numbers: every pair of formats, rounding mode and modifier. Conversions
// that compilers emit often have faster versions in lanes_convert*.c.
#include "runtime-sim/exec/lanes/convert.h"
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/decode/prepare.h"

static uint64_t element(const struct convert *convert, const void *const *s, int lane,
                        uint32_t place)
{
    uint64_t words[2] = {0, 0};
    uint32_t bytes = convert->from_bytes, from = place * convert->from_stride;
    const uint8_t *lanes = s[convert->separate ? convert->elements - 1 - place : 0];
    memcpy(words, lanes + (uint32_t)lane * bytes, bytes);
    if (convert->separate)
        from = 0;
    return low_bits(words[from / 64] >> from % 64, convert->from.bits);
}

// The two scales, powers of two, are adjacent. 0xff is a NaN.
static void apply_scale(const struct convert *convert, struct number *number, uint16_t scales,
                        uint32_t place)
{
    uint8_t scale = (uint8_t)(scales >> 8 * place);
    int32_t power = scale - 127;
    number->exponent += convert->multiply ? power : -power;
    if (scale == UINT8_MAX)
        *number = (struct number){.kind = NUMBER_NAN};
}

static void apply_limits(const struct convert *convert, struct number *number)
{
    if (number->negative && (convert->relu || convert->clamp))
        *number = (struct number){0};
    if (!convert->clamp)
        return;
    bool large = number->kind == NUMBER_INFINITE || (number->digits && number_top(number) >= 0);
    if (large)
        *number = (struct number){.digits = 1};
}

static uint64_t in_format(const struct convert *convert, const struct number *number,
                          const struct rounding *how)
{
    switch (convert->to.kind) {
    case FORMAT_SIGNED:
    case FORMAT_UNSIGNED:
    case FORMAT_FIXED: return number_in_integer(*number, &convert->to, how);
    case FORMAT_POWER: return number_in_power(number, &convert->to, how);
    default: return number_in_float(number, &convert->to, how) << convert->to.unused;
    }
}

static uint64_t convert_element(const struct convert *convert, const void *const *s, int lane,
                                uint32_t place)
{
    struct rounding how = convert->how;
    struct number number = number_of(element(convert, s, lane, place), &convert->from);
    if (convert->flush && number.kind == NUMBER_FINITE &&
        !(number.digits >> convert->from.fraction))
        number.digits = 0;
    if (convert->scale)
        apply_scale(convert, &number, ((const uint16_t *)s[convert->scale])[lane], place);
    if (number.kind == NUMBER_NAN)
        return convert->carry ? number_nan(&number, &convert->to, true) : convert->nan;
    if (convert->random)
        how.random = (uint32_t)low_bits(((const uint32_t *)s[convert->random])[lane] >>
                                            convert->random_shift[place],
                                        how.random_digits);
    apply_limits(convert, &number);
    if (convert->integral)
        number_to_integral(&number, &how);
    return in_format(convert, &number, &how);
}

static void convert_lanes(const struct code *code, void *d, const void *const *s)
{
    const struct convert *convert = code->extra;
    uint8_t *to = d;
    uint64_t results[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        results[lane] = 0;
        for (uint32_t place = 0; place < convert->elements; place++)
            results[lane] |= convert_element(convert, s, lane, place) << place * convert->to_stride;
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        memcpy(to + lane * code->width, &results[lane], code->width);
}

const struct exec_row NAMED(rows_number)[] = {
    {OP_cvt, NULL, NULL, 0, .lanes = convert_lanes, .prepare = prepare_convert},
    {0},
};
