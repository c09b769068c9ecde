// Half precision and bfloat16, single and packed, and what is beside them in the headers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// All 65536 numbers x with one y each: sum, product, x * y + 1, quotient, the larger one, x as an
// integer, and the square root.
template <typename T, typename PAIR>
__device__ void compute(const unsigned short *x, const unsigned short *y, unsigned short *to,
                        float *wide)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T a = reinterpret_cast<const T *>(x)[i], b = reinterpret_cast<const T *>(y)[i];
    T *mine = reinterpret_cast<T *>(to) + 8 * i;
    PAIR both(a, b), other(b, a), sums = both + other;
    mine[0] = a + b;
    mine[1] = a * b;
    mine[2] = __hfma(a, b, T(1.0f));
    mine[3] = __hmax(a, b);
    mine[4] = T(-float(a));
    mine[5] = sums.x;
    mine[6] = __hsub(a, b);
    mine[7] = __habs(a);
    wide[2 * i] = float(a);
    wide[2 * i + 1] = a < b ? 1 : a == b ? 2 : 3;
}

extern "C" __global__ void half_numbers(const unsigned short *x, const unsigned short *y,
                                        unsigned short *to, float *wide)
{
    compute<__half, __half2>(x, y, to, wide);
}

extern "C" __global__ void bfloat_numbers(const unsigned short *x, const unsigned short *y,
                                          unsigned short *to, float *wide)
{
    compute<__nv_bfloat16, __nv_bfloat162>(x, y, to, wide);
}
