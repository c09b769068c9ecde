// f32 and f64. An f32 result that is not a number is the one NaN that PTX gives, 0x7fffffff.
#include "runtime-sim/exec/lanes.h"
#include <math.h>

static inline float canonical(float value)
{
    union {
        uint32_t bits;
        float value;
    } nan = {0x7fffffff};
    return value == value ? value : nan.value;
}

LANES_2(add_f32, float, float, float, canonical(a + b))
LANES_2(sub_f32, float, float, float, canonical(a - b))
LANES_2(mul_f32, float, float, float, canonical(a *b))
LANES_3(fma_f32, float, float, float, float, canonical(__builtin_fmaf(a, b, c)))
LANES_2(add_f64, double, double, double, a + b)
LANES_2(sub_f64, double, double, double, a - b)
LANES_2(mul_f64, double, double, double, a *b)
LANES_3(fma_f64, double, double, double, double, __builtin_fma(a, b, c))

const struct exec_row NAMED(rows_float)[] = {
    {OP_add, "f32", "4=44", 0, .lanes = add_f32},
    {OP_sub, "f32", "4=44", 0, .lanes = sub_f32},
    {OP_mul, "f32", "4=44", 0, .lanes = mul_f32},
    {OP_fma, "f32", "4=444", 0, .lanes = fma_f32},
    {OP_mad, "f32", "4=444", 0, .lanes = fma_f32},
    {OP_add, "f64", "8=88", 0, .lanes = add_f64},
    {OP_sub, "f64", "8=88", 0, .lanes = sub_f64},
    {OP_mul, "f64", "8=88", 0, .lanes = mul_f64},
    {OP_fma, "f64", "8=888", 0, .lanes = fma_f64},
    {OP_mad, "f64", "8=888", 0, .lanes = fma_f64},
    {0},
};
