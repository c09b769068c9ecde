// SCP: scalar products of many pairs of vectors, one pair per CTA.
//
// Shows pattern 2: ld a, ld b, mul. The compiler contracts the sum into fma acc,a,b: with
// --fma=split the multiplication is pattern 2, with --fma=fused the fma is turned down for its
// register operand.  [000 §4.1 and §5, Table 3]
//
// a and b hold gridDim.x vectors of n elements each, one behind the other. Each of the 256
// threads makes a partial sum in strides of the CTA, then a tree in shared memory adds them up.

#include "../tree.cuh"

#define CTA 256

extern "C" __global__ void scp(const float *a, const float *b, float *product, int n)
{
    __shared__ float sum[CTA];
    int tid = threadIdx.x;
    int first = blockIdx.x * n;
    float s = 0.0f;

#pragma unroll 1
    for (int i = tid; i < n; i += CTA)
        s += a[first + i] * b[first + i];
    sum[tid] = s;
    __syncthreads();
    tree_sum<CTA>(sum);
    if (tid == 0)
        product[blockIdx.x] = sum[0];
}
