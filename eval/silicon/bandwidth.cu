// Bandwidths of L1, L2 and DRAM, in GB/s of the whole GPU. Each line is "NAME VALUE".
//
//     nvcc -arch=native -o bandwidth bandwidth.cu && ./bandwidth [MEGABYTES [ROUNDS]]
//
// MEGABYTES is the size of the stream from the DRAM, ROUNDS the length of the loops.
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "bandwidth: %s\n", cudaGetErrorString(error));
    exit(1);
}

// Each thread reads 8 doubles at a time, `step` apart, `rounds` times, within `size` doubles from
// a place of its CTA on; `size` is a power of two.
template <bool in_l1>
__global__ void sum(const double *data, double *out, unsigned size, unsigned place, unsigned step,
                    int rounds)
{
    const double *own = in_l1 ? data + (size_t)blockIdx.x * size + threadIdx.x : data;
    unsigned at = blockIdx.x * place + threadIdx.x;
    double total = 0;
    for (int i = 0; i < rounds; i++) {
        double value[8];
#pragma unroll
        for (int k = 0; k < 8; k++, at += step)
            if (in_l1)
                asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(value[k]) : "l"(own + k % 4 * 1024));
            else
                asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(value[k]) : "l"(own + (at & (size - 1))));
#pragma unroll
        for (int k = 0; k < 8; k++)
            total += value[k];
    }
    if (total == 1.5)
        out[0] = total;
}

static cudaEvent_t begin, end;

static float run(bool in_l1, int ctas, const double *data, double *out, unsigned size,
                 unsigned place, unsigned step, int rounds)
{
    float ms;
    check(cudaEventRecord(begin));
    if (in_l1)
        sum<true><<<ctas, 1024>>>(data, out, size, place, step, rounds);
    else
        sum<false><<<ctas, 1024>>>(data, out, size, place, step, rounds);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

// The difference of two lengths, so that starts and ends do not count.
static void show(const char *name, bool in_l1, int ctas, const double *data, double *out,
                 unsigned size, unsigned place, unsigned step, int rounds)
{
    run(in_l1, ctas, data, out, size, place, step, rounds);
    float shorter = run(in_l1, ctas, data, out, size, place, step, rounds);
    float longer = run(in_l1, ctas, data, out, size, place, step, 3 * rounds);
    printf("%s %.1f\n", name, 2.0 * rounds * 8 * 8 * 1024 * ctas / (longer - shorter) / 1e6);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    size_t megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
    int rounds = argc > 2 ? atoi(argv[2]) : 1024, cores;
    unsigned count = 1 << 19; // 4 MB of doubles, at least; a power of two
    double *data, *out;
    check(cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0));
    while ((size_t)count << 3 < megabytes << 20)
        count *= 2;
    check(cudaMalloc(&data, (size_t)count * sizeof *data + ((size_t)cores << 16)));
    check(cudaMalloc(&out, sizeof *out));
    check(cudaMemset(data, 0, (size_t)count * sizeof *data));
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    show("L1 bandwidth", true, cores, data, out, 4096, 0, 1024, rounds);
    show("L2 bandwidth", false, 2 * cores, data, out, 1 << 19, 1024, 7 * 1024, rounds);
    // All threads read a part of the stream together, and then the next one.
    int turns = (int)(count / (16384u * cores) / 3);
    show("DRAM bandwidth", false, 2 * cores, data, out, count, 1024, 2048 * cores,
         turns > 0 ? turns : 1);
    return 0;
}
