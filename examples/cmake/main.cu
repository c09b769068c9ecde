#include "kernels/kernels.cuh"
#include <cstdio>

int main()
{
    const int n = 1024;
    float *a;
    if (cudaMallocManaged(&a, 3 * n * sizeof *a) != cudaSuccess)
        return 1;
    for (int i = 0; i < 2 * n; i++)
        a[i] = (float)i;
    add<<<n / 256, 256>>>(a, a + n, a + 2 * n);
    scale<<<n / 256, 256>>>(a + 2 * n, 3.0f);
    cudaDeviceSynchronize();
    std::printf("%g\n", a[2 * n + 1]);
    return 0;
}
