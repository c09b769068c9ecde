// COPY-ALIGNED: c = a, one element per thread.
//
// Shows pattern 3: ld a, st c.  [000 §4.1, Table 3]
//
// Aligned: a[i] and c[i] live in the same LLC partition (128-byte chunks over 8 partitions; both
// buffers start at a multiple of 1024 bytes).

extern "C" __global__ void copy_aligned(const int *a, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i];
}
