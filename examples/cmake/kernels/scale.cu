#include "kernels.cuh"

__global__ void scale(float *a, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i] * factor(by);
}
