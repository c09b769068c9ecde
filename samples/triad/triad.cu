// TRIAD: a = b + s*c, one element per thread.
//
// Shows pattern 9: ld b, ld c, fma b + c*s, st a. The scalar s is a kernel parameter, and the
// compiler contracts the multiplication and the addition into one fma; both loads are
// const __restrict__ and become ld.global.nc.  [000 §4.1, Table 3]

extern "C" __global__ void triad(float *__restrict__ a, const float *__restrict__ b,
                                 const float *__restrict__ c, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        a[i] = b[i] + s * c[i];
}
