// Launches: attributes, occupancy, shared memory, cooperative, printf, properties, errors.
#include "check.h"
#include <cooperative_groups.h>
#include <cstring>

__global__ void fill(int *at, int n)
{
    extern __shared__ int own[];
    own[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i] = own[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded(int *at)
{
    at[threadIdx.x] = 1;
}

struct pair {
    char c;
    double d;
    int i[3];
};

__global__ void take(pair p, int *at, short s, float f)
{
    at[0] = p.c + (int)p.d + p.i[0] + p.i[1] + p.i[2] + s + (int)f;
}

__global__ void synchronised(int *at)
{
    auto grid = cooperative_groups::this_grid();
    atomicAdd(at, 1);
    grid.sync();
    at[1 + blockIdx.x] = *at;
}

__global__ void arrive(int *at)
{
    extern __shared__ int own[];
    if (threadIdx.x == 0 && own != nullptr)
        atomicAdd(at, 1);
}

// All CTAs of a cooperative grid fit, or the call fails and nothing runs.
static void launch_together(int *at, dim3 grid, int threads, int shared, bool fits)
{
    int arrived = 0;
    void *parameters[] = {&at};
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.attrs = &together;
    config.numAttrs = 1;
    cudaError_t expected = fits ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
    CALL(cudaMemset(at, 0, sizeof arrived));
    CHECK(cudaLaunchCooperativeKernel((void *)arrive, grid, dim3(threads), parameters, shared, 0) == expected);
    CHECK(cudaLaunchKernelExC(&config, (void *)arrive, parameters) == expected);
    CHECK(cudaGetLastError() == expected);
    CALL(cudaMemcpy(&arrived, at, sizeof arrived, cudaMemcpyDeviceToHost));
    CHECK(arrived == (fits ? 2 * (int)(grid.x * grid.y * grid.z) : 0));
}

static void launch_at_limit(int *at)
{
    int ctas;
    cudaDeviceProp device;
    CALL(cudaGetDeviceProperties(&device, 0));
    for (int threads : {32, 100, 512})
        for (int shared : {0, 4096, 40000}) {
            CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, arrive, threads, shared));
            int most = ctas * device.multiProcessorCount;
            launch_together(at, dim3(most), threads, shared, true);
            launch_together(at, dim3(most + 1), threads, shared, false);
            launch_together(at, dim3(ctas, 1, device.multiProcessorCount), threads, shared, true);
            launch_together(at, dim3(ctas, device.multiProcessorCount, 2), threads, shared, false);
        }
}

__global__ void hello(int n)
{
    printf("block %d of %s %d\n", blockIdx.x, "kernel", n);
}

int main()
{
    enum { N = 1000 };
    int *at, back[N];
    CALL(cudaMalloc(&at, sizeof back));
    fill<<<4, 256, 256 * sizeof(int)>>>(at, N);
    CALL(cudaMemcpy(back, at, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 255 * 3 && back[255] == 0 && back[999] == (255 - 999 % 256) * 3);
    pair p = {1, 2.5, {3, 4, 5}};
    take<<<1, 1>>>(p, at, -7, 8.9f);
    CALL(cudaMemcpy(back, at, 4, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 1 + 2 + 3 + 4 + 5 - 7 + 8);
    // Wrong launches
    fill<<<1, 2000>>>(at, N);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    fill<<<0, 32>>>(at, N);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    bounded<<<1, 256>>>(at);
    CHECK(cudaGetLastError() != cudaSuccess);
    fill<<<1, 32, 64 << 10>>>(at, N);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    CALL(cudaDeviceSynchronize());
    cudaFuncAttributes attributes;
    CALL(cudaFuncGetAttributes(&attributes, bounded));
    CHECK(attributes.maxThreadsPerBlock == 128 && attributes.numRegs > 0);
    int ctas = 0, block = 0, grid = 0;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, fill, 256, 1024));
    CHECK(ctas >= 1);
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
    CHECK(block >= 32 && block <= 128 && grid > 0);
    // Cooperative
    CALL(cudaMemset(at, 0, sizeof back));
    void *parameters[] = {&at};
    CALL(cudaLaunchCooperativeKernel((void *)synchronised, dim3(8), dim3(32), parameters, 0, 0));
    CALL(cudaMemcpy(back, at, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        CHECK(back[1 + i] == 8 * 32);
    launch_at_limit(at);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = 1024;
    CALL(cudaLaunchKernelEx(&config, fill, at, (int)N));
    CALL(cudaMemcpy(back, at, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[1] == 254 * 3);
    CALL(cudaOccupancyMaxPotentialClusterSize(&grid, fill, &config));
    CHECK(grid == 8);
    CALL(cudaOccupancyMaxActiveClusters(&grid, fill, &config));
    CHECK(grid >= 1);
    hello<<<2, 1>>>(42);
    printf("before the kernel's output\n");
    fflush(stdout);
    CALL(cudaDeviceSynchronize());
    cudaDeviceProp properties;
    int value, count;
    CALL(cudaGetDeviceCount(&count));
    CALL(cudaGetDeviceProperties(&properties, 0));
    CHECK(count == 1 && properties.warpSize == 32 && properties.multiProcessorCount > 0);
    CHECK(strstr(properties.name, "ptxoffload") && properties.totalGlobalMem > 0);
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == properties.multiProcessorCount);
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, value + 1),
           cudaErrorInvalidValue);
    cudaGetLastError();
    CALL(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, value));
    fill<<<1, 32, value>>>(at, N);
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    EXPECT(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
    // NULL
    EXPECT(cudaGetDevice(NULL), cudaErrorInvalidValue);
    EXPECT(cudaGetDeviceCount(NULL), cudaErrorInvalidValue);
    EXPECT(cudaGetDeviceProperties(NULL, 0), cudaErrorInvalidValue);
    EXPECT(cudaRuntimeGetVersion(NULL), cudaErrorInvalidValue);
    EXPECT(cudaEventCreate(NULL), cudaErrorInvalidValue);
    EXPECT(cudaMallocPitch((void **)NULL, NULL, 4, 4), cudaErrorInvalidValue);
    EXPECT(cudaPointerGetAttributes(NULL, at), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy3D(NULL), cudaErrorInvalidValue);
    EXPECT(cudaGraphCreate(NULL, 0), cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    return RESULT;
}
