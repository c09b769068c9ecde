// Integer arithmetic.
#include "runtime-sim/exec/lanes.h"

LANES_2(add_16, uint16_t, uint16_t, uint16_t, a + b)
LANES_2(add_32, uint32_t, uint32_t, uint32_t, a + b)
LANES_2(add_64, uint64_t, uint64_t, uint64_t, a + b)
LANES_2(sub_16, uint16_t, uint16_t, uint16_t, a - b)
LANES_2(sub_32, uint32_t, uint32_t, uint32_t, a - b)
LANES_2(sub_64, uint64_t, uint64_t, uint64_t, a - b)
LANES_2(mul_lo_16, uint16_t, uint16_t, uint16_t, (uint32_t)a *b)
LANES_2(mul_lo_32, uint32_t, uint32_t, uint32_t, a *b)
LANES_2(mul_lo_64, uint64_t, uint64_t, uint64_t, a *b)
LANES_2(mul_wide_u16, uint32_t, uint16_t, uint16_t, (uint32_t)a *b)
LANES_2(mul_wide_s16, int32_t, int16_t, int16_t, (int32_t)a *b)
LANES_2(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
LANES_2(mul_wide_s32, int64_t, int32_t, int32_t, (int64_t)a *b)
LANES_3(mad_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, a *b + c)
LANES_3(mad_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, a *b + c)
LANES_3(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
LANES_3(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)
LANES_2(shl_32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a << (b & 31))
LANES_2(shl_64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a << (b & 63))
LANES_2(shr_u32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a >> (b & 31))
LANES_2(shr_s32, int32_t, int32_t, uint32_t, a >> (b > 31 ? 31 : b))
LANES_2(shr_u64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a >> (b & 63))
LANES_2(and_32, uint32_t, uint32_t, uint32_t, a &b)
LANES_2(or_32, uint32_t, uint32_t, uint32_t, a | b)
LANES_2(xor_32, uint32_t, uint32_t, uint32_t, a ^ b)
LANES_2(and_64, uint64_t, uint64_t, uint64_t, a &b)
LANES_2(or_64, uint64_t, uint64_t, uint64_t, a | b)
LANES_2(xor_64, uint64_t, uint64_t, uint64_t, a ^ b)

const struct exec_row NAMED(rows_integer)[] = {
    {OP_add, "u16", "2=22", 0, .lanes = add_16},
    {OP_add, "s16", "2=22", 0, .lanes = add_16},
    {OP_add, "u32", "4=44", 0, .lanes = add_32},
    {OP_add, "s32", "4=44", 0, .lanes = add_32},
    {OP_add, "u64", "8=88", 0, .lanes = add_64},
    {OP_add, "s64", "8=88", 0, .lanes = add_64},
    {OP_sub, "u16", "2=22", 0, .lanes = sub_16},
    {OP_sub, "s16", "2=22", 0, .lanes = sub_16},
    {OP_sub, "u32", "4=44", 0, .lanes = sub_32},
    {OP_sub, "s32", "4=44", 0, .lanes = sub_32},
    {OP_sub, "u64", "8=88", 0, .lanes = sub_64},
    {OP_sub, "s64", "8=88", 0, .lanes = sub_64},
    {OP_mul, "lo u16", "2=22", 0, .lanes = mul_lo_16},
    {OP_mul, "lo s16", "2=22", 0, .lanes = mul_lo_16},
    {OP_mul, "lo u32", "4=44", 0, .lanes = mul_lo_32},
    {OP_mul, "lo s32", "4=44", 0, .lanes = mul_lo_32},
    {OP_mul, "lo u64", "8=88", 0, .lanes = mul_lo_64},
    {OP_mul, "lo s64", "8=88", 0, .lanes = mul_lo_64},
    {OP_mul, "wide u16", "4=22", 0, .lanes = mul_wide_u16},
    {OP_mul, "wide s16", "4=22", 0, .lanes = mul_wide_s16},
    {OP_mul, "wide u32", "8=44", 0, .lanes = mul_wide_u32},
    {OP_mul, "wide s32", "8=44", 0, .lanes = mul_wide_s32},
    {OP_mad, "lo u32", "4=444", 0, .lanes = mad_lo_32},
    {OP_mad, "lo s32", "4=444", 0, .lanes = mad_lo_32},
    {OP_mad, "lo u64", "8=888", 0, .lanes = mad_lo_64},
    {OP_mad, "lo s64", "8=888", 0, .lanes = mad_lo_64},
    {OP_mad, "wide u32", "8=448", 0, .lanes = mad_wide_u32},
    {OP_mad, "wide s32", "8=448", 0, .lanes = mad_wide_s32},
    {OP_shl, "b32", "4=44", 0, .lanes = shl_32},
    {OP_shl, "b64", "8=84", 0, .lanes = shl_64},
    {OP_shr, "b32", "4=44", 0, .lanes = shr_u32},
    {OP_shr, "u32", "4=44", 0, .lanes = shr_u32},
    {OP_shr, "s32", "4=44", 0, .lanes = shr_s32},
    {OP_shr, "u64", "8=84", 0, .lanes = shr_u64},
    {OP_and, "b32", "4=44", 0, .lanes = and_32},
    {OP_or, "b32", "4=44", 0, .lanes = or_32},
    {OP_xor, "b32", "4=44", 0, .lanes = xor_32},
    {OP_and, "b64", "8=88", 0, .lanes = and_64},
    {OP_or, "b64", "8=88", 0, .lanes = or_64},
    {OP_xor, "b64", "8=88", 0, .lanes = xor_64},
    {0},
};
