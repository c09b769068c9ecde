// HIST: histogram of the bytes of an image, 256 bins, with atomic additions.
//
// Shows no chain: a byte is loaded and used as an address in shared memory.  [003 Table I]
//
// Each CTA of 256 threads counts in shared memory, in steps of the grid, and adds its bins to those
// in global memory, which are 0 before the launch.

#define BINS 256

extern "C" __global__ void hist(const unsigned char *image, int *bins, int n)
{
    __shared__ int count[BINS];
    int tid = threadIdx.x;

    count[tid] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = blockIdx.x * BINS + tid; i < n; i += gridDim.x * BINS)
        atomicAdd(&count[image[i]], 1);
    __syncthreads();
    atomicAdd(&bins[tid], count[tid]);
}
