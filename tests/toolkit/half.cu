// Small floating-point formats: half, bfloat16, eight, six and four bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

__device__ __half low(__half2 x) { return __low2half(x); }
__device__ __nv_bfloat16 low(__nv_bfloat162 x) { return __low2bfloat16(x); }
__device__ int whole(__half x) { return __half2int_rz(x) + __half2ull_rn(x) + __half2short_ru(x); }
__device__ int whole(__nv_bfloat16 x) { return __bfloat162int_rz(x) + __bfloat162uint_rd(x); }
__device__ __half2 widen(__half x) { return __half2half2(x); }
__device__ __nv_bfloat162 widen(__nv_bfloat16 x) { return __bfloat162bfloat162(x); }

template <typename T, typename T2>
__global__ void arithmetic(T *a, T2 *b, T x, float f)
{
    T y = a[threadIdx.x];
    T2 z = b[threadIdx.x];
    y = __hfma(x, y, __hadd(x, __hmul_sat(y, x)));
    y = __hsub_sat(__hmul(y, y), __hneg(__habs(x)));
    y = __hmax(__hmin(x, y), __hmax_nan(x, y)) + hsqrt(y) / hrcp(x);
    y += hexp(x) * hlog2(y) - hsin(x) + hcos(y) + hrsqrt(x) + hfloor(y) + hrint(x) + htrunc(y);
    z = __hfma2(z, widen(y), __hadd2_sat(z, __hmul2(z, z)));
    z = __hfma2_relu(z, z, h2exp2(z)) + h2sqrt(z) / h2rcp(z);
    z = __hmin2(z, __hmax2_nan(z, __heq2(z, __hltu2(z, z))));
    if (__hbge2(z, z) || __hne(x, y) || __hltu(x, y) || __hisnan(x))
        z = __lowhigh2highlow(z);
    a[threadIdx.x] = low(z) + T(f) + T(float(whole(y)));
    b[threadIdx.x] = z;
    atomicAdd(b, z);
    atomicAdd(a, y);
}

template __global__ void arithmetic(__half *, __half2 *, __half, float);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 // before there are no operators
template __global__ void arithmetic(__nv_bfloat16 *, __nv_bfloat162 *, __nv_bfloat16, float);
#endif

// Every format from float and back.
template <typename T>
__global__ void convert(T *to, float *from, __half *half, double x)
{
    to[threadIdx.x] = T(from[threadIdx.x]);
    from[threadIdx.x] = float(to[threadIdx.x + 32]);
    to[threadIdx.x + 64] = T(half[threadIdx.x]);
    half[threadIdx.x] = __half(to[threadIdx.x + 96]);
    to[threadIdx.x + 128] = T(x);
}

template __global__ void convert(__nv_fp8_e4m3 *, float *, __half *, double);
template __global__ void convert(__nv_fp8_e5m2 *, float *, __half *, double);
template __global__ void convert(__nv_fp6_e2m3 *, float *, __half *, double);
template __global__ void convert(__nv_fp6_e3m2 *, float *, __half *, double);
template __global__ void convert(__nv_fp4_e2m1 *, float *, __half *, double);

template <typename T, typename FLOATS>
__global__ void convert_many(T *to, FLOATS *from)
{
    to[threadIdx.x] = T(from[threadIdx.x]);
    from[threadIdx.x] = FLOATS(to[threadIdx.x + 32]);
}

template __global__ void convert_many(__nv_fp8x2_e4m3 *, float2 *);
template __global__ void convert_many(__nv_fp8x4_e5m2 *, float4 *);
template __global__ void convert_many(__nv_fp6x2_e3m2 *, float2 *);
template __global__ void convert_many(__nv_fp6x4_e2m3 *, float4 *);
template __global__ void convert_many(__nv_fp4x2_e2m1 *, float2 *);
template __global__ void convert_many(__nv_fp4x4_e2m1 *, float4 *);
