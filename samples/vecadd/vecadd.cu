// VECADD-ALIGNED: c = a + b over two 1-D arrays, one element per thread.
//
// Shows pattern 1: ld a, ld b, add, st c.  [000 §4.1, Table 3]
//
// Aligned: the three operands of a thread live in the same LLC partition. Partitions take turns
// every 128 bytes, 8 of them, so buffers that start at a multiple of 1024 bytes are enough.

extern "C" __global__ void vecadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}
