// COMPARE: point-wise comparison of two strings; counts the positions where they differ.
//
// Shows pattern 5: ld a, ld b, cmp a,b. The comparison's result stays in the thread (an offload
// answers with one bit per lane).  [000 §4.1, Table 3]
//
// The strings are made of 32-bit symbols. Every thread walks the strings in grid strides, counts
// for itself and adds its count to *differ once; *differ is zero at the start.

extern "C" __global__ void compare(const int *a, const int *b, int *differ, int n)
{
    int stride = gridDim.x * blockDim.x;
    int count = 0;

#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        if (a[i] != b[i])
            count++;
    if (count)
        atomicAdd(differ, count);
}
