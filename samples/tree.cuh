// Sums of a CTA's values, for the samples.
#pragma once

// Adds the CTA's values in shared memory by a tree. Requires a value of each thread in
// part[threadIdx.x], and a power of two of threads. The sum is in part[0].
template <int THREADS_OF_CTA, typename T> __device__ __forceinline__ void tree_sum(T *part)
{
    int tid = threadIdx.x;

#pragma unroll 1
    for (int half = THREADS_OF_CTA / 2; half > 0; half >>= 1) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
}
