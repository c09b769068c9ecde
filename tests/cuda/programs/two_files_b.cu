#include <cuda_runtime.h>
#include <cstdio>

static __device__ int value = 500;
template <class T> __global__ void generic(T *at)
{
    *at += 7;
}
static __global__ void kernel(int *at)
{
    *at = value;
    if (value == 501)
        printf("%s\n", "not here");
}

int other(int *at)
{
    int got;
    kernel<<<1, 1>>>(at);
    generic<<<1, 1>>>(at);
    cudaMemcpy(&got, at, sizeof got, cudaMemcpyDeviceToHost);
    return got;
}
