// The time of a copy of 128 KB, and of its halves, by events.
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    enum { BYTES = 128 << 10 };
    char *host, *at;
    cudaEvent_t begin, end;
    float whole, halves;
    cudaMallocHost(&host, BYTES);
    cudaMalloc(&at, BYTES);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    cudaEventSynchronize(begin);
    cudaEventRecord(begin);
    cudaMemcpyAsync(at, host, BYTES, cudaMemcpyHostToDevice);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&whole, begin, end);
    cudaEventRecord(begin);
    cudaMemcpyAsync(at, host, BYTES / 2, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(at + BYTES / 2, host, BYTES / 2, cudaMemcpyHostToDevice);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&halves, begin, end);
    printf("%f %f\n", 1000 * whole, 1000 * halves);
    return 0;
}
