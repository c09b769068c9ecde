// Floating-point numbers: all roundings, conversions, and functions with exact results.
#include "common.h"
#ifdef __CUDA_ARCH__
#define DEV 1
#else
#define DEV 0
#ifndef __CUDACC__
#include <cfenv>
#include <quadmath.h>
#include <algorithm>
#endif
#endif
HD static inline u32 F(float f)
{
    union {
        float f;
        u32 u;
    } x;
    x.f = f;
    return f != f ? 0x7fffffff : x.u;
}
HD static inline u64 D(double f)
{
    union {
        double f;
        u64 u;
    } x;
    x.f = f;
    return f != f ? 0x7ff8000000000000ull : x.u;
}
HD static inline float rf(int i, int k)
{
    u64 r = mix(i * 31 + k);
    union {
        u32 u;
        float f;
    } x;
    x.u = (u32)r;
    switch (r >> 60) {
    case 0: x.u &= 0x80000000; break;
    case 1: x.u &= 0x807fffff; break;
    case 2: x.u = (x.u & 0x80000000) | 0x7f800000; break;
    case 3: x.u = (x.u & 0x80000003) | 0x3f800000; break;
    case 4:
        x.u |= 0x7f000000;
        x.u &= 0xff7fffff;
        break;
    case 5: x.u = (x.u & 0x80ffffff) | 0x00400000; break;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10: x.u = (x.u & 0x87ffffff) | 0x3c000000;
    }
    return x.f;
}
HD static inline double rd(int i, int k)
{
    u64 r = mix(i * 37 + k), q = mix(r);
    union {
        u64 u;
        double f;
    } x;
    x.u = r;
    const u64 S = 1ull << 63;
    switch (q >> 60) {
    case 0: x.u &= S; break;
    case 1: x.u &= S | 0xfffffffffffffull; break;
    case 2: x.u = (x.u & S) | 0x7ff0000000000000ull; break;
    case 3: x.u = (x.u & (S | 3)) | 0x3ff0000000000000ull; break;
    case 4:
        x.u = (x.u & 0x801fffffffffffffull) | 0x7fe0000000000000ull;
        x.u &= ~0x10000000000000ull;
        break;
    case 5: x.u = (x.u & 0x801fffffffffffffull); break;
    case 6:
    case 7:
    case 8:
    case 9: x.u = (x.u & 0x807fffffffffffffull) | 0x3fc0000000000000ull;
    }
    return x.f;
}
#if !DEV && !defined(__CUDACC__)
template <class Fn> static auto under(int mode, Fn f)
{
    fesetround(mode);
    volatile auto r = f();
    asm volatile("" ::: "memory");
    fesetround(FE_TONEAREST);
    return r;
}
static const int MODES[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
#define R4(devname, S, hostexpr)                                                                   \
    for (int m = 0; m < 4; m++)                                                                    \
        o[k++] = S(under(MODES[m], [&] { return hostexpr; }));
#else
#define R4(devname, S, ...)                                                                        \
    {                                                                                              \
        o[k++] = S(devname(rn));                                                                   \
        o[k++] = S(devname(rz));                                                                   \
        o[k++] = S(devname(rd));                                                                   \
        o[k++] = S(devname(ru));                                                                   \
    }
#endif
TEST(round_f32, u32, 28)
{
    volatile float a = rf(i, 0), b = rf(i, 1), c = rf(i, 2);
    if (i % 3 == 0)
        c = -(a * b);
    int k = 0;
    if (i % 7 == 0)
        b = a;
#define A_(m) __fadd_##m(a, b)
#define S_(m) __fsub_##m(a, b)
#define M_(m) __fmul_##m(a, b)
#define D_(m) __fdiv_##m(a, b)
#define Q_(m) __fsqrt_##m(a)
#define R_(m) __frcp_##m(a)
#define X_(m) __fmaf_##m(a, b, c)
    R4(A_, F, a + b)
    R4(S_, F, a - b) R4(M_, F, a * b) R4(D_, F, a / b) R4(Q_, F, sqrtf(a)) R4(R_, F, 1.0f / a)
        R4(X_, F, fmaf(a, b, c))
}
TEST(round_f64, u64, 28)
{
    volatile double a = rd(i, 0), b = rd(i, 1), c = rd(i, 2);
    if (i % 3 == 0)
        c = -(a * b);
    int k = 0;
    if (i % 7 == 0)
        b = a;
#undef A_
#undef S_
#undef M_
#undef D_
#undef Q_
#undef R_
#undef X_
#define A_(m) __dadd_##m(a, b)
#define S_(m) __dsub_##m(a, b)
#define M_(m) __dmul_##m(a, b)
#define D_(m) __ddiv_##m(a, b)
#define Q_(m) __dsqrt_##m(a)
#define R_(m) __drcp_##m(a)
#define X_(m) __fma_##m(a, b, c)
    R4(A_, D, a + b)
    R4(S_, D, a - b) R4(M_, D, a * b) R4(D_, D, a / b) R4(Q_, D, sqrt(a)) R4(R_, D, 1.0 / a)
        R4(X_, D, fma(a, b, c))
}
#if !DEV && !defined(__CUDACC__)
template <class T> static u64 cvt(double x, int m)
{
    if (x != x)
        return sizeof(T) == 8 ? 0x8000000000000000ull : 0;
    double r = m == 0 ? nearbyint(x) : m == 1 ? trunc(x) : m == 2 ? floor(x) : ceil(x);
    long double lo = std::is_signed<T>::value ? -ldexpl(1, sizeof(T) * 8 - 1) : 0,
                hi = std::is_signed<T>::value ? ldexpl(1, sizeof(T) * 8 - 1) - 1
                                              : ldexpl(1, sizeof(T) * 8) - 1;
    return (u64)(T)(r < lo ? (T)lo : r > hi ? (T)hi : (T)r);
}
#define C4(devname, T, x)                                                                          \
    for (int m = 0; m < 4; m++)                                                                    \
        o[k++] = cvt<T>(x, m);
#else
#define C4(devname, T, x)                                                                          \
    {                                                                                              \
        o[k++] = (u64)(T)devname##_rn(x);                                                          \
        o[k++] = (u64)(T)devname##_rz(x);                                                          \
        o[k++] = (u64)(T)devname##_rd(x);                                                          \
        o[k++] = (u64)(T)devname##_ru(x);                                                          \
    }
#endif
TEST(conv, u64, 68)
{
    float a = rf(i, 5);
    double b = rd(i, 6);
    if (i % 3 == 0) {
        a = (float)(s64)mix(i) * (i % 2 ? 1.0f / 4294967296 : 1.0f / (1ull << 50));
        b = (double)(s64)mix(i) / (i % 2 ? 4294967296.0 : 1ull << 50);
    }
    if (a != a)
        a = 3;
    if (b != b)
        b = 4;
    int k = 0;
    C4(__float2int, s32, a)
    C4(__float2uint, u32, a) C4(__float2ll, s64, a) C4(__float2ull, u64, a) C4(__double2int, s32, b)
        C4(__double2uint, u32, b) C4(__double2ll, s64, b) C4(__double2ull, u64, b) u64 r = edgy(i);
#define I1(m) __int2float_##m((int)r)
#define I2(m) __uint2float_##m((u32)r)
#define I3(m) __ll2float_##m((s64)r)
#define I4(m) __ull2float_##m(r)
#define I5(m) __ll2double_##m((s64)r)
#define I6(m) __ull2double_##m(r)
#define I7(m) __double2float_##m(b)
    volatile s32 r32 = r;
    volatile u32 u32_ = r;
    volatile s64 r64 = r;
    volatile u64 u64_ = r;
    volatile double vb = b;
    R4(I1, F, (float)r32)
    R4(I2, F, (float)u32_) R4(I3, F, (float)r64) R4(I4, F, ({
                                                        float x = (float)(u64_ >> 1 | (u64_ & 1));
                                                        u64_ >> 63 ? x * 2 : (float)(s64)u64_;
                                                    })) R4(I5, D, (double)r64)
        R4(I6, D, ({
               double x = (double)(s64)(u64_ >> 1 | (u64_ & 1));
               u64_ >> 63 ? x * 2 : (double)(s64)u64_;
           })) R4(I7, F, (float)vb) union {
        double d;
        u64 u;
    } x = {b};
    union {
        float f;
        u32 u;
    } y = {a};
#if DEV
    o[k++] = __double2hiint(b);
    o[k++] = (u32)__double2loint(b);
    o[k++] = D(__hiloint2double(5, (int)r));
    o[k++] = D(__longlong_as_double(1234567));
    o[k++] = F(__saturatef(a));
    o[k++] = __float_as_uint(a);
    o[k++] = signbit(a) != 0;
    o[k++] = (isnan(b) != 0) + 2 * (isinf(a) != 0) + 4 * (isfinite(b) != 0);
#else
    o[k++] = (s64)(s32)(x.u >> 32);
    o[k++] = (u32)x.u;
    x.u = 5ull << 32 | (u32)r;
    o[k++] = x.u;
    o[k++] = 1234567;
    o[k++] = F(a > 1 ? 1 : a > 0 ? a : 0);
    o[k++] = y.u;
    o[k++] = y.u >> 31;
    o[k++] = (b != b) + 2 * (fabsf(a) == INFINITY) + 4 * (fabs(b) < INFINITY);
#endif
}
TEST(exactf, u32, 24)
{
    float a = rf(i, 0), b = rf(i, 1);
    int k = 0, e;
    float ip;
    if (i % 4 == 0)
        b = a * 3.7f;
    o[k++] = F(floorf(a));
    o[k++] = F(ceilf(a));
    o[k++] = F(truncf(a));
    o[k++] = F(roundf(a));
    o[k++] = F(rintf(a));
    o[k++] = F(nearbyintf(a));
    o[k++] = F(fmodf(a, b));
    o[k++] = F(remainderf(a, b));
    o[k++] = F(fdimf(a, b));
    o[k++] = F(fabsf(a));
    o[k++] = F(copysignf(a, b));
    o[k++] = F(nextafterf(a, b));
    float fr = frexpf(a, &e);
    if (a != a || fabsf(a) == INFINITY)
        e = 0;
    o[k++] = F(fr);
    o[k++] = e;
    o[k++] = F(ldexpf(a, (int)(mix(i) % 300) - 150));
    o[k++] = F(modff(a, &ip));
    o[k++] = F(ip);
    o[k++] = F(logbf(a));
    o[k++] = a == a && fabsf(a) != INFINITY && a != 0 ? ilogbf(a) : 0;
    o[k++] = F(fmaxf(a, b) + 0.0f);
    o[k++] = F(fminf(a, b) + 0.0f);
    o[k++] = F(scalbnf(a, 7));
    int q = 0;
    float rq = remquof(a, b, &q);
    o[k++] = F(rq);
    o[k++] = rq == rq ? q & 7 : 0;
}
TEST(exactd, u64, 24)
{
    double a = rd(i, 0), b = rd(i, 1);
    int k = 0, e;
    double ip;
    if (i % 4 == 0)
        b = a * 3.7;
    o[k++] = D(floor(a));
    o[k++] = D(ceil(a));
    o[k++] = D(trunc(a));
    o[k++] = D(round(a));
    o[k++] = D(rint(a));
    o[k++] = D(nearbyint(a));
    o[k++] = D(fmod(a, b));
    o[k++] = D(remainder(a, b));
    o[k++] = D(fdim(a, b));
    o[k++] = D(fabs(a));
    o[k++] = D(copysign(a, b));
    o[k++] = D(nextafter(a, b));
    double fr = frexp(a, &e);
    if (a != a || fabs(a) == INFINITY)
        e = 0;
    o[k++] = D(fr);
    o[k++] = e;
    o[k++] = D(ldexp(a, (int)(mix(i) % 3000) - 1500));
    o[k++] = D(modf(a, &ip));
    o[k++] = D(ip);
    o[k++] = D(logb(a));
    o[k++] = a == a && fabs(a) != INFINITY && a != 0 ? ilogb(a) : 0;
    o[k++] = D(fmax(a, b) + 0.0);
    o[k++] = D(fmin(a, b) + 0.0);
    o[k++] = D(scalbn(a, 7));
    int q = 0;
    double rq = remquo(a, b, &q);
    o[k++] = D(rq);
    o[k++] = rq == rq ? q & 7 : 0;
}
TEST(lround, u64, 12)
{
    float a = rf(i, 0);
    double b = rd(i, 1);
    if (!(fabsf(a) < 1e18f))
        a = 1.5f;
    if (!(fabs(b) < 1e18))
        b = -2.5;
    int k = 0;
    o[k++] = lroundf(a);
    o[k++] = lrintf(a);
    o[k++] = llroundf(a);
    o[k++] = llrintf(a);
    o[k++] = lround(b);
    o[k++] = lrint(b);
    o[k++] = llround(b);
    o[k++] = llrint(b);
    o[k++] = (u32)(s32)(fabsf(a) < 1e9f ? a : 1);
    o[k++] = (u32)(fabs(b) < 4e9 ? fabs(b) : 0);
    o[k++] = (a < b) + 2 * (a <= 1) + 4 * !(b > 3);
    o[k++] = D(a * b + 1 == 0 ? 1 : 2);
}
