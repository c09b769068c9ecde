// Two sources with the same names: each has its own static kernel, variable and shared array.
#include "check.h"

int other(int *at);

static __device__ int value = 3;
template <class T> __global__ void generic(T *at)
{
    *at = 10;
}
static __global__ void kernel(int *at)
{
    __shared__ int box[32];
    box[threadIdx.x] = value + threadIdx.x;
    __syncthreads();
    if (!threadIdx.x)
        *at = box[31];
}

int main()
{
    int *at, got;
    CALL(cudaMalloc(&at, sizeof(int)));
    kernel<<<1, 32>>>(at);
    CALL(cudaMemcpy(&got, at, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == 34);
    CHECK(other(at) == 507);
    generic<<<1, 1>>>(at);
    CALL(cudaMemcpy(&got, at, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == 10);
    int seven = 7;
    CALL(cudaMemcpyToSymbol(value, &seven, sizeof seven));
    CHECK(other(at) == 507);
    kernel<<<1, 32>>>(at);
    CALL(cudaMemcpy(&got, at, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == 38);
    return RESULT;
}
