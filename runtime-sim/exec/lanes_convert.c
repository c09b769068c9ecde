// Conversions and selection.
#include "runtime-sim/exec/lanes.h"

LANES_1(cvt_u64_u32, uint64_t, uint32_t, a)
LANES_1(cvt_s64_s32, int64_t, int32_t, a)
LANES_1(cvt_u32_u64, uint32_t, uint64_t, a)
LANES_1(cvt_f32_s32, float, int32_t, a)
LANES_1(same_32, uint32_t, uint32_t, a)
LANES_1(same_64, uint64_t, uint64_t, a)

const struct exec_row NAMED(rows_convert)[] = {
    {OP_cvt, "u64 u32", "8=4", 0, .lanes = cvt_u64_u32},
    {OP_cvt, "s64 s32", "8=4", 0, .lanes = cvt_s64_s32},
    {OP_cvt, "u32 u64", "4=8", 0, .lanes = cvt_u32_u64},
    {OP_cvt, "rn f32 s32", "4=4", 0, .lanes = cvt_f32_s32},
    {OP_cvta, "to global u64", "8=8", 0, .lanes = same_64},
    {OP_cvta, "global u64", "8=8", 0, .lanes = same_64},
    {OP_cvta, "to global u32", "4=4", 0, .lanes = same_32},
    {OP_cvta, "global u32", "4=4", 0, .lanes = same_32},
    {0},
};
