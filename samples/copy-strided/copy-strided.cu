// COPY-STRIDED: c = a as in ../copy-aligned, but c is written at an offset.
//
// Shows pattern 3: ld a, st c.  [000 §4.1, Table 3]
//
// Strided: the source and the destination of a thread live in different LLC partitions (128-byte
// chunks over 8 partitions). Any c_shift that is not within 32 elements of a multiple of 256 does
// it, for example 128. The shift is in elements: c has n + c_shift of them, and the elements in
// front of the shift are left alone.

extern "C" __global__ void copy_strided(const int *a, int *c, int n, int c_shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i + c_shift] = a[i];
}
