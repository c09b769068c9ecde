// RED: sum reduction, one tile of 2048 elements per CTA of 256 threads, in eleven levels of
// halving. The first levels work in place in global memory, the others in registers and shared
// memory. Included by the five variants of [000 §6.2, Fig. 17]:
//
//     red_shared 0 levels in global memory      red_global 11
//     red_hybrid1 1    red_hybrid2 2    red_hybrid3 3
//
// Shows patterns 1 (a level in global memory: g[j] = g[j] + g[j + half]) and 2 (the first level
// that is not: the sum of two loads stays in a register).  [000 §4.1, Table 3]
//
// Needs gridDim.x * 2048 elements in g: the caller pads with zeros. g is overwritten where there
// are levels in global memory; sum[blockIdx.x] is the tile's sum. All variants add in the same
// order, so their sums are the same to the last bit. Launch again on sum to reduce it further.

#pragma once
#include "../tree.cuh"

#define CTA 256
#define TILE 2048

__device__ __forceinline__ float *own_tile(float *g)
{
    return g + (size_t)blockIdx.x * TILE;
}

// A level in global memory for all threads: adds the upper half of 2 * HALF values to the lower.
template <int HALF>
__device__ __forceinline__ void level_global(float *g)
{
#pragma unroll
    for (int k = 0; k < HALF / CTA; k++) {
        int j = threadIdx.x + k * CTA;

        g[j] = g[j] + g[j + HALF];
    }
    __syncthreads();
}

// The rest in shared memory: LEFT values of the tile are left, LEFT / CTA (1 to 8) per thread.
template <int LEFT>
__device__ __forceinline__ void rest_shared(const float *g, float *sum)
{
    __shared__ float part[CTA];
    const int pairs = LEFT / CTA / 2;
    int tid = threadIdx.x;
    float r[pairs + 1];

    if (pairs == 0)
        r[0] = g[tid];
#pragma unroll
    for (int k = 0; k < pairs; k++)
        r[k] = g[tid + k * CTA] + g[tid + (k + pairs) * CTA];
#pragma unroll
    for (int half = pairs / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; k++)
            r[k] += r[k + half];
    part[tid] = r[0];
    __syncthreads();
    tree_sum<CTA>(part);
    if (tid == 0)
        sum[blockIdx.x] = part[0];
}

// The rest in global memory: CTA values of the tile are left.
__device__ __forceinline__ void rest_global(float *g, float *sum)
{
    int tid = threadIdx.x;

#pragma unroll 1
    for (int half = CTA / 2; half > 0; half >>= 1) {
        if (tid < half)
            g[tid] = g[tid] + g[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        sum[blockIdx.x] = g[0];
}
