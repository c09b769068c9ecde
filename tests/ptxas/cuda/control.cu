// Loops, switches through a table, early returns, recursion, calls by address, printf, assert.
#include <cassert>
#include <cstdio>

__device__ __noinline__ float leaf(float x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 1.5f + (float)i;
    return x;
}

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

typedef float (*function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }
__device__ function functions[] = {twice, half_of};

struct point {
    double x, y;
    int tags[3];
};

__device__ __noinline__ point move_by(point p, double by)
{
    p.x += by;
    p.tags[1] ^= 7;
    return p;
}

extern "C" __global__ void choose(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = in[i];
    switch (v) {
    case 0: v = in[0] * 3; break;
    case 1: v = in[1] + 11; break;
    case 2: v = v << in[2]; break;
    case 3: v = fibonacci(in[3]); break;
    case 4: v = min(in[4], 9); break;
    case 5: v = in[5] / 7; break;
    case 6: v = in[6] % 13; break;
    case 7: return;
    default: v = -1;
    }
    out[i] = v;
}

extern "C" __global__ void calls(float *out, int which, int n, point *points)
{
    int i = threadIdx.x;
    out[i] = leaf(functions[which & 1](out[i]), n);
    points[i] = move_by(points[i], out[i]);
    if (out[i] > 100.0f)
        printf("%d: %f\n", i, out[i]);
    assert(out[i] >= 0);
}

extern "C" __global__ void nested(float *a, const float *__restrict__ b, int rows, int columns)
{
    for (int r = threadIdx.x; r < rows; r += blockDim.x) {
        float sum = 0;
        for (int c = 0; c < columns; c++) {
            if (b[c] < 0)
                continue;
            if (b[c] > 1e6f)
                break;
            sum += b[r * columns + c] * b[c];
        }
        do {
            sum *= 0.5f;
        } while (sum > 1.0f);
        a[r] = sum;
    }
}
