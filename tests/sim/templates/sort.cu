// The kernels of cub::DeviceRadixSort, as its dispatch launches them: histograms of all digits,
// their exclusive sums, and one sweep for each digit, in which the CTAs look back at each other.
#include <cub/device/dispatch/dispatch_radix_sort.cuh>

using namespace cub::detail::radix_sort;

template <typename T>
using hub = typename cub::detail::radix::policy_hub<T, cub::NullType, unsigned>::MaxPolicy;

// Threads of a CTA for each kernel, and the keys and bits of a sweep.
template <typename T> __global__ void sort_sizes(unsigned *to)
{
    using policy = typename hub<T>::ActivePolicy;
    to[0] = policy::HistogramPolicy::BLOCK_THREADS;
    to[1] = policy::ExclusiveSumPolicy::BLOCK_THREADS;
    to[2] = policy::OnesweepPolicy::BLOCK_THREADS;
    to[3] = policy::OnesweepPolicy::BLOCK_THREADS * policy::OnesweepPolicy::ITEMS_PER_THREAD;
    to[4] = policy::ONESWEEP_RADIX_BITS;
}

template <typename T>
void *kernels[] = {
    (void *)sort_sizes<T>,
    (void *)DeviceRadixSortHistogramKernel<hub<T>, cub::SortOrder::Ascending, T, unsigned>,
    (void *)DeviceRadixSortExclusiveSumKernel<hub<T>, unsigned>,
    (void *)DeviceRadixSortOnesweepKernel<hub<T>, cub::SortOrder::Ascending, T, cub::NullType,
                                          unsigned, int>,
};

template void *kernels<unsigned>[];
template void *kernels<unsigned long long>[];
template void *kernels<float>[];
