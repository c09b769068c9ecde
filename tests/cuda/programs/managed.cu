// Reports errors, and goes on as if there were none.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(const float *in, float *out, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * by;
}

static void report(const char *call, cudaError_t error)
{
    printf("%s: %d %s\n", call, error, cudaGetErrorName(error));
}

int main()
{
    const int n = 4096;
    float *in, *out;
    report("malloc", cudaMallocManaged(&in, n * sizeof *in));
    cudaMallocManaged(&out, n * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = i;
    scale<<<n / 256, 256>>>(in, out, 3.0f, n);
    report("launch", cudaGetLastError());
    report("synchronise", cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += out[i] != 3.0f * i;
    printf("wrong: %d\n", wrong);
    return wrong != 0;
}
