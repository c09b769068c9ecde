// RED by few CTAs: each thread adds elements in steps of the grid, then a tree in shared memory
// adds the sums of a CTA. Its first loop is a candidate block; no chain, since the sum stays in a
// register. [002 Table 2]
//
// sum[blockIdx.x] is the sum of the CTA's elements. Launch again on sum, with one CTA, to reduce it
// further.

#include "../tree.cuh"

#define CTA 256

extern "C" __global__ void red_stride(const float *g, float *sum, int n)
{
    __shared__ float part[CTA];
    int tid = threadIdx.x;
    float s = 0.0f;

#pragma unroll 1
    for (int i = blockIdx.x * CTA + tid; i < n; i += gridDim.x * CTA)
        s += g[i];
    part[tid] = s;
    __syncthreads();
    tree_sum<CTA>(part);
    if (tid == 0)
        sum[blockIdx.x] = part[0];
}
