// The collectives of cub for blocks and warps, in kernels of our own: 128 threads, 4 numbers each.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_scan.cuh>

struct less {
    template <typename T> __device__ bool operator()(T a, T b) const
    {
        return a < b;
    }
};

template <typename T, cub::BlockLoadAlgorithm LOAD, cub::BlockStoreAlgorithm STORE>
__global__ void sorted(const T *from, T *to)
{
    using loading = cub::BlockLoad<T, 128, 4, LOAD>;
    using storing = cub::BlockStore<T, 128, 4, STORE>;
    using sorting = cub::BlockRadixSort<T, 128, 4>;
    using merging = cub::BlockMergeSort<T, 128, 4>;
    __shared__ union {
        typename loading::TempStorage load;
        typename storing::TempStorage store;
        typename sorting::TempStorage sort;
        typename merging::TempStorage merge;
    } room;
    T items[4];
    loading(room.load).Load(from + 512 * blockIdx.x, items);
    __syncthreads();
    if (blockIdx.x % 2)
        sorting(room.sort).SortDescending(items);
    else
        merging(room.merge).Sort(items, less());
    __syncthreads();
    storing(room.store).Store(to + 512 * blockIdx.x, items);
}

template <typename T, cub::BlockScanAlgorithm SCAN, cub::BlockReduceAlgorithm REDUCE>
__global__ void summed(const T *from, T *to, T *total)
{
    using scanning = cub::BlockScan<T, 128, SCAN>;
    using reducing = cub::BlockReduce<T, 128, REDUCE>;
    using warps = cub::WarpScan<T, 16>;
    __shared__ union {
        typename scanning::TempStorage scan;
        typename reducing::TempStorage reduce;
        typename warps::TempStorage warp[8];
    } room;
    T items[4], x;
    cub::LoadDirectBlocked(threadIdx.x, from + 512 * blockIdx.x, items);
    T sum = reducing(room.reduce).Sum(items);
    __syncthreads();
    warps(room.warp[threadIdx.x / 16]).InclusiveSum(items[0], x);
    __syncthreads();
    scanning(room.scan).ExclusiveSum(items, items);
    cub::StoreDirectBlocked(threadIdx.x, to + 512 * blockIdx.x, items);
    total[129 * blockIdx.x + threadIdx.x] = x;
    if (!threadIdx.x)
        total[129 * blockIdx.x + 128] = sum;
}

template __global__ void
sorted<int, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_VECTORIZE>(const int *, int *);
template __global__ void
sorted<long long, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(const long long *,
                                                                              long long *);
template __global__ void
sorted<double, cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_WARP_TRANSPOSE>(const double *,
                                                                           double *);
template __global__ void
summed<int, cub::BLOCK_SCAN_RAKING, cub::BLOCK_REDUCE_RAKING>(const int *, int *, int *);
template __global__ void
summed<long long, cub::BLOCK_SCAN_WARP_SCANS, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(const long long *,
                                                                                 long long *,
                                                                                 long long *);
template __global__ void
summed<double, cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(
    const double *, double *, double *);
