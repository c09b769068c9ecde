// Logic, shifts and byte permutation.
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/decode/prepare.h"

// A shift by more than the width equals a shift by the width.
#define LOGIC(bits, U, S)                                                                          \
    LANES_2(and_##bits, U, U, U, a &b)                                                             \
    LANES_2(or_##bits, U, U, U, a | b)                                                             \
    LANES_2(xor_##bits, U, U, U, a ^ b)                                                            \
    LANES_1(not_##bits, U, U, ~a)                                                                  \
    LANES_1(cnot_##bits, U, U, a == 0)                                                             \
    LANES_2(shl_##bits, U, U, uint32_t, b >= bits ? 0 : a << (b & (bits - 1)))                     \
    LANES_2(shr_u##bits, U, U, uint32_t, b >= bits ? 0 : a >> (b & (bits - 1)))                    \
    LANES_2(shr_s##bits, S, S, uint32_t, a >> (b >= bits ? bits - 1 : b))
LOGIC(16, uint16_t, int16_t)
LOGIC(32, uint32_t, int32_t)
LOGIC(64, uint64_t, int64_t)

// Predicates: operates on the mask of all lanes.
#define MASKS(name, ...)                                                                           \
    static void name##_pred(const struct code *code, void *d, const void *const *s)                \
    {                                                                                              \
        uint32_t a = *(const uint32_t *)s[0], b = *(const uint32_t *)s[code->source_count - 1];    \
        (void)b;                                                                                   \
        *(uint32_t *)d = (__VA_ARGS__);                                                            \
    }
MASKS(and, a &b)
MASKS(or, a | b)
MASKS(xor, a ^ b)
MASKS(not, ~a)

// lop3: any function of three bits is a sum of products modulo 2. `value` has one bit for each of
// 1, c, b, bc, a, ac, ab, abc (see prepare_lop3).
static inline void lop3_terms(uint32_t value, uint32_t *term)
{
    for (int k = 0; k < 8; k++)
        term[k] = 0 - (value >> k & 1);
}

static void lop3(const struct code *code, void *dp, const void *const *sp)
{
    const uint32_t *a = sp[0], *b = sp[1], *c = sp[2];
    uint32_t *to = dp, k[8];
    lop3_terms((uint32_t)code->value, k);
    EACH_LANE
    {
        uint32_t without_a = k[0] ^ (k[1] & c[i]) ^ (b[i] & (k[2] ^ (k[3] & c[i])));
        uint32_t with_a = k[4] ^ (k[5] & c[i]) ^ (b[i] & (k[6] ^ (k[7] & c[i])));
        to[i] = without_a ^ (a[i] & with_a);
    }
}

static uint32_t lop3_not_zero(const struct code *code, void *dp, const void *const *sp)
{
    const uint32_t *result = dp;
    uint32_t mask = 0;
    lop3(code, dp, sp);
    EACH_LANE mask |= (uint32_t)(result[i] != 0) << i;
    return mask;
}

static void lop3_and(const struct code *code, void *dp, const void *const *sp)
{
    uint32_t mask = lop3_not_zero(code, dp, sp);
    ((union lanes *)dp)[1].mask = mask & *(const uint32_t *)sp[3];
}

static void lop3_or(const struct code *code, void *dp, const void *const *sp)
{
    uint32_t mask = lop3_not_zero(code, dp, sp);
    ((union lanes *)dp)[1].mask = mask | *(const uint32_t *)sp[3];
}

// Funnel shifts: a is the low half.
#define FUNNEL(name, n, by, at)                                                                    \
    LANES_3(name, uint32_t, uint32_t, uint32_t, uint32_t,                                          \
            (((uint64_t)b << 32 | a) by(uint64_t)(n)) >> at)
FUNNEL(shf_l_wrap, c & 31, <<, 32)
FUNNEL(shf_l_clamp, c > 32 ? 32 : c, <<, 32)
FUNNEL(shf_r_wrap, c & 31, >>, 0)
FUNNEL(shf_r_clamp, c > 32 ? 32 : c, >>, 0)

// Selects four of eight bytes by the digits of `control`. A digit with its top bit set selects the
// sign of the byte.
static inline uint32_t pick(uint64_t bytes, uint32_t digit)
{
    uint32_t byte = (uint32_t)(bytes >> (uint64_t)(8 * (digit & 7))) & 0xff;
    return digit & 8 ? (0 - (byte >> 7)) & 0xff : byte;
}

static inline uint32_t permute(uint32_t low, uint32_t high, uint32_t control)
{
    uint64_t bytes = (uint64_t)high << 32 | low;
    return pick(bytes, control) | pick(bytes, control >> 4) << 8 | pick(bytes, control >> 8) << 16 |
           pick(bytes, control >> 12) << 24;
}
LANES_3(prmt_each, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, c))

// Most permutations are constant, so that all lanes shift by the same amount.
static void pick_all(uint32_t *to, const void *const *sp, uint32_t digit, uint32_t place)
{
    const uint32_t *from = sp[digit >> 2 & 1];
    uint32_t shift = 8 * (digit & 3);
    if (digit & 8)
        EACH_LANE to[i] |= (0 - (from[i] >> (shift + 7) & 1)) & 0xffu << place;
    else
        EACH_LANE to[i] |= (from[i] >> shift & 0xff) << place;
}

static void prmt(const struct code *code, void *dp, const void *const *sp)
{
    if (code->s[2] >> REG_SLOT_SHIFT != BASE_PROGRAM) {
        prmt_each(code, dp, sp);
        return;
    }
    uint32_t control = *(const uint32_t *)sp[2], result[LANES] = {0};
    for (uint32_t k = 0; k < 4; k++)
        pick_all(result, sp, control >> 4 * k & 15, 8 * k);
    memcpy(dp, result, sizeof result);
}

// The control values of a mode for c = 0 … 3, 16 bits each.
#define MODE(name, controls)                                                                       \
    LANES_3(prmt_##name, uint32_t, uint32_t, uint32_t, uint32_t,                                   \
            permute(a, b, (uint32_t)(UINT64_C(controls) >> (uint64_t)(16 * (c & 3))) & 0xffff))
MODE(f4e, 0x6543543243213210)
MODE(b4e, 0x0123701267015670)
MODE(rc8, 0x3333222211110000)
MODE(ecl, 0x3333322232113210)
MODE(ecr, 0x3210221011100000)
MODE(rc16, 0x3232101032321010)

#define ROW(op, words, widths, fn) {OP_##op, words, widths, 0, .lanes = fn},
#define LOGIC_ROWS(op)                                                                             \
    ROW(op, "b16", "2=22", op##_16)                                                                \
    ROW(op, "b32", "4=44", op##_32)                                                                \
    ROW(op, "b64", "8=88", op##_64) ROW(op, "pred", "p=pp", op##_pred)

// clang-format off
const struct exec_row NAMED(rows_logic)[] = {
    LOGIC_ROWS(and) LOGIC_ROWS(or) LOGIC_ROWS(xor)
    ROW(not, "b16", "2=2", not_16) ROW(cnot, "b16", "2=2", cnot_16)
    ROW(not, "b32", "4=4", not_32) ROW(cnot, "b32", "4=4", cnot_32)
    ROW(not, "b64", "8=8", not_64) ROW(cnot, "b64", "8=8", cnot_64)
    ROW(not, "pred", "p=p", not_pred)
    {OP_lop3, "and b32", NULL, 0, .lanes = lop3_and, .prepare = prepare_lop3},
    {OP_lop3, "or b32", NULL, 0, .lanes = lop3_or, .prepare = prepare_lop3},
    {OP_lop3, "b32", NULL, 0, .lanes = lop3, .prepare = prepare_lop3},
    ROW(shl, "b16", "2=24", shl_16) ROW(shr, "b16", "2=24", shr_u16)
    ROW(shl, "b32", "4=44", shl_32) ROW(shr, "b32", "4=44", shr_u32)
    ROW(shl, "b64", "8=84", shl_64) ROW(shr, "b64", "8=84", shr_u64)
    ROW(shr, "u16", "2=24", shr_u16) ROW(shr, "s16", "2=24", shr_s16)
    ROW(shr, "u32", "4=44", shr_u32) ROW(shr, "s32", "4=44", shr_s32)
    ROW(shr, "u64", "8=84", shr_u64) ROW(shr, "s64", "8=84", shr_s64)
    ROW(shf, "l wrap b32", "4=444", shf_l_wrap) ROW(shf, "l clamp b32", "4=444", shf_l_clamp)
    ROW(shf, "r wrap b32", "4=444", shf_r_wrap) ROW(shf, "r clamp b32", "4=444", shf_r_clamp)
    ROW(prmt, "b32 f4e", "4=444", prmt_f4e) ROW(prmt, "b32 b4e", "4=444", prmt_b4e)
    ROW(prmt, "b32 rc8", "4=444", prmt_rc8) ROW(prmt, "b32 rc16", "4=444", prmt_rc16)
    ROW(prmt, "b32 ecl", "4=444", prmt_ecl) ROW(prmt, "b32 ecr", "4=444", prmt_ecr)
    ROW(prmt, "b32", "4=444", prmt)
    {0},
};
