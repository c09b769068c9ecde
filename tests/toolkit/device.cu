// What nvcc's own headers declare for device code: mathematics, SIMD in a word, loads with cache
// hints, votes, textures, surfaces, curand's generators, dynamic allocation, printf and assert.
#include <cassert>
#include <cstdio>
#include <cuda_fp16.h>
#include <curand_kernel.h>

template <typename T>
__global__ void mathematics(T *data)
{
    T x = data[threadIdx.x], y = data[threadIdx.x + 32], z;
    int n;
    x = sin(x) + cos(y) + tan(x) + asin(y) + atan2(x, y) + sinh(x) + cosh(y) + tanh(x);
    y = exp(x) + exp2(y) + expm1(x) + log(y) + log2(x) + log1p(y) + pow(x, y) + cbrt(x);
    x += erf(y) + erfc(x) + erfinv(y) + lgamma(x) + tgamma(y) + j0(x) + y1(y) + jn(3, x);
    y += fmod(x, y) + remainder(y, x) + fma(x, y, x) + hypot(x, y) + rsqrt(x) + norm3d(x, y, x);
    x += floor(y) + rint(x) + round(y) + trunc(x) + ldexp(y, 3) + frexp(x, &n) + modf(y, &z);
    y += nextafter(x, y) + fdim(x, y) + copysign(x, y) + ilogb(x) + llrint(y) + sinpi(x) + n + z;
    data[threadIdx.x] = x + y;
}

template __global__ void mathematics(float *);
template __global__ void mathematics(double *);

__global__ void rounding(float *f, double *d)
{
    float x = f[0], y = f[1];
    double a = d[0], b = d[1];
    f[2] = __fadd_rz(x, __fmul_ru(y, __fmaf_rd(x, y, x))) + __fdividef(x, y) + __frcp_rn(x) +
           __fsqrt_ru(y) + __sinf(x) + __expf(y) + __log2f(x) + __powf(x, y) + __saturatef(y) +
           __int_as_float(__float2int_ru(x)) + __half2float(__float2half_rn(y));
    d[2] = __dadd_rz(a, __dmul_ru(b, __fma_rd(a, b, a))) + __ddiv_rn(a, b) + __drcp_rz(a) +
           __dsqrt_rd(b) + __longlong_as_double(__double2ll_rd(a)) + __hiloint2double(1, __double2loint(b));
}

__global__ void integers(unsigned *u, unsigned long long *w)
{
    unsigned a = u[0], b = u[1];
    unsigned long long c = w[0], d = w[1];
    u[2] = __vadd2(a, b) + __vabsdiffu4(a, b) + __vmaxs2(a, b) + __vcmpgtu4(a, b) + __vsubss4(a, b) +
           __vavgu2(a, b) + __vsadu4(a, b) + __vimax3_s32(a, b, 3) + __viaddmax_s16x2(a, b, a) +
           __byte_perm(a, b, 0x1032) + __popc(a) + __clz(b) + __ffs(a) + __brev(b) + __umulhi(a, b) +
           __mul24(a, b) + __usad(a, b, a) + __funnelshift_lc(a, b, 5) + __dp4a(a, b, 7u) +
           __dp2a_lo(a, b, 7u) + __uhadd(a, b) + __fns(a, 0, 2) + a / b + a % b;
    w[2] = __umul64hi(c, d) + __popcll(c) + __clzll(d) + __brevll(c) + c / d + c % d;
}

__global__ void loads(const float4 *from, float4 *to, const double2 *wide)
{
    float4 x = __ldg(from), y = __ldcg(from + 1), z = __ldcs(from + 2), v = __ldlu(from + 3);
    x.x += y.y * z.z + v.w + __ldca(wide).x + __ldcv(wide + 1).y;
    __stcg(to, x);
    __stwt(to + 1, y);
    __stcs(to + 2, z);
    __stwb(to + 3, v);
}

__global__ void votes(unsigned *u)
{
    unsigned x = u[threadIdx.x], mask = __activemask();
    x += __shfl_sync(mask, x, 3) + __shfl_up_sync(mask, x, 1, 16) + __shfl_xor_sync(mask, x, 2);
    x += __ballot_sync(mask, x) + __any_sync(mask, x) + __all_sync(mask, x);
#if __CUDA_ARCH__ >= 800
    x += __reduce_add_sync(mask, x) + __reduce_max_sync(mask, int(x)) + __reduce_xor_sync(mask, x);
#endif
    int same;
    x += __match_any_sync(mask, x) + __match_all_sync(mask, x, &same) + same;
    __syncwarp(mask);
    x += __syncthreads_count(x) + __syncthreads_and(x) + __syncthreads_or(x);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    __nanosleep(100);
    u[threadIdx.x] = x + clock() + clock64() + __isGlobal(u) + __isShared(u) + __isConstant(u);
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *w, float *f, double *d)
{
    i[1] = atomicAdd(i, 1) + atomicSub(i, 2) + atomicExch(i, 3) + atomicMin(i, 4) + atomicCAS(i, 5, 6);
    u[1] = atomicInc(u, 7) + atomicDec(u, 8) + atomicAnd(u, 9) + atomicOr(u, 10) + atomicXor_block(u, 11);
    w[1] = atomicAdd_system(w, 12) + atomicMax(w, 13) + atomicCAS_block(w, 14, 15);
    f[1] = atomicAdd(f, 16.0f) + atomicExch(f, 17.0f);
    d[1] = atomicAdd_block(d, 18.0);
    unsigned short s = 1;
    u[2] = atomicCAS(reinterpret_cast<unsigned short *>(u), s, s);
}

__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *to)
{
    float4 x = tex1D<float4>(t, 0.5f), y = tex2D<float4>(t, 0.5f, 0.5f);
    float4 z = tex3D<float4>(t, 0, 0, 0), v = tex2DLod<float4>(t, 0, 0, 1);
    x.x += tex1Dfetch<float>(t, 3) + tex2DLayered<float>(t, 0, 0, 1) + texCubemap<float>(t, 0, 0, 0);
    y.y += tex2Dgather<float4>(t, 0, 0, 2).x + tex2DGrad<float>(t, 0, 0, {1, 2}, {3, 4});
    surf2Dwrite(x, s, 16, 1);
    surf1Dwrite(1.0f, s, 4, cudaBoundaryModeZero);
    surf3Dwrite(y, s, 16, 1, 2, cudaBoundaryModeClamp);
    to[threadIdx.x] = surf2Dread<float4>(s, 16, 1, cudaBoundaryModeTrap);
    to[threadIdx.x + 32] = z;
    to[threadIdx.x + 64] = v;
}

template <typename STATE>
__global__ void random(float *to)
{
    STATE state;
    curand_init(1, threadIdx.x, 0, &state);
    to[threadIdx.x] = curand_uniform(&state) + curand_normal2(&state).x + curand_poisson(&state, 3.0);
}

template __global__ void random<curandStateXORWOW_t>(float *);
template __global__ void random<curandStateMRG32k3a_t>(float *);
template __global__ void random<curandStatePhilox4_32_10_t>(float *);

struct shape {
    __device__ virtual float area() const = 0;
};
struct square : shape {
    float side;
    __device__ float area() const override { return side * side; }
};
__constant__ float table[64] = {1, 2, 3};
__managed__ int counter;
extern __shared__ double dynamic[];

__noinline__ __device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void __launch_bounds__(256, 2) language(int *to, const shape *s, int (*f)(int))
{
    assert(to);
    int *own = static_cast<int *>(malloc(4 * threadIdx.x));
    float *room = static_cast<float *>(alloca(threadIdx.x * 4));
    room[0] = table[threadIdx.x];
    own[0] = f(fibonacci(to[0])) + int(s->area()) + int(room[0]) + counter;
    dynamic[threadIdx.x] = own[0];
    switch (to[threadIdx.x]) {
    case 0: to[0] = 5; break;
    case 1: to[1] = 7; break;
    case 2: to[2] = 11; break;
    case 3: to[3] = 13; break;
    case 4: to[4] = own[0]; break;
    case 5: to[5] = 17; break;
    default: printf("%d %f \"%s\"\n", own[0], dynamic[0], "text");
    }
    free(own);
    __trap();
}
