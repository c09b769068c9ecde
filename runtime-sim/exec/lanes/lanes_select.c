// Selects one of two values, by a predicate or by a sign.
#include "runtime-sim/exec/lanes/lanes.h"

#define SELECT(bits, T)                                                                            \
    static void selp_##bits(const struct code *code, void *dp, const void *const *sp)              \
    {                                                                                              \
        (void)code;                                                                                \
        const T *a = sp[0], *b = sp[1];                                                            \
        T *to = dp;                                                                                \
        uint32_t mask = *(const uint32_t *)sp[2];                                                  \
        EACH_LANE to[i] = mask >> i & 1 ? a[i] : b[i];                                             \
    }                                                                                              \
    LANES_3(slct_##bits##_s32, T, T, T, int32_t, c >= 0 ? a : b)                                   \
    LANES_3(slct_##bits##_f32, T, T, T, float, c >= 0 ? a : b)                                     \
    LANES_3(slct_##bits##_ftz, T, T, T, uint32_t, at_least_zero(c) ? a : b)

// Subnormal numbers count as zeros, and zeros are not negative.
static inline bool at_least_zero(uint32_t bits)
{
    uint32_t magnitude = bits & 0x7fffffff;
    return magnitude < 0x00800000 || (bits >> 31 == 0 && magnitude <= 0x7f800000);
}
SELECT(16, uint16_t)
SELECT(32, uint32_t)
SELECT(64, uint64_t)

#define ROWS(type, w, bits)                                                                        \
    {OP_selp, #type, w "=" w w "p", 0, .lanes = selp_##bits},                                      \
        {OP_slct, #type " s32", w "=" w w "4", 0, .lanes = slct_##bits##_s32},                     \
        {OP_slct, #type " f32", w "=" w w "4", 0, .lanes = slct_##bits##_f32},                     \
        {OP_slct, "ftz " #type " f32", w "=" w w "4", 0, .lanes = slct_##bits##_ftz},

// clang-format off
const struct exec_row NAMED(rows_select)[] = {
    ROWS(b16, "2", 16) ROWS(u16, "2", 16) ROWS(s16, "2", 16)
    ROWS(b32, "4", 32) ROWS(u32, "4", 32) ROWS(s32, "4", 32) ROWS(f32, "4", 32)
    ROWS(b64, "8", 64) ROWS(u64, "8", 64) ROWS(s64, "8", 64) ROWS(f64, "8", 64)
    {0},
};
