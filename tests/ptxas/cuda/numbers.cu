// Types and operations: halves, doubles, wide integers, slow paths of mathematics, bits, video.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(__half *a, __half2 *b, __nv_bfloat16 *c, float *d)
{
    int i = threadIdx.x;
    a[i] = __hfma(a[i], a[i + 1], __float2half(d[i]));
    b[i] = __hmul2(b[i], b[i + 1]);
    c[i] = __float2bfloat16(__bfloat162float(c[i]) * 3.0f);
    d[i] = __half2float(a[i]);
}

extern "C" __global__ void mathematics(float *a, double *b)
{
    int i = threadIdx.x;
    a[i] = sinf(a[i]) + expf(a[i + 1]) / logf(a[i + 2]) + powf(a[i], 0.3f) + rsqrtf(a[i + 3]);
    a[i + 4] = __sinf(a[i]) * __frcp_rz(a[i]) + __fdividef(a[i], a[i + 1]) + fmodf(a[i], 3.0f);
    b[i] = sin(b[i]) + sqrt(b[i + 1]) / b[i + 2] + erf(b[i]);
    b[i + 1] = __longlong_as_double(__double_as_longlong(b[i]) ^ 1);
    a[i + 5] = isnan(a[i]) ? INFINITY : copysignf(floorf(a[i]), -1.0f);
}

extern "C" __global__ void integers(long long *a, unsigned *b, short *c, unsigned char *d)
{
    int i = threadIdx.x;
    a[i] = a[i] / a[i + 1] + __mul64hi(a[i], a[i + 2]) % 1000003;
    b[i] = __popc(b[i]) + __clz(b[i + 1]) + __brev(b[i + 2]) + __ffs(b[i + 3]);
    b[i + 1] = __byte_perm(b[i], b[i + 1], 0x3210) + __funnelshift_l(b[i], b[i + 1], 5);
    b[i + 2] = __vadd4(b[i], b[i + 1]) + __vabsdiffu4(b[i], b[i + 2]) + __dp4a(b[i], b[i + 1], 7u);
    b[i + 3] = __sad((int)b[i], (int)b[i + 1], 3u) + __umulhi(b[i], b[i + 2]);
    c[i] = (short)(c[i] * c[i + 1] >> 3);
    d[i] = (unsigned char)(d[i] + (a[i] > 0));
    unsigned __int128 wide = (unsigned __int128)a[i] * a[i + 1] + b[i];
    a[i] = (long long)(wide >> 64);
}
