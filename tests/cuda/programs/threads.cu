// Two host threads launch, copy and wait at the same time.
#include "check.h"
#include <thread>
#include <vector>

__global__ void add(int *at, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i] += value;
}

static int wrong[2];

static void work(int number)
{
    enum { N = 5000, ROUNDS = 20 };
    std::vector<int> host(N);
    int *at;
    cudaStream_t stream;
    wrong[number] += cudaMalloc(&at, N * sizeof(int)) != cudaSuccess;
    wrong[number] += cudaStreamCreate(&stream) != cudaSuccess;
    wrong[number] += cudaMemsetAsync(at, 0, N * sizeof(int), stream) != cudaSuccess;
    for (int i = 0; i < ROUNDS; i++) {
        add<<<(N + 255) / 256, 256, 0, stream>>>(at, N, number + 1);
        wrong[number] += cudaMemcpyAsync(host.data(), at, N * sizeof(int), cudaMemcpyDeviceToHost,
                                         stream) != cudaSuccess;
        wrong[number] += cudaStreamSynchronize(stream) != cudaSuccess;
        for (int k = 0; k < N; k++)
            wrong[number] += host[k] != (i + 1) * (number + 1);
    }
    // An error is the thread's own.
    if (number)
        cudaMemcpy(NULL, at, 1000000, cudaMemcpyDeviceToHost);
    wrong[number] += (cudaGetLastError() != cudaSuccess) != (number == 1);
    wrong[number] += cudaFree(at) != cudaSuccess;
}

int main()
{
    std::thread other(work, 1);
    work(0);
    other.join();
    CHECK(!wrong[0] && !wrong[1]);
    return RESULT;
}
