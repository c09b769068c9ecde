// What bench/machine.c measures: nvcc -ptx -arch=compute_75 kernels.cu
//
// All take the same: two arrays that are read, one that is written, and a number.

extern "C" __global__ void vecadd(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

// C = A · B, square matrices of n × n, by tiles in shared memory.
template <int TILE> static __device__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void matmul16(const float *a, const float *b, float *c, int n)
{
    multiply<16>(a, b, c, n);
}

extern "C" __global__ void matmul32(const float *a, const float *b, float *c, int n)
{
    multiply<32>(a, b, c, n);
}

// Random words: most lanes have a line of their own.
extern "C" __global__ void gather(const unsigned *a, const unsigned *b, unsigned *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[b[i] & (n - 1)];
}

// Lanes have up to 15 neighbours each, of which they visit the ones that are small: as in a search.
extern "C" __global__ void visit(const unsigned *a, const unsigned *b, unsigned *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, count = a[i] & 15, seen = 0;
#pragma unroll 1
    for (unsigned k = 0; k < count; k++) {
        unsigned next = (b[i] + k * 40503u) & (n - 1);
        if (a[next] & 16)
            seen += a[next] >> 5;
        else
            c[next] = k;
    }
    if (seen)
        c[i] = seen;
}

// n rounds of sums of all words of a CTA, in shared memory.
extern "C" __global__ void sum(const unsigned *a, const unsigned *b, unsigned *c, unsigned n)
{
    __shared__ unsigned part[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    unsigned own = a[i];
#pragma unroll 1
    for (unsigned round = 0; round < n; round++) {
        part[t] = own;
        __syncthreads();
#pragma unroll 1
        for (unsigned half = 128; half; half >>= 1) {
            if (t < half)
                part[t] += part[t + half];
            __syncthreads();
        }
        own += part[0];
        __syncthreads();
    }
    c[i] = own;
}

// Each instruction waits for the one before it.
extern "C" __global__ void chain(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i];
#pragma unroll 1
    for (unsigned k = 0; k < n; k++) {
#pragma unroll
        for (unsigned m = 0; m < 16; m++)
            x = x * y + 1;
    }
    c[i] = x;
}

// Eight of them side by side.
extern "C" __global__ void parallel(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[8], y = b[i];
    for (unsigned m = 0; m < 8; m++)
        x[m] = a[i] + m;
#pragma unroll 1
    for (unsigned k = 0; k < n; k++) {
#pragma unroll
        for (unsigned m = 0; m < 16; m++)
            x[m % 8] = x[m % 8] * y + 1;
    }
    for (unsigned m = 1; m < 8; m++)
        x[0] += x[m];
    c[i] = x[0];
}

// Each load waits for the one before it, and comes from the DRAM.
extern "C" __global__ void chase(const unsigned *a, const unsigned *b, unsigned *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i & ~31u;
#pragma unroll 1
    for (unsigned k = 0; k < n; k++)
        at = b[at] & ~31u;
    c[i] = at;
}

// Lines far from each other, as many at a time as fit.
extern "C" __global__ void strided(const unsigned *a, const unsigned *b, unsigned *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, x = 0;
    for (unsigned k = 0; k < 8; k++)
        x += a[(i + k * all) * 33u & (n - 1)];
    c[i] = x;
}
