// The kernels of cub::DeviceSelect, which keep the numbers that a function chooses, or the first of
// those that are equal and side by side, and of cub::DeviceHistogram.
#include <cub/device/dispatch/dispatch_histogram.cuh>
#include <cub/device/dispatch/dispatch_select_if.cuh>

using namespace cub::detail::select;

struct below {
    unsigned limit;
    __host__ __device__ bool operator()(unsigned long long x) const
    {
        return x % 1024 < limit;
    }
};
using none = cub::NullType;
using state = cub::ScanTileState<int>;
using context = streaming_context_t<int, false>;
template <typename T>
using hub = typename policy_hub<T, none, int, false, cub::SelectImpl::Select>::MaxPolicy;

template <typename T> __global__ void choice_plan(unsigned *to, unsigned count)
{
    using helper = cub::detail::vsmem_helper_default_fallback_policy_t<
        typename hub<T>::ActivePolicy::SelectIfPolicyT,
        agent_select_if_wrapper_t<cub::SelectImpl::Select>::template agent_t, const T *, none *,
        T *, below, none, int, context>;
    to[0] = helper::agent_policy_t::BLOCK_THREADS;
    to[1] = cuda::ceil_div(count, to[0] * helper::agent_policy_t::ITEMS_PER_THREAD);
}

template <typename T, typename CHOICE, typename EQUAL>
constexpr auto sweep =
    &DeviceSelectSweepKernel<hub<T>, const T *, none *, T *, int *, state, CHOICE, EQUAL, int,
                             context, cub::SelectImpl::Select>;

template <typename T>
void *kernels[] = {
    (void *)choice_plan<T>,
    (void *)cub::detail::scan::DeviceCompactInitKernel<state, int *>,
    (void *)sweep<T, below, none>,
    (void *)sweep<T, none, cuda::std::equal_to<>>,
};

template void *kernels<unsigned>[];
template void *kernels<unsigned long long>[];

// A sample is its own bin.
struct same_bin {
    template <cub::CacheLoadModifier>
    __host__ __device__ void BinSelect(unsigned char sample, int &bin, bool valid)
    {
        if (valid)
            bin = sample;
    }
};
using histogram_hub =
    cub::detail::histogram::policy_hub<unsigned char, unsigned, 1, 1, true>::MaxPolicy;

__global__ void histogram_plan(unsigned *to)
{
    to[0] = histogram_hub::ActivePolicy::AgentHistogramPolicyT::BLOCK_THREADS;
    to[1] = to[0] * histogram_hub::ActivePolicy::AgentHistogramPolicyT::PIXELS_PER_THREAD;
}

void *histogram_kernels[] = {
    (void *)histogram_plan,
    (void *)cub::detail::histogram::DeviceHistogramInitKernel<1, unsigned, int>,
    (void *)cub::detail::histogram::DeviceHistogramSweepKernel<
        histogram_hub, 256, 1, 1, const unsigned char *, unsigned, same_bin, same_bin, int>,
};
