// Dynamic parallelism, which is not supported.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void inner()
{
}

__global__ void outer()
{
    inner<<<1, 1>>>();
}

int main()
{
    outer<<<1, 1>>>();
    cudaError_t error = cudaGetLastError();
    printf("%s\n", cudaGetErrorName(error));
    return error == cudaSuccess;
}
