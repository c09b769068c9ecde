// Arithmetic of integers of all sizes, and what CUDA has as intrinsics for them.
#include "common.h"
#ifdef __CUDA_ARCH__
#define DEV 1
#else
#define DEV 0
#endif
template <class T> HD static inline T R(int i, int k)
{
    return (T)edgy(i * 131 + k * 7919 + sizeof(T));
}
template <class T, class U> HD static inline void arith(T a, T b, U *o)
{
    T nb = b ? b : 3;
    if (nb == (T)-1)
        nb = 5;
    o[0] = (U)(T)(a + b);
    o[1] = (U)(T)(a - b);
    o[2] = (U)(T)(a * b);
    o[3] = (U)(T)(a / nb);
    o[4] = (U)(T)(a % nb);
    o[5] = (U)(T)(a & b);
    o[6] = (U)(T)(a | b);
    o[7] = (U)(T)(a ^ b);
    o[8] = (U)(T)~a;
    o[9] = (U)(T)-a;
    int sh = (int)(b & (sizeof(T) * 8 - 1));
    o[10] = (U)(T)(a >> sh);
    o[11] = (U)(T)((T)(a << sh));
    o[12] = a < b;
    o[13] = a <= b;
    o[14] = a == b;
    o[15] = a > b ? (U)a : (U)b;
    o[16] = !a;
    o[17] = a && b;
    o[18] = (U)(T)(a++ + --b);
    o[19] = (U)(a * 2 + b);
}
#define AR(n, T)                                                                                   \
    TEST(arith_##n, u64, 20)                                                                       \
    {                                                                                              \
        arith<T, u64>(R<T>(i, 0), R<T>(i, 1), o);                                                  \
    }
AR(s8, s8)
AR(u8, u8) AR(s16, s16) AR(u16, u16) AR(s32, s32) AR(u32, u32) AR(s64, s64) AR(u64, u64)
    TEST(arith_char, u64, 20)
{
    arith<char, u64>((char)(signed char)R<char>(i, 0), R<char>(i, 1), o);
}
typedef __int128 s128;
typedef unsigned __int128 u128;
HD static inline u128 W(int i, int k)
{
    return (u128)edgy(i * 77 + k) << 64 | edgy(i * 99 + k + 12345);
}
TEST(int128, u64, 26)
{
    u128 a = W(i, 0), b = W(i, 1) >> (mix(i) % 128);
    if (!b)
        b = 7;
    s128 sa = (s128)a, sb = (s128)b;
    if (sb == -1)
        sb = 9;
    u128 r[13] = {
        a + b,           a - b,           a * b,          a / b,          a % b,
        (u128)(sa / sb), (u128)(sa % sb), a << (i % 128), a >> (i % 128), (u128)(sa >> (i % 128)),
        (u128)(sa < sb), (u128)(a < b),   a ^ ~b};
    for (int k = 0; k < 13; k++) {
        o[2 * k] = (u64)r[k];
        o[2 * k + 1] = (u64)(r[k] >> 64);
    }
}
TEST(int128_float, u64, 8)
{
    u128 a = W(i, 0) >> (mix(i) % 128);
    s128 sa = (s128)W(i, 3) >> (mix(i + 3) % 127);
    double d = (double)a, e = (double)sa;
    float f = (float)a, g = (float)sa;
    union {
        double d;
        u64 u;
    } x = {d}, y = {e};
    union {
        float d;
        u32 u;
    } z = {f}, w = {g};
    o[0] = x.u;
    o[1] = y.u;
    o[2] = z.u;
    o[3] = w.u;
    double q = e * 0.37;
    u128 b = (u128)(s128)q;
    o[4] = (u64)b;
    o[5] = b >> 64;
    u128 c = (u128)(d * 0.61);
    o[6] = (u64)c;
    o[7] = c >> 64;
}
HD static int dev_ffs(u64 x)
{
    return x ? __builtin_ctzll(x) + 1 : 0;
}
TEST(bits, u64, 24)
{
    u32 a = R<u32>(i, 0), b = R<u32>(i, 1);
    u64 c = R<u64>(i, 2), d = R<u64>(i, 3);
#if DEV
    o[0] = __popc(a);
    o[1] = __popcll(c);
    o[2] = __clz(a);
    o[3] = __clzll(c);
    o[4] = __ffs(a);
    o[5] = __ffsll(c);
    o[6] = __brev(a);
    o[7] = __brevll(c);
    o[8] = (u32)__mulhi((int)a, (int)b);
    o[9] = __umulhi(a, b);
    o[10] = __mul64hi(c, d);
    o[11] = __umul64hi(c, d);
    o[12] = (u32)__mul24(a, b);
    o[13] = __umul24(a, b);
    o[14] = __sad(a, b, 77);
    o[15] = __usad(a, b, 77);
    o[16] = (u32)__hadd(a, b);
    o[17] = __uhadd(a, b);
    o[18] = (u32)__rhadd(a, b);
    o[19] = __urhadd(a, b);
    o[20] = __funnelshift_l(a, b, i);
    o[21] = __funnelshift_r(a, b, i);
    o[22] = __funnelshift_lc(a, b, i % 70);
    o[23] = __funnelshift_rc(a, b, i % 70);
#else
    auto rev = [](u64 x, int n) {
        u64 r = 0;
        for (int k = 0; k < n; k++)
            r |= (x >> k & 1) << (n - 1 - k);
        return r;
    };
    auto pop = [](u64 x) {
        int n = 0;
        while (x) {
            n += x & 1;
            x >>= 1;
        }
        return n;
    };
    auto clz = [](u64 x, int n) {
        int k = 0;
        while (k < n && !(x >> (n - 1 - k) & 1))
            k++;
        return k;
    };
    o[0] = pop(a);
    o[1] = pop(c);
    o[2] = clz(a, 32);
    o[3] = clz(c, 64);
    o[4] = dev_ffs(a);
    o[5] = dev_ffs(c);
    o[6] = rev(a, 32);
    o[7] = rev(c, 64);
    o[8] = (u32)((s64)(int)a * (int)b >> 32);
    o[9] = (u64)a * b >> 32;
    o[10] = (u64)((s128)(s64)c * (s64)d >> 64);
    o[11] = (u64)((u128)c * d >> 64);
    o[12] = (u32)(((int)(a << 8) >> 8) * (s64)((int)(b << 8) >> 8));
    o[13] = (u32)((u64)(a & 0xffffff) * (b & 0xffffff));
    o[14] = (u32)(llabs((s64)(int)a - (int)b) + 77);
    o[15] = (u32)(llabs((s64)a - (s64)b) + 77);
    o[16] = (u32)(((s64)(int)a + (int)b) >> 1);
    o[17] = (u32)(((u64)a + b) >> 1);
    o[18] = (u32)(((s64)(int)a + (int)b + 1) >> 1);
    o[19] = (u32)(((u64)a + b + 1) >> 1);
    u64 w = (u64)b << 32 | a;
    int s = i & 31, t = i % 70 > 32 ? 32 : i % 70;
    o[20] = (u32)(w << s >> 32);
    o[21] = (u32)(w >> s);
    o[22] = (u32)((u128)w << t >> 32);
    o[23] = (u32)(w >> t);
#endif
}
TEST(perm_dp, u64, 16)
{
    u32 a = R<u32>(i, 0), b = R<u32>(i, 1), c = R<u32>(i, 2), s = mix(i);
#if DEV
    o[0] = __byte_perm(a, b, s);
    o[1] = __byte_perm(a, b, 0x5410);
    o[2] = (u32)__dp4a((int)a, (int)b, (int)c);
    o[3] = __dp4a(a, b, c);
    char4 p = *(char4 *)&a, q = *(char4 *)&b;
    uchar4 up = *(uchar4 *)&a, uq = *(uchar4 *)&b;
    o[4] = (u32)__dp4a(p, q, 5);
    o[5] = __dp4a(up, uq, 5u);
    o[6] = (u32)__dp2a_lo((int)a, (int)b, (int)c);
    o[7] = (u32)__dp2a_hi((int)a, (int)b, (int)c);
    o[8] = __dp2a_lo(a, b, c);
    o[9] = __dp2a_hi(a, b, c);
    o[10] = __fns(a, s & 31, (int)(s >> 8 & 15) - 7);
    o[11] = __fns(a, s & 31, 0);
    o[12] = (u32)__float2int_rn(__int_as_float(a));
    o[13] = 0;
    o[14] = min((int)a, (int)b);
    o[15] = max(a, b);
#else
    auto sel = [&](u32 s) {
        u64 w = (u64)b << 32 | a;
        u32 r = 0;
        for (int k = 0; k < 4; k++) {
            int n = s >> 4 * k & 15;
            u32 v = w >> 8 * (n & 7) & 255;
            if (n & 8)
                v = v & 128 ? 255 : 0;
            r |= v << 8 * k;
        }
        return r;
    };
    o[0] = sel(s & 0x7777);
    o[1] = sel(0x5410);
    auto dp4 = [](u32 a, u32 b, u32 c, bool sg) {
        u32 r = c;
        for (int k = 0; k < 4; k++)
            r += sg ? (u32)((s8)(a >> 8 * k) * (s8)(b >> 8 * k))
                    : (u8)(a >> 8 * k) * (u8)(b >> 8 * k);
        return r;
    };
    o[2] = dp4(a, b, c, 1);
    o[3] = dp4(a, b, c, 0);
    o[4] = dp4(a, b, 5, 1);
    o[5] = dp4(a, b, 5, 0);
    auto dp2 = [](u32 a, u32 b, u32 c, bool sg, int hi) {
        u32 r = c;
        for (int k = 0; k < 2; k++)
            r += sg ? (u32)((s16)(a >> 16 * k) * (s8)(b >> 8 * (k + 2 * hi)))
                    : (u32)(u16)(a >> 16 * k) * (u8)(b >> 8 * (k + 2 * hi));
        return r;
    };
    o[6] = dp2(a, b, c, 1, 0);
    o[7] = dp2(a, b, c, 1, 1);
    o[8] = dp2(a, b, c, 0, 0);
    o[9] = dp2(a, b, c, 0, 1);
    auto fns = [](u32 m, int base, int off) -> u32 {
        if (off == 0)
            return m >> base & 1 ? base : ~0u;
        int n = off > 0 ? off : -off, st = off > 0 ? 1 : -1;
        for (int k = base; k >= 0 && k < 32; k += st)
            if (m >> k & 1)
                if (--n == 0)
                    return k;
        return ~0u;
    };
    o[10] = fns(a, s & 31, (int)(s >> 8 & 15) - 7);
    o[11] = fns(a, s & 31, 0);
    float f;
    memcpy(&f, &a, 4);
    o[12] = f != f              ? 0
            : f >= 2147483648.f ? 0x7fffffff
            : f < -2147483648.f ? 0x80000000
                                : (u32)(int)nearbyintf(f);
    o[13] = 0;
    o[14] = (int)a < (int)b ? (int)a : (int)b;
    o[15] = a > b ? a : b;
#endif
}
#if !DEV
template <class F> static u32 by2(u32 a, u32 b, F f)
{
    u32 r = 0;
    for (int k = 0; k < 2; k++)
        r |= (u32)(u16)f((u16)(a >> 16 * k), (u16)(b >> 16 * k)) << 16 * k;
    return r;
}
template <class F> static u32 by4(u32 a, u32 b, F f)
{
    u32 r = 0;
    for (int k = 0; k < 4; k++)
        r |= (u32)(u8)f((u8)(a >> 8 * k), (u8)(b >> 8 * k)) << 8 * k;
    return r;
}
static int cl(int x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}
#endif
#if DEV
#define V2(fn, ...) fn##2(a, b)
#define BOTH(k, fn, s2, s4)                                                                        \
    o[k] = fn##2(a, b);                                                                            \
    o[k + 1] = fn##4(a, b);
#else
#define BOTH(k, fn, s2, s4)                                                                        \
    o[k] = by2(a, b, [](u16 ua, u16 ub) {                                                          \
        int x = (s16)ua, y = (s16)ub;                                                              \
        u32 ux = ua, uy = ub;                                                                      \
        return (int)(s2);                                                                          \
    });                                                                                            \
    o[k + 1] = by4(a, b, [](u8 ua, u8 ub) {                                                        \
        int x = (s8)ua, y = (s8)ub;                                                                \
        u32 ux = ua, uy = ub;                                                                      \
        return (int)(s4);                                                                          \
    });
#endif
TEST(simd, u32, 64)
{
    u32 a = R<u32>(i, 0), b = R<u32>(i, 1);
    if (i % 5 == 0)
        b = a ^ (u32)mix(i) & 0xff00ff;
    BOTH(0, __vadd, x + y, x + y)
    BOTH(2, __vaddss, cl(x + y, -32768, 32767),
         cl(x + y, -128, 127)) BOTH(4, __vaddus, ux + uy > 65535 ? 65535 : ux + uy,
                                    ux + uy > 255 ? 255 : ux + uy) BOTH(6, __vsub, x - y, x - y)
        BOTH(8, __vsubss, cl(x - y, -32768, 32767),
             cl(x - y, -128, 127)) BOTH(10, __vsubus, ux > uy ? ux - uy : 0, ux > uy ? ux - uy : 0)
            BOTH(12, __vabsdiffs, abs(x - y),
                 abs(x - y)) BOTH(14, __vabsdiffu, abs((int)ux - (int)uy), abs((int)ux - (int)uy))
                BOTH(16, __vmaxs, x > y ? x : y, x > y ? x : y)
                    BOTH(18, __vmaxu, ux > uy ? ux : uy, ux > uy ? ux : uy)
                        BOTH(20, __vmins, x < y ? x : y, x < y ? x : y)
                            BOTH(22, __vminu, ux < uy ? ux : uy, ux < uy ? ux : uy)
                                BOTH(24, __vavgs, (x + y + (x + y >= 0)) >> 1,
                                     (x + y + (x + y >= 0)) >> 1)
                                    BOTH(26, __vavgu, (ux + uy + 1) >> 1, (ux + uy + 1) >> 1)
                                        BOTH(28, __vhaddu, (ux + uy) >> 1, (ux + uy) >> 1)
                                            BOTH(30, __vcmpeq, x == y ? -1 : 0, x == y ? -1 : 0)
                                                BOTH(32, __vcmpgts, x > y ? -1 : 0, x > y ? -1 : 0)
                                                    BOTH(34, __vcmpleu, ux <= uy ? -1 : 0,
                                                         ux <= uy ? -1 : 0)
                                                        BOTH(36, __vsetges, x >= y, x >= y)
                                                            BOTH(38, __vsetltu, ux < uy, ux < uy)
                                                                BOTH(40, __vsetne, x != y, x != y)
#if DEV
                                                                    o[42] = __vabs2(a);
    o[43] = __vabs4(a);
    o[44] = __vabsss2(a);
    o[45] = __vabsss4(a);
    o[46] = __vneg2(a);
    o[47] = __vneg4(a);
    o[48] = __vnegss2(a);
    o[49] = __vnegss4(a);
    o[50] = __vsads2(a, b);
    o[51] = __vsads4(a, b);
    o[52] = __vsadu2(a, b);
    o[53] = __vsadu4(a, b);
    o[54] = __vimax3_s32((int)a, (int)b, 7);
    o[55] = __vimin3_s16x2(a, b, 0x00050003u);
    o[56] = __viaddmax_s32((int)a, (int)b, -4);
    o[57] = __viaddmin_u16x2(a, b, 0x12345678u);
    o[58] = __vimax_s32_relu((int)a, (int)b);
    o[59] = __viaddmax_s16x2_relu(a, b, 0x80017fffu);
    bool p, q;
    o[60] = __vibmax_s16x2(a, b, &p, &q);
    o[61] = p + 2 * q;
    o[62] = __vibmin_u32(a, b, &p);
    o[63] = p;
#else
                                                                    o[42] =
                                                                        by2(a, 0, [](u16 x, u16) {
                                                                            return abs((s16)x);
                                                                        });
    o[43] = by4(a, 0, [](u8 x, u8) { return abs((s8)x); });
    o[44] = by2(a, 0, [](u16 x, u16) { return cl(abs((s16)x), 0, 32767); });
    o[45] = by4(a, 0, [](u8 x, u8) { return cl(abs((s8)x), 0, 127); });
    o[46] = by2(a, 0, [](u16 x, u16) { return -(s16)x; });
    o[47] = by4(a, 0, [](u8 x, u8) { return -(s8)x; });
    o[48] = by2(a, 0, [](u16 x, u16) { return cl(-(s16)x, -32768, 32767); });
    o[49] = by4(a, 0, [](u8 x, u8) { return cl(-(s8)x, -128, 127); });
    u32 s2 = 0, s4 = 0, t2 = 0, t4 = 0;
    for (int k = 0; k < 2; k++) {
        s2 += abs((s16)(a >> 16 * k) - (s16)(b >> 16 * k));
        t2 += abs((int)(u16)(a >> 16 * k) - (int)(u16)(b >> 16 * k));
    }
    for (int k = 0; k < 4; k++) {
        s4 += abs((s8)(a >> 8 * k) - (s8)(b >> 8 * k));
        t4 += abs((int)(u8)(a >> 8 * k) - (int)(u8)(b >> 8 * k));
    }
    o[50] = s2;
    o[51] = s4;
    o[52] = t2;
    o[53] = t4;
    int sa = a, sb = b;
    o[54] = std::max(std::max(sa, sb), 7);
    o[55] = by2(by2(a, b, [](u16 x, u16 y) { return std::min((s16)x, (s16)y); }), 0x00050003u,
                [](u16 x, u16 y) { return std::min((s16)x, (s16)y); });
    o[56] = std::max((int)(a + b), -4);
    o[57] = by2(by2(a, b, [](u16 x, u16 y) { return x + y; }), 0x12345678u,
                [](u16 x, u16 y) { return std::min(x, y); });
    o[58] = std::max(std::max(sa, sb), 0);
    o[59] = by2(by2(a, b, [](u16 x, u16 y) { return x + y; }), 0x80017fffu,
                [](u16 x, u16 y) { return std::max<int>(std::max((s16)x, (s16)y), 0); });
    s16 ah = a >> 16, bh = b >> 16, al = a, bl = b;
    o[60] = (u32)(u16)std::max(ah, bh) << 16 | (u16)std::max(al, bl);
    o[61] = (ah >= bh) + 2 * (al >= bl);
    o[62] = std::min(a, b);
    o[63] = a <= b;
#endif
}
TEST(div_const, u64, 16)
{
    u32 a = R<u32>(i, 0);
    s32 b = R<s32>(i, 1);
    u64 c = R<u64>(i, 2);
    s64 d = R<s64>(i, 3);
    o[0] = a / 7;
    o[1] = a % 1000;
    o[2] = b / -10;
    o[3] = b % 641;
    o[4] = c / 10;
    o[5] = c % 1000000007;
    o[6] = d / 3;
    o[7] = d % -97;
    o[8] = c / (a | 1);
    o[9] = d % (s64)((b | 1) == -1 ? 3 : b | 1);
    o[10] = (u64)(s16)b / 5;
    o[11] = (u8)a % 10;
    o[12] = b / 8;
    o[13] = d / 4096;
    o[14] = b % 16;
    o[15] = (s64)b * b / 12345;
}
TEST(bitfield, u64, 8)
{
    struct {
        u32 a : 3;
        s32 b : 7;
        u64 c : 33;
        s32 d : 1;
        bool e : 1;
        u16 f : 9;
    } s;
    u64 x = mix(i);
    s.a = x;
    s.b = x >> 3;
    s.c = x >> 10;
    s.d = x >> 43;
    s.e = x >> 44 & 1;
    s.f = x >> 45;
    s.b += 5;
    s.c *= 3;
    s.a ^= s.f;
    o[0] = s.a;
    o[1] = s.b;
    o[2] = s.c;
    o[3] = s.d;
    o[4] = s.e;
    o[5] = s.f;
    bool t = x & 64, v = x & 1;
    o[6] = t + v * 2 + (t ^ v) * 4 + (t != v) * 8;
    wchar_t w = x;
    o[7] = w;
}
TEST(floatint, u64, 18)
{
    u64 r = edgy(i);
    float f = (float)(s64)mix(i) * (i % 3 ? 1e-10f : 1e-15f);
    double d = (double)(s64)mix(i + 1) * (i % 3 ? 1e-10 : 1e-2);
    o[0] = (u32)(s32)f;
    o[1] = (u64)(s64)f;
    o[2] = (u64)(s64)(d);
    o[3] = (u32)(s32)(d * 1e-9);
    o[4] = (u64)fabs(d);
    o[5] = (u32)fabsf(f);
    union {
        float f;
        u32 u;
    } a, b, c;
    union {
        double d;
        u64 u;
    } x, y, z;
    a.f = (float)(s64)r;
    b.f = (float)r;
    c.f = (float)(u32)r;
    x.d = (double)(s64)r;
    y.d = (double)r;
    z.d = (double)(s32)r;
    o[6] = a.u;
    o[7] = b.u;
    o[8] = c.u;
    o[9] = x.u;
    o[10] = y.u;
    o[11] = z.u;
    a.f = (float)d;
    o[12] = a.u;
    x.d = f;
    o[13] = x.u;
    a.f = (s16)r;
    o[14] = a.u;
    a.f = (u8)r;
    o[15] = a.u;
    x.d = (s8)r;
    o[16] = x.u;
    o[17] = (u64)(u16)(s32)(f * 1e-5f);
}
