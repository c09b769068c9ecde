// DENSITY: counts the zeros in an array.
//
// Shows pattern 6: ld a, cmp a,0. The comparison's result stays in the thread (an offload answers
// with one bit per lane).  [000 §4.1, Table 3]
//
// Every thread walks the array in grid strides, counts for itself and adds its count to *zeros
// once; *zeros is zero at the start. The array is const __restrict__: its loads are ld.global.nc.

extern "C" __global__ void density(const int *__restrict__ a, int *__restrict__ zeros, int n)
{
    int stride = gridDim.x * blockDim.x;
    int count = 0;

#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        if (a[i] == 0)
            count++;
    if (count)
        atomicAdd(zeros, count);
}
