// Algorithms of thrust and cub on plain types and on pairs.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

struct is_even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

template <typename T>
void algorithms(thrust::device_vector<T> &a, thrust::device_vector<T> &b, thrust::device_vector<int> &keys)
{
    thrust::sort(a.begin(), a.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), b.begin(), thrust::greater<int>());
    thrust::inclusive_scan(a.begin(), a.end(), b.begin());
    thrust::reduce_by_key(keys.begin(), keys.end(), a.begin(), keys.begin(), b.begin());
    thrust::transform(a.begin(), a.end(), b.begin(), a.begin(), thrust::multiplies<T>());
    b[0] = thrust::reduce(a.begin(), a.end(), T(), thrust::plus<T>());
}

template void algorithms(thrust::device_vector<float> &, thrust::device_vector<float> &,
                         thrust::device_vector<int> &);
template void algorithms(thrust::device_vector<long long> &, thrust::device_vector<long long> &,
                         thrust::device_vector<int> &);

void rest(thrust::device_vector<int> &a, thrust::device_vector<int> &b)
{
    thrust::copy_if(a.begin(), a.end(), b.begin(), is_even());
    thrust::unique(a.begin(), a.end());
    thrust::set_union(a.begin(), a.end(), a.begin(), a.end(), b.begin());
}
