// HISTOGRAM64: histogram of bytes, 64 bins, without atomic operations.
//
// Shows no chain: a loaded word is taken apart in registers.  [001 Table 3]
//
// histogram64_count   CTAs of 64 threads; each thread has 64 counters of one byte in shared memory
//                     and counts the upper six bits of the four bytes of up to WORDS words; thread b
//                     then adds the counters of bin b and writes them as partial[CTA][b]
// histogram64_merge   one CTA of 64 threads per bin; adds the partial counts
// A counter counts up to 4 * WORDS bytes, which a byte holds.

#include "../tree.cuh"

#define THREADS 64
#define WORDS 48

extern "C" __global__ void histogram64_count(const unsigned *data, int *partial, int words)
{
    __shared__ unsigned char counter[64 * THREADS];
    int tid = threadIdx.x, first = blockIdx.x * THREADS * WORDS;
    int last = min(first + THREADS * WORDS, words);
    int sum = 0;

#pragma unroll 1
    for (int k = 0; k < 64; k++)
        counter[k * THREADS + tid] = 0;
#pragma unroll 1
    for (int i = first + tid; i < last; i += THREADS) {
        unsigned word = data[i];

        counter[(word >> 2 & 63) * THREADS + tid]++;
        counter[(word >> 10 & 63) * THREADS + tid]++;
        counter[(word >> 18 & 63) * THREADS + tid]++;
        counter[(word >> 26) * THREADS + tid]++;
    }
    __syncthreads();
    // Each thread begins at its own counter: the banks are different.
#pragma unroll 1
    for (int k = 0; k < THREADS; k++)
        sum += counter[tid * THREADS + (tid * 4 + k) % THREADS];
    partial[blockIdx.x * 64 + tid] = sum;
}

extern "C" __global__ void histogram64_merge(const int *partial, int *histogram, int ctas)
{
    __shared__ int sum[THREADS];
    int bin = blockIdx.x, tid = threadIdx.x, s = 0;

#pragma unroll 1
    for (int k = tid; k < ctas; k += THREADS)
        s += partial[k * 64 + bin];
    sum[tid] = s;
    __syncthreads();
    tree_sum<THREADS>(sum);
    if (tid == 0)
        histogram[bin] = sum[0];
}
