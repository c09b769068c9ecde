// Latencies of dependent instructions and loads, in cycles of the core's clock. Each line is "NAME VALUE".
//
//     nvcc -arch=native -o latency latency.cu && ./latency [MEGABYTES]
//
// MEGABYTES is the size of the chain for the DRAM, at least three times L2.
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned long long word;

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "latency: %s\n", cudaGetErrorString(error));
    exit(1);
}

// Repeats a step and stores its cycles; the first round brings its code.
#define TIMED(round, steps, step)                                                                  \
    for (int round = 0; round < 2; round++) {                                                      \
        long long begin = clock64();                                                               \
        _Pragma("unroll") for (int i = 0; i < (steps); i++) step;                                  \
        out[0] = (float)(clock64() - begin) / (steps);                                             \
    }

__global__ void fma32(float *out, float x)
{
    TIMED(round, 256, asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x)))
    out[1] = x;
}

__global__ void add32(float *out, int x)
{
    TIMED(round, 256, asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(x)))
    out[1] = x;
}

__global__ void fma64(float *out, double x)
{
    TIMED(round, 256, asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(x)))
    out[1] = x;
}

__global__ void root(float *out, float x)
{
    TIMED(round, 256, asm volatile("sqrt.approx.f32 %0, %0;" : "+f"(x)))
    out[1] = x;
}

__global__ void shared(float *out)
{
    __shared__ unsigned at;
    unsigned p = (unsigned)__cvta_generic_to_shared(&at);
    at = p;
    __syncthreads();
    TIMED(round, 256, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory"))
    out[1] = p;
}

__global__ void atomic(float *out, int *at, int x)
{
    TIMED(round, 64, asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(x) : "l"(at) : "memory"))
    out[1] = x;
}

__global__ void l1(float *out, word p)
{
    TIMED(round, 128, asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory"))
    out[1] = p;
}

// The second of two rounds over the chain counts if `rounds` is 2.
__global__ void l2(float *out, word p, int steps, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        long long begin = clock64();
#pragma unroll 16
        for (int i = 0; i < steps; i++)
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
        out[0] = (float)(clock64() - begin) / steps;
    }
    out[1] = p;
}

static float *result;

static float read_result()
{
    float value;
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// A chain through lines of 128 bytes, in an order with a stride of 0.618 of their number.
static void make_chain(word *chain, size_t lines)
{
    size_t stride = (size_t)(0.618 * lines) | 1; // the number of lines is a power of two
    std::vector<word> host(lines * 16);
    for (size_t i = 0; i < lines; i++)
        host[i * 16] = (word)(chain + (i + stride) % lines * 16);
    check(cudaMemcpy(chain, host.data(), host.size() * sizeof(word), cudaMemcpyHostToDevice));
}

static void measure_sides(word *chain)
{
    float near = 1e9, far = 0;
    for (int line = 0; line < 24; line++) {
        word at = (word)(chain + line * 512);
        check(cudaMemcpy((void *)at, &at, sizeof at, cudaMemcpyHostToDevice));
        l2<<<1, 1>>>(result, at, 128, 2);
        float cycles = read_result();
        near = cycles < near ? cycles : near;
        far = cycles > far ? cycles : far;
    }
    printf("L2 near %.1f\nL2 far %.1f\n", near, far);
}

#define SHOW(name, launch)                                                                         \
    do {                                                                                           \
        launch;                                                                                    \
        printf("%s %.1f\n", name, read_result());                                                  \
        fflush(stdout);                                                                            \
    } while (0)

int main(int argc, char **argv)
{
    size_t megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 256, lines = 1 << 13;
    while (lines << 7 < megabytes << 20)
        lines *= 2;
    word *chain;
    check(cudaMalloc(&chain, lines << 7));
    check(cudaMalloc(&result, 2 * sizeof *result));
    SHOW("fp32 fma", (fma32<<<1, 1>>>(result, 1)));
    SHOW("int mad", (add32<<<1, 1>>>(result, 1)));
    SHOW("fp64 fma", (fma64<<<1, 1>>>(result, 1)));
    SHOW("sqrt", (root<<<1, 1>>>(result, 1)));
    SHOW("shared memory", (shared<<<1, 1>>>(result)));
    check(cudaMemset(chain, 0, 128));
    SHOW("atomic", (atomic<<<1, 1>>>(result, (int *)chain, 0)));
    make_chain(chain, 64);
    SHOW("L1 hit", (l1<<<1, 1>>>(result, (word)chain)));
    measure_sides(chain);
    make_chain(chain, lines);
    SHOW("DRAM", (l2<<<1, 1>>>(result, (word)chain, 2048, 1)));
    return 0;
}
