#include "kernels.cuh"

__device__ float factor(float by)
{
    return by + 1.0f;
}
