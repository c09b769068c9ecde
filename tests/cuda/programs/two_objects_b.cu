// See two_objects_a.cu.
__device__ int counter = 5;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factor = 7;
static __device__ int local = 1000;

static __device__ int helper(int x)
{
    return x + local;
}

__device__ int twice(int x)
{
    return 2 * x;
}

__device__ int thrice(int x)
{
    return helper(3 * x);
}

typedef int (*function)(int);
__device__ function pointer = thrice;

template <class T> __device__ __noinline__ T shared_by_both(T x)
{
    static __device__ int seen;
    seen = x;
    return x * 3;
}

static __global__ void kernel(int *a)
{
    a[threadIdx.x] = local + shared_by_both((int)threadIdx.x) + counter;
}

void other(int *a)
{
    int value = 2000;
    cudaMemcpyToSymbol(local, &value, sizeof value);
    kernel<<<1, 8>>>(a);
}
