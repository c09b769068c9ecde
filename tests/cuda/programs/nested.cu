// A kernel that launches another one.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void inner(int *sum, int value)
{
    atomicAdd(sum, value);
}

__global__ void outer(int *sum)
{
    inner<<<2, 3>>>(sum, threadIdx.x);
}

int main()
{
    int *sum, result = 0;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    outer<<<1, 32>>>(sum);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    bool good = result == 6 * 31 * 32 / 2 && cudaGetLastError() == cudaSuccess;
    puts(good ? "PASSED" : "FAILED");
    return !good;
}
