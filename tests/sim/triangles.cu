// Loops within loops, each as often as the outer one has gone round, and once more: the compiler
// makes of `j <= k` what counts from -1 and compares without sign. triangles.ptx is made of this by
// nvcc -ptx -arch=sm_75.
#define TRIANGLE(name, type, inner)                                                                \
    extern "C" __global__ void name(const float *a, float *b, type n)                              \
    {                                                                                              \
        float sum = 0;                                                                             \
        for (type k = 0; k < n; k++) {                                                             \
            _Pragma("unroll 1") inner                                                              \
        }                                                                                          \
        b[threadIdx.x] = sum;                                                                      \
    }

TRIANGLE(up_int, int, for (int j = 0; j <= k; j++) sum += a[j];)
TRIANGLE(up_unsigned, unsigned, for (unsigned j = 0; j <= k; j++) sum += a[j];)
TRIANGLE(up_long, long, for (long j = 0; j <= k; j++) sum += a[j];)
TRIANGLE(up_short, int, for (short j = 0; j <= k; j++) sum += a[j];)
TRIANGLE(up_byte, int, for (unsigned char j = 0; j <= k; j++) sum += a[j];)
TRIANGLE(by_two, int, for (int j = 0; j <= k; j += 2) sum += a[j];)
TRIANGLE(by_three, unsigned, for (unsigned j = 0; j <= k; j += 3) sum += a[j];)
TRIANGLE(below, int, for (int j = 0; j < k; j++) sum += a[j];)
TRIANGLE(down, int, for (int j = k; j >= 0; j--) sum += a[j];)
TRIANGLE(to_the_end, unsigned, for (unsigned j = k; j <= n; j++) sum += a[j];)
TRIANGLE(to_zero, unsigned, for (unsigned j = k + 1; j-- > 0;) sum += a[j];)
