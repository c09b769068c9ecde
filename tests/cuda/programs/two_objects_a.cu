// Device code in two sources, compiled with -rdc=true: a kernel uses functions and variables of the
// other one, a pointer to a function, and local symbols with equal names.
#include <cstdio>

extern __device__ int counter;
extern __device__ int table[4];
extern __constant__ float factor;
__device__ int twice(int);
typedef int (*function)(int);
extern __device__ function pointer;
void other(int *a);

static __device__ int local = 100;

static __device__ int helper(int x)
{
    return x + local;
}

template <class T> __device__ __noinline__ T shared_by_both(T x)
{
    static __device__ int seen;
    seen = x;
    return x * 3;
}

__global__ void kernel(int *a)
{
    int i = threadIdx.x;
    a[i] = twice(i) + helper(table[i & 3]) + shared_by_both(i) + pointer(i) + (int)factor;
    atomicAdd(&counter, 1);
}

int main()
{
    int *a, first[8], second[8], mine = 0, bad = 0;
    cudaMalloc(&a, sizeof first);
    kernel<<<1, 8>>>(a);
    cudaMemcpy(first, a, sizeof first, cudaMemcpyDeviceToHost);
    other(a);
    cudaMemcpy(second, a, sizeof second, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&mine, local, sizeof mine);
    for (int i = 0; i < 8; i++) {
        bad += first[i] != 2 * i + (i & 3) + 1 + 100 + 3 * i + 3 * i + 1000 + 7;
        bad += second[i] != 2000 + 3 * i + 13;
    }
    bad += mine != 100 || cudaGetLastError() != cudaSuccess;
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
