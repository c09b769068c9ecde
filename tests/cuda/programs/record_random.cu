// Calls in random order: allocations of all kinds, releases, copies, sets, writes of the host without a call, launches.
// After each launch it writes address, size and hash of all memory into a file: record_random SEED FILE.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

struct block {
    char *at, *host; // host: where the program writes without a call
    size_t bytes;
    int kind;
};

__device__ int counter[64];
__managed__ int shared_counter[64];

__global__ void mix(const int *from, int *to, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = to[i] * 3 + from[i] * by + atomicAdd(&counter[i % 64], by) + shared_counter[(i + by) % 64];
}

static uint64_t seed;
static std::vector<block> blocks;

static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

static void need(cudaError_t error)
{
    if (error) {
        printf("FAILED %s\n", cudaGetErrorName(error));
        exit(1);
    }
}

static void allocate()
{
    block one = {NULL, NULL, 4 * (64 + draw(300)), (int)draw(5)};
    void *to = NULL;
    size_t pitch;
    switch (one.kind) {
    case 0: need(cudaMalloc(&to, one.bytes)); break;
    case 1: need(cudaMallocManaged(&to, one.bytes)); one.host = (char *)to; break;
    case 2: need(cudaHostAlloc(&to, one.bytes, cudaHostAllocMapped)); one.host = (char *)to; break;
    case 3: need(cudaMallocAsync(&to, one.bytes, 0)); break;
    case 4: need(cudaMallocPitch(&to, &pitch, one.bytes, 1)); break;
    }
    one.at = (char *)to;
    blocks.push_back(one);
    if (draw(2))
        need(cudaMemset(one.at, draw(256), one.bytes));
}

static void release()
{
    unsigned which = draw(blocks.size());
    block one = blocks[which];
    need(one.kind == 2 ? cudaFreeHost(one.at) : one.kind == 3 ? cudaFreeAsync(one.at, 0) : cudaFree(one.at));
    blocks.erase(blocks.begin() + which);
}

static void write_by_host()
{
    block &one = blocks[draw(blocks.size())];
    std::vector<int> values(one.bytes / 4);
    for (int &value : values)
        value = (int)draw(1000);
    if (one.host) {
        need(cudaDeviceSynchronize());
        ((int *)one.host)[draw(one.bytes / 4)] = values[0];
    } else if (draw(2)) {
        need(cudaMemcpyAsync(one.at, values.data(), one.bytes, cudaMemcpyHostToDevice));
    } else {
        need(cudaMemcpy(one.at, values.data(), 4 * (1 + draw(one.bytes / 4)), cudaMemcpyHostToDevice));
    }
}

static void copy_within()
{
    block &from = blocks[draw(blocks.size())], &to = blocks[draw(blocks.size())];
    if (from.at != to.at)
        need(cudaMemcpy(to.at, from.at, from.bytes < to.bytes ? from.bytes : to.bytes, cudaMemcpyDefault));
}

static void write_variable()
{
    int value = (int)draw(100);
    if (draw(2)) {
        need(cudaMemcpyToSymbol(counter, &value, 4, 4 * draw(64)));
    } else {
        need(cudaDeviceSynchronize());
        shared_counter[draw(64)] = value;
    }
}

static uint64_t hash_of(const void *at, size_t bytes)
{
    std::vector<unsigned char> data(bytes);
    need(cudaMemcpy(data.data(), at, bytes, cudaMemcpyDefault));
    uint64_t hash = 14695981039346656037u;
    for (unsigned char byte : data)
        hash = (hash ^ byte) * 1099511628211u;
    return hash;
}

static void launch(FILE *to)
{
    block &from = blocks[draw(blocks.size())], &into = blocks[draw(blocks.size())];
    int n = (int)((from.bytes < into.bytes ? from.bytes : into.bytes) / 4);
    mix<<<(n + 63) / 64, 64>>>((int *)from.at, (int *)into.at, n, 1 + (int)draw(9));
    need(cudaGetLastError());
    if (draw(8) == 0) { // a launch that is refused is not there
        mix<<<1, 2048>>>((int *)from.at, (int *)into.at, n, 1);
        if (!cudaGetLastError())
            exit(1);
    }
    fprintf(to, "launch\n");
    for (block &one : blocks)
        fprintf(to, "%llu %zu %llu\n", (unsigned long long)one.at, one.bytes,
                (unsigned long long)hash_of(one.at, one.bytes));
}

int main(int, char **argv)
{
    seed = strtoull(argv[1], NULL, 0);
    FILE *to = fopen(argv[2], "w");
    allocate();
    for (int i = 0; i < 30; i++) {
        switch (draw(10)) {
        case 0: allocate(); break;
        case 1: if (blocks.size() > 1) release(); break;
        case 2: write_by_host(); break;
        case 3: copy_within(); break;
        case 4: write_variable(); break;
        default: launch(to);
        }
    }
    launch(to);
    fclose(to);
    printf("PASSED\n");
    return 0;
}
