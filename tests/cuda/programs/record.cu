// A list of nodes with pointers in memory: two runs of launches with a write of the host between.
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

struct node {
    int value;
    const node *next;
};

struct scaling {
    float by;
    int add[3];
};

__constant__ int offset = 100;

__global__ void add_up(const node *first, int *to, scaling how)
{
    int sum = offset;
    for (const node *at = first; at; at = at->next)
        sum += (int)(at->value * how.by);
    to[threadIdx.x] += sum + how.add[threadIdx.x];
}

int main()
{
    enum { N = 10 };
    node *nodes, host[N];
    int *to, got[2];
    cudaMalloc(&nodes, sizeof host);
    cudaMalloc(&to, sizeof got);
    for (int i = 0; i < N; i++)
        host[i] = {i, i ? nodes + i - 1 : NULL};
    cudaMemcpy(nodes, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(to, 0, sizeof got);
    add_up<<<1, 2>>>(nodes + N - 1, to, {2.5f, {1, 2, 3}});
    cudaProfilerStart();
    add_up<<<1, 2>>>(nodes + N - 1, to, {1, {1, 2, 3}});
    cudaProfilerStop();
    cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
    printf("run 0: %d %d\n", got[0], got[1]);
    host[3].value = 1000;
    cudaMemcpy(nodes, host, sizeof host, cudaMemcpyHostToDevice);
    add_up<<<1, 2>>>(nodes + N - 1, to, {1, {1, 2, 3}});
    cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
    printf("run 1: %d %d\n", got[0], got[1]);
    return 0;
}
