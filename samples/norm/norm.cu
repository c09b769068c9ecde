// NORM: normalizes a 1-D array with a given value, one element per thread.
//
// Shows pattern 7: ld a, mul a,r, st c.  [000 §4.1, Table 3]
//
// The caller passes the reciprocal of the value: a division is no operation for the small ALU
// beside a cache, a multiplication by a kernel parameter (uniform over the warp) is. The operands
// are aligned: a[i] and c[i] live in the same LLC partition.

extern "C" __global__ void normalize(const float *a, float *c, float reciprocal, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] * reciprocal;
}
