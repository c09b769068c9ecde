// The collectives of cub, for blocks and warps.
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/ptx>

template <typename T, int THREADS, cub::BlockReduceAlgorithm ALGORITHM>
__device__ T reduce(T x)
{
    using reduction = cub::BlockReduce<T, THREADS, ALGORITHM>;
    __shared__ typename reduction::TempStorage storage;
    return reduction(storage).Sum(x);
}

template <typename T, int THREADS, cub::BlockScanAlgorithm ALGORITHM>
__device__ T scan(T x)
{
    using scanning = cub::BlockScan<T, THREADS, ALGORITHM>;
    __shared__ typename scanning::TempStorage storage;
    scanning(storage).ExclusiveSum(x, x);
    return x;
}

template <typename T>
__global__ void blocks(T *data)
{
    T x = data[threadIdx.x];
    x = reduce<T, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(x);
    __syncthreads();
    x = reduce<T, 128, cub::BLOCK_REDUCE_RAKING>(x);
    __syncthreads();
    x = scan<T, 128, cub::BLOCK_SCAN_RAKING>(x);
    __syncthreads();
    data[threadIdx.x] = scan<T, 128, cub::BLOCK_SCAN_WARP_SCANS>(x);
}

template <typename T>
__global__ void sort(T *data)
{
    using loading = cub::BlockLoad<T, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using storing = cub::BlockStore<T, 128, 4, cub::BLOCK_STORE_VECTORIZE>;
    using sorting = cub::BlockRadixSort<T, 128, 4>;
    __shared__ union {
        typename loading::TempStorage load;
        typename storing::TempStorage store;
        typename sorting::TempStorage sort;
    } storage;
    T items[4];
    loading(storage.load).Load(data, items);
    __syncthreads();
    sorting(storage.sort).Sort(items);
    __syncthreads();
    storing(storage.store).Store(data, items);
}

__global__ void histogram(const unsigned char *data, unsigned *counts)
{
    using counting = cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename counting::TempStorage storage;
    __shared__ unsigned bins[256];
    unsigned char items[4];
    for (int i = 0; i < 4; i++)
        items[i] = data[4 * threadIdx.x + i];
    counting(storage).Histogram(items, bins);
    __syncthreads();
    counts[threadIdx.x] = bins[threadIdx.x];
}

template <typename T>
__global__ void warps(T *data)
{
    __shared__ typename cub::WarpReduce<T>::TempStorage reduction[4];
    __shared__ typename cub::WarpScan<T>::TempStorage scanning[4];
    T x = cub::WarpReduce<T>(reduction[threadIdx.x / 32]).Reduce(data[threadIdx.x], cuda::maximum<>());
    cub::WarpScan<T>(scanning[threadIdx.x / 32]).InclusiveSum(x, x);
    data[threadIdx.x] = cub::ShuffleDown<32>(x, 1, 31, 0xffffffff) + cuda::ptx::get_sreg_laneid() +
                        cub::ThreadLoad<cub::LOAD_CG>(data);
}

template __global__ void blocks(int *);
template __global__ void blocks(double *);
template __global__ void sort(unsigned *);
template __global__ void sort(double *);
template __global__ void warps(float *);
template __global__ void warps(unsigned long long *);
