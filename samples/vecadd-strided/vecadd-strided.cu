// VECADD-STRIDED: c = a + b as in ../vecadd, but b and c are read and written at an offset.
//
// Shows pattern 1: ld a, ld b, add, st c.  [000 §4.1, Table 3]
//
// Strided: the three operands of a thread live in different LLC partitions. A partition holds
// 32 elements (128 bytes) before the next one of 8 takes over; with b_shift = 32 and c_shift = 64
// the thread meets three neighbouring partitions. Shifts are in elements: b has n + b_shift of
// them, c has n + c_shift, and the elements in front of the shift are left alone.

extern "C" __global__ void vecadd_strided(const float *a, const float *b, float *c, int n,
                                          int b_shift, int c_shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i + c_shift] = a[i] + b[i + b_shift];
}
