// Video instructions, scalar and SIMD. All sources and intermediate results are 64-bit numbers,
// which suffice for all results of 32-bit parts; only vmad can need more.
//
// The results are those of the manual. Targets without video instructions run a replacement that
// ptxas generates, which differs: without .sat it truncates a sum or difference to 32 bits, signed,
// before .min and .max, and it treats the third source of an unsigned vmad as signed.
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/lanes/video.h"
#include "runtime-sim/exec/decode/prepare.h"
__extension__ typedef __int128 wide_signed;

static void select_part(int64_t *to, struct video_part part, const void *const *sp)
{
    const uint32_t *low = sp[0], *high = sp[1];
    uint64_t at = part.at, mask = (UINT64_C(1) << part.bits) - 1;
    uint64_t sign = part.sign ? UINT64_C(1) << (part.bits - 1) : 0;
    EACH_LANE
    {
        uint64_t both = (uint64_t)high[i] << 32 | low[i];
        to[i] = (int64_t)(((both >> at & mask) ^ sign) - sign);
    }
}

static void saturate(int64_t *value, const struct video *v)
{
    int64_t top = (INT64_C(1) << (v->to_bits - v->sign)) - 1, bottom = v->sign ? -top - 1 : 0;
    EACH_LANE
    {
        int64_t least = value[i] > top ? top : value[i];
        value[i] = least < bottom ? bottom : least;
    }
}

static void put_field(uint32_t *result, const int64_t *value, const struct video *v, uint32_t n)
{
    uint32_t at = v->to[n], mask = (uint32_t)(((UINT64_C(1) << v->to_bits) - 1) << at);
    EACH_LANE result[i] = (result[i] & ~mask) | ((uint32_t)value[i] << at & mask);
}

// Combines the result with the third source, which is in result[i] before.
#define COMBINE(...)                                                                               \
    EACH_LANE                                                                                      \
    {                                                                                              \
        int64_t a = value[i], c = (int64_t)(((uint64_t)result[i] ^ sign) - sign);                  \
        result[i] = (uint32_t)(__VA_ARGS__);                                                       \
    }
static void finish(uint32_t *result, int64_t *value, const struct video *v, uint32_t n)
{
    uint64_t sign = v->sign ? UINT64_C(0x80000000) : 0;
    if (v->saturate)
        saturate(value, v);
    switch (v->second) {
    case VIDEO_ADD: COMBINE(a + c); break;
    case VIDEO_MIN: COMBINE(a < c ? a : c); break;
    case VIDEO_MAX: COMBINE(a > c ? a : c); break;
    default: put_field(result, value, v, n);
    }
}

#define VIDEO(name, ...)                                                                           \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        const struct video *v = code->extra;                                                       \
        int64_t as[LANES], bs[LANES];                                                              \
        uint32_t result[LANES], count_mask = v->count_mask;                                        \
        (void)count_mask;                                                                          \
        memcpy(result, sp[2], sizeof result);                                                      \
        for (uint32_t n = 0; n < v->count; n++) {                                                  \
            select_part(as, v->a[n], sp);                                                          \
            select_part(bs, v->b[n], sp);                                                          \
            EACH_LANE                                                                              \
            {                                                                                      \
                int64_t a = as[i], b = bs[i];                                                      \
                as[i] = (__VA_ARGS__);                                                             \
            }                                                                                      \
            finish(result, as, v, n);                                                              \
        }                                                                                          \
        memcpy(dp, result, sizeof result);                                                         \
    }

static inline uint64_t shift_count(int64_t b, uint32_t count_mask)
{
    uint64_t count = (uint64_t)b & count_mask;
    return count > 32 ? 32 : count;
}

// A shift by 32 can exceed 64 bits. The true value is then too large or too small for every
// following comparison and its low half is zero; so is the value returned.
static inline int64_t shift_left(int64_t a, uint64_t count)
{
    int64_t limit = INT64_C(1) << 61;
    int64_t value = (int64_t)((uint64_t)a << (count > 31 ? 31 : count));
    int64_t held = value > limit ? limit : value < -limit ? -limit : value;
    return count > 31 ? held * 2 : value;
}

VIDEO(add, a + b)
VIDEO(sub, a - b)
VIDEO(absdiff, a < b ? b - a : a - b)
VIDEO(min, a < b ? a : b)
VIDEO(max, a > b ? a : b)
VIDEO(average, (a + b + (a + b >= 0)) >> 1)
VIDEO(shl, shift_left(a, shift_count(b, count_mask)))
VIDEO(shr, a >> shift_count(b, count_mask))
VIDEO(compare, a < b ? v->if_less : a == b ? v->if_equal : v->if_greater)

static void multiply(const struct code *code, void *dp, const void *const *sp)
{
    const struct video *v = code->extra;
    int64_t a[LANES], b[LANES];
    const uint32_t *c = sp[2];
    uint32_t *to = dp;
    uint64_t sign = v->sign ? UINT64_C(0x80000000) : 0;
    wide_signed top = v->sign ? INT32_MAX : UINT32_MAX, bottom = v->sign ? INT32_MIN : 0;
    select_part(a, v->a[0], sp);
    select_part(b, v->b[0], sp);
    for (int i = 0; i < LANES; i++) {
        wide_signed product = (wide_signed)a[i] * b[i];
        int64_t third = (int64_t)(((uint64_t)c[i] ^ sign) - sign);
        wide_signed value =
            (v->invert_product ? ~product : product) + (v->invert_c ? ~third : third) + v->plus;
        value >>= v->shift;
        if (v->saturate)
            value = value > top ? top : value < bottom ? bottom : value;
        to[i] = (uint32_t)value;
    }
}

#define ROW(op, fn) {OP_##op, NULL, NULL, 0, .lanes = fn, .prepare = prepare_video},
#define ROWS(op, fn) ROW(op, fn) ROW(op##2, fn) ROW(op##4, fn)

// clang-format off
const struct exec_row NAMED(rows_video)[] = {
    ROWS(vadd, add) ROWS(vsub, sub) ROWS(vabsdiff, absdiff) ROWS(vmin, min) ROWS(vmax, max)
    ROWS(vset, compare)
    ROW(vavrg2, average) ROW(vavrg4, average)
    ROW(vshl, shl) ROW(vshr, shr)
    {OP_vmad, NULL, NULL, 0, .lanes = multiply, .prepare = prepare_vmad},
    {0},
};
