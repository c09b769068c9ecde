#include "add.cuh"

int main()
{
    const int n = 1024;
    float *a;
    if (cudaMallocManaged(&a, 3 * n * sizeof *a) != cudaSuccess)
        return 1;
    add<<<n / 256, 256>>>(a, a + n, a + 2 * n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
