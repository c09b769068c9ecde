// Faults, one for each argument.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void store(int *at)
{
    at[threadIdx.x + 1000] = 1;
}

__global__ void claim(int n)
{
    assert(n == 3);
}

__global__ void trap()
{
    asm("trap;");
}

__global__ void spin(volatile int *at)
{
    while (!*at)
        ;
}

__global__ void poll(int *at)
{
    while (!atomicAdd(at, 0))
        ;
}

__global__ void forever(int *at)
{
    for (int i = 0;; i++)
        at[i & 15] += i;
}

__global__ void surface(cudaSurfaceObject_t from)
{
    asm volatile("{\n.reg .pred is;\nistypep.surfref is, %0;\n}" ::"l"(from));
}

static void show(const char *what, cudaError_t error)
{
    printf("%s: %d %s\n", what, error, cudaGetErrorName(error));
}

int main(int, char **argv)
{
    int *at;
    show("malloc", cudaMalloc(&at, 64));
    if (!strcmp(argv[1], "illegal"))
        store<<<1, 1>>>(at);
    else if (!strcmp(argv[1], "near"))
        store<<<1, 1>>>(at + atoi(argv[2]) / 4 - 1000);
    else if (!strcmp(argv[1], "assert"))
        claim<<<1, 1>>>(4);
    else if (!strcmp(argv[1], "trap"))
        trap<<<1, 1>>>();
    else if (!strcmp(argv[1], "spin"))
        spin<<<1, 1>>>(at);
    else if (!strcmp(argv[1], "poll"))
        poll<<<4, 64>>>(at);
    else if (!strcmp(argv[1], "forever"))
        forever<<<1, 1>>>(at);
    else if (!strcmp(argv[1], "surface"))
        for (int i = 0; i < 2; i++)
            surface<<<1, 1>>>(0);
    else if (!strcmp(argv[1], "room"))
        trap<<<1, 1, 32 << 10>>>();
    else if (!strcmp(argv[1], "crash") && cudaIpcGetMemHandle(NULL, NULL))
        abort();
    show("launch", cudaGetLastError());
    show("synchronise", cudaDeviceSynchronize());
    show("later", cudaMalloc(&at, 64));
    fflush(stdout);
    return 7;
}
