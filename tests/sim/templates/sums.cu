// The kernels of cub::DeviceReduce and cub::DeviceScan, as their dispatch launches them. A scan is
// one pass, in which each CTA looks back at the sums of those before it.
#include <cub/device/dispatch/dispatch_reduce.cuh>
#include <cub/device/dispatch/dispatch_scan.cuh>

using sum = cuda::std::plus<>;
using itself = cuda::std::__identity;
template <typename T>
using reduce_hub = typename cub::detail::reduce::policy_hub<T, unsigned, sum>::MaxPolicy;
template <typename T>
using scan_hub = typename cub::detail::scan::policy_hub<T, T, T, unsigned, sum>::MaxPolicy;

// Threads of a CTA, and how the numbers are shared out among at most so many CTAs: a parameter of
// the first kernel.
template <typename T>
__global__ void reduce_plan(unsigned *to, cub::GridEvenShare<unsigned> *share, unsigned count,
                            int most)
{
    using policy = typename reduce_hub<T>::ActivePolicy;
    to[0] = policy::ReducePolicy::BLOCK_THREADS;
    to[1] = policy::SingleTilePolicy::BLOCK_THREADS;
    share->DispatchInit(count, most, to[0] * policy::ReducePolicy::ITEMS_PER_THREAD);
    share->block_stride = 0;
    to[2] = share->grid_size;
}

template <typename T> __global__ void scan_plan(unsigned *to, unsigned count)
{
    using policy = typename scan_hub<T>::ActivePolicy::ScanPolicyT;
    to[0] = policy::BLOCK_THREADS;
    to[1] = cuda::ceil_div(count, policy::BLOCK_THREADS * policy::ITEMS_PER_THREAD);
}

template <typename T>
void *kernels[] = {
    (void *)reduce_plan<T>,
    (void *)
        cub::detail::reduce::DeviceReduceKernel<reduce_hub<T>, const T *, unsigned, sum, T, itself>,
    (void *)
        cub::detail::reduce::DeviceReduceSingleTileKernel<reduce_hub<T>, T *, T *, int, sum, T, T>,
    (void *)scan_plan<T>,
    (void *)cub::detail::scan::DeviceScanInitKernel<cub::ScanTileState<T>>,
    (void *)cub::detail::scan::DeviceScanKernel<scan_hub<T>, const T *, T *, cub::ScanTileState<T>,
                                                sum, cub::NullType, unsigned, T, false>,
};

template void *kernels<unsigned>[];
template void *kernels<unsigned long long>[];
template void *kernels<float>[];
template void *kernels<double>[];
