// The toolkit's template libraries: sort, scan, reduce, histogram, select of a million elements.
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <vector>

enum { N = 1 << 20, BINS = 256 };

static std::vector<unsigned> numbers()
{
    std::vector<unsigned> made(N);
    unsigned state = 1;
    for (unsigned &one : made)
        one = (state = state * 1664525u + 1013904223u) >> 8;
    return made;
}

struct is_even {
    __host__ __device__ bool operator()(unsigned x) const
    {
        return x % 2 == 0;
    }
};

int main(int argc, char **)
{
    if (argc > 1)
        return cudaFree(NULL); // the time of a start
    std::vector<unsigned> host = numbers(), got(N), expected = host;
    thrust::device_vector<unsigned> device(host.begin(), host.end()), work = device;
    thrust::sort(work.begin(), work.end());
    thrust::copy(work.begin(), work.end(), got.begin());
    std::sort(expected.begin(), expected.end());
    CHECK(got == expected);
    thrust::inclusive_scan(device.begin(), device.end(), work.begin());
    thrust::copy(work.begin(), work.end(), got.begin());
    std::partial_sum(host.begin(), host.end(), expected.begin());
    CHECK(got == expected);
    unsigned long long sum = thrust::reduce(device.begin(), device.end(), 0ull);
    CHECK(sum == std::accumulate(host.begin(), host.end(), 0ull));
    // Histogram
    thrust::device_vector<int> bins(BINS);
    void *temporary = NULL;
    size_t bytes = 0;
    unsigned *from = thrust::raw_pointer_cast(device.data());
    int *to = thrust::raw_pointer_cast(bins.data());
    for (int i = 0; i < 2; i++) {
        CALL(cub::DeviceHistogram::HistogramEven(temporary, bytes, from, to, BINS + 1, 0u, 1u << 24,
                                                 (int)N));
        if (!i)
            CALL(cudaMalloc(&temporary, bytes));
    }
    std::vector<int> counted(BINS), seen(BINS);
    for (unsigned one : host)
        counted[one >> 16]++;
    thrust::copy(bins.begin(), bins.end(), seen.begin());
    CHECK(seen == counted);
    CALL(cudaFree(temporary));
    // Pairs, and a selection
    std::vector<int> order(N);
    std::iota(order.begin(), order.end(), 0);
    thrust::device_vector<int> places(order.begin(), order.end());
    work = device;
    thrust::stable_sort_by_key(work.begin(), work.end(), places.begin());
    thrust::copy(places.begin(), places.end(), order.begin());
    for (int i = 1; i < N; i++)
        CHECK(host[order[i - 1]] < host[order[i]] ||
              (host[order[i - 1]] == host[order[i]] && order[i - 1] < order[i]));
    auto end = thrust::copy_if(device.begin(), device.end(), work.begin(), is_even());
    CHECK(end - work.begin() == std::count_if(host.begin(), host.end(), is_even()));
    return RESULT;
}
