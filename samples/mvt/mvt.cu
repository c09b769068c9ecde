// MVT: matrix-vector product and transposed product, x1 = x1 + A y1, x2 = x2 + A^T y2.
//
// Shows patterns 1 (mvt_add: x = x + t) and 2 (a*y in the sums). The compiler contracts the sums
// into fma acc,a,y: with --fma=split the multiplication is pattern 2, with --fma=fused the fma is
// turned down for its register operand.  [000 §4.1 and §5, Table 3]
//
// A is n by n, row-major. mvt_rows and mvt_columns each make one product t, one element per
// thread, and mvt_add adds it to x; mvt_add has plain pointers. The matrix and the vectors y are
// const __restrict__ (ld.global.nc). The loops are unrolled by four, each copy is a chain of its
// own.

extern "C" __global__ void mvt_rows(const float *__restrict__ a, const float *__restrict__ y,
                                    float *__restrict__ t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (i >= n)
        return;
#pragma unroll 4
    for (int j = 0; j < n; j++)
        sum += a[i * n + j] * y[j];
    t[i] = sum;
}

extern "C" __global__ void mvt_columns(const float *__restrict__ a, const float *__restrict__ y,
                                       float *__restrict__ t, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (j >= n)
        return;
#pragma unroll 4
    for (int i = 0; i < n; i++)
        sum += a[i * n + j] * y[i];
    t[j] = sum;
}

extern "C" __global__ void mvt_add(float *x, const float *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = x[i] + t[i];
}
