// Memory: all kinds, copies in all directions, sets, symbols, attributes, pools.
#include "check.h"
#include <cstring>
#include <vector>

__global__ void add_one(int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i]++;
}

__device__ int counters[4];
__constant__ int table[4];
__managed__ int shared_value = 5;
__device__ int plain_value;

__global__ void use_variables()
{
    counters[threadIdx.x] = table[threadIdx.x] * 2;
    if (!threadIdx.x)
        shared_value += 3;
}

__global__ void touch_rows(int *at, size_t pitch, int width, int height)
{
    for (int y = threadIdx.x; y < height; y += blockDim.x)
        for (int x = 0; x < width; x++)
            ((int *)((char *)at + y * pitch))[x] += y;
}

static void plain()
{
    enum { N = 1000 };
    int host[N], back[N], *a, *b;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CALL(cudaMalloc(&a, sizeof host));
    CALL(cudaMalloc(&b, sizeof host));
    CALL(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    add_one<<<4, 256>>>(a, N);
    CALL(cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(back, b, sizeof host, cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        CHECK(back[i] == i + 1);
    CALL(cudaMemset(b, 0x11, 40));
    CALL(cudaMemcpy(back, b, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(back[9] == 0x11111111 && back[10] == 11);
    EXPECT(cudaMemcpy(a, host, sizeof host + 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(NULL, a, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(a, NULL, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    CALL(cudaFree(a));
    CALL(cudaFree(b));
    EXPECT(cudaFree(b), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(back, b, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
    CALL(cudaFree(NULL));
    cudaGetLastError();
}

static void shared()
{
    enum { N = 300 };
    int *managed, *pinned, *mapped, *on_device;
    CALL(cudaMallocManaged(&managed, N * sizeof(int)));
    for (int i = 0; i < N; i++)
        managed[i] = 2 * i;
    add_one<<<2, 256>>>(managed, N);
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(managed[i] == 2 * i + 1);
    CALL(cudaMallocHost(&pinned, N * sizeof(int)));
    memset(pinned, 0, N * sizeof(int));
    CALL(cudaMemcpyAsync(pinned, managed, N * sizeof(int), cudaMemcpyDeviceToHost, 0));
    CALL(cudaStreamSynchronize(0));
    CHECK(pinned[7] == 15);
    CALL(cudaHostAlloc(&mapped, N * sizeof(int), cudaHostAllocMapped));
    mapped[3] = 30;
    CALL(cudaHostGetDevicePointer(&on_device, mapped, 0));
    add_one<<<2, 256>>>(on_device, N);
    CALL(cudaDeviceSynchronize());
    CHECK(mapped[3] == 31);
    std::vector<int> own(N, 1);
    CALL(cudaHostRegister(own.data(), N * sizeof(int), cudaHostRegisterMapped));
    CALL(cudaHostGetDevicePointer(&on_device, own.data(), 0));
    add_one<<<2, 256>>>(on_device, N);
    CALL(cudaDeviceSynchronize());
    CHECK(own[5] == 2);
    CALL(cudaHostUnregister(own.data()));
    cudaPointerAttributes attributes;
    CALL(cudaPointerGetAttributes(&attributes, managed + 3));
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == managed + 3);
    CALL(cudaPointerGetAttributes(&attributes, pinned));
    CHECK(attributes.type == cudaMemoryTypeHost);
    CALL(cudaPointerGetAttributes(&attributes, own.data()));
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
    CALL(cudaGetSymbolAddress((void **)&on_device, plain_value));
    CALL(cudaPointerGetAttributes(&attributes, on_device));
    CHECK(attributes.type == cudaMemoryTypeDevice && !attributes.hostPointer);
    CALL(cudaPointerGetAttributes(&attributes, &shared_value));
    CHECK(attributes.type == cudaMemoryTypeManaged);
    CALL(cudaFree(managed));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFreeHost(mapped));
}

static void rows()
{
    enum { WIDTH = 33, HEIGHT = 17 };
    int host[HEIGHT][WIDTH], back[HEIGHT][WIDTH], *at;
    size_t pitch;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            host[y][x] = 100 * x;
    CALL(cudaMallocPitch(&at, &pitch, sizeof host[0], HEIGHT));
    CHECK(pitch >= sizeof host[0]);
    CALL(cudaMemcpy2D(at, pitch, host, sizeof host[0], sizeof host[0], HEIGHT,
                      cudaMemcpyHostToDevice));
    touch_rows<<<1, 32>>>(at, pitch, WIDTH, HEIGHT);
    CALL(cudaMemcpy2D(back, sizeof back[0], at, pitch, sizeof host[0], HEIGHT,
                      cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            CHECK(back[y][x] == 100 * x + y);
    CALL(cudaMemset2D(at, pitch, 0, 4, HEIGHT));
    CALL(cudaMemcpy2D(back, sizeof back[0], at, pitch, sizeof host[0], HEIGHT,
                      cudaMemcpyDeviceToHost));
    CHECK(back[5][0] == 0 && back[5][1] == 105);
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(5 * sizeof(int), 4, 3);
    int cube[3][4][5], cube_back[3][4][5];
    for (int i = 0; i < 60; i++)
        (&cube[0][0][0])[i] = i;
    CALL(cudaMalloc3D(&box, extent));
    cudaMemcpy3DParms in = {}, out = {};
    in.srcPtr = make_cudaPitchedPtr(cube, 5 * sizeof(int), 5 * sizeof(int), 4);
    in.dstPtr = box;
    in.extent = extent;
    in.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&in));
    out.srcPtr = box;
    out.dstPtr = make_cudaPitchedPtr(cube_back, 5 * sizeof(int), 5 * sizeof(int), 4);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3D(&out));
    CHECK(!memcmp(cube, cube_back, sizeof cube));
    CALL(cudaFree(at));
    CALL(cudaFree(box.ptr));
}

static void symbols()
{
    int values[4] = {1, 2, 3, 4}, back[4];
    void *at;
    size_t bytes;
    CALL(cudaMemcpyToSymbol(table, values, sizeof values));
    CHECK(shared_value == 5);
    use_variables<<<1, 4>>>();
    CALL(cudaMemcpyFromSymbol(back, counters, sizeof back));
    for (int i = 0; i < 4; i++)
        CHECK(back[i] == 2 * values[i]);
    CHECK(shared_value == 8);
    CALL(cudaGetSymbolAddress(&at, counters));
    CALL(cudaGetSymbolSize(&bytes, counters));
    CHECK(bytes == sizeof back);
    CALL(cudaMemcpy(back, (char *)at + 4, 4, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 4);
    EXPECT(cudaMemcpyToSymbol(table, values, sizeof values, 4), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(values, values, 4), cudaErrorInvalidSymbol);
    cudaGetLastError();
}

static void pools()
{
    int *at, back;
    cudaStream_t stream;
    size_t free_before, free_after, total;
    CALL(cudaMemGetInfo(&free_before, &total));
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMallocAsync(&at, 1 << 20, stream));
    CALL(cudaMemGetInfo(&free_after, &total));
    CHECK(free_before - free_after == 1 << 20);
    CALL(cudaMemsetAsync(at, 0, 1 << 20, stream));
    add_one<<<1, 32, 0, stream>>>(at, 32);
    CALL(cudaMemcpyAsync(&back, at, sizeof back, cudaMemcpyDeviceToHost, stream));
    CALL(cudaFreeAsync(at, stream));
    CALL(cudaStreamSynchronize(stream));
    CHECK(back == 1);
    CALL(cudaMemGetInfo(&free_after, &total));
    CHECK(free_before == free_after);
    CALL(cudaStreamDestroy(stream));
    EXPECT(cudaMalloc(&at, total + 1), cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

int main()
{
    plain();
    shared();
    rows();
    symbols();
    pools();
    return RESULT;
}
