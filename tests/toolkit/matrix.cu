// The matrix fragments of mma.h, in each shape and format.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <int M, int N, int K, typename FORMAT, typename STORED, typename SUM, typename A, typename B>
__global__ void multiply(const STORED *a, const STORED *b, SUM *c)
{
    wmma::fragment<wmma::matrix_a, M, N, K, FORMAT, A> x;
    wmma::fragment<wmma::matrix_b, M, N, K, FORMAT, B> y;
    wmma::fragment<wmma::accumulator, M, N, K, SUM> sum;
    wmma::fill_fragment(sum, SUM(0));
    wmma::load_matrix_sync(x, a, 64);
    wmma::load_matrix_sync(y, b, 64);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(c, sum, 64, wmma::mem_row_major);
}

#define MULTIPLY(m, n, k, format, stored, sum)                                                     \
    template __global__ void                                                                       \
    multiply<m, n, k, format, stored, sum, wmma::row_major, wmma::col_major>(                      \
        const stored *, const stored *, sum *);                                                    \
    template __global__ void                                                                       \
    multiply<m, n, k, format, stored, sum, wmma::col_major, wmma::row_major>(                      \
        const stored *, const stored *, sum *);

#define SHAPES(format, sum)                                                                        \
    MULTIPLY(16, 16, 16, format, format, sum)                                                      \
    MULTIPLY(32, 8, 16, format, format, sum)                                                       \
    MULTIPLY(8, 32, 16, format, format, sum)

SHAPES(__half, float)
SHAPES(__half, __half)
SHAPES(signed char, int)
SHAPES(unsigned char, int)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
SHAPES(__nv_bfloat16, float)
MULTIPLY(16, 16, 8, wmma::precision::tf32, float, float)
MULTIPLY(8, 8, 4, double, double, double)
#endif

__global__ void bits(const unsigned *a, const unsigned *b, int *c)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
    wmma::fill_fragment(sum, 0);
    wmma::load_matrix_sync(x, a, 128);
    wmma::load_matrix_sync(y, b, 128);
    wmma::bmma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_col_major);
}
