// Structures by value, initial values, virtual functions, recursion, local arrays, jumps.
#define GRID 2
#define BLOCK 96
#include "common.h"
#ifndef __CUDACC__
#include <new>
#include <complex>
#include <algorithm>
#endif
// structs by value: big, aligned, nested
struct alignas(16) big {
    double d[9];
    u8 tail[5];
    s16 h;
    float f;
};
struct nest {
    u8 a;
    struct {
        u64 b;
        u16 c[3];
    } in[2];
    bool flag;
};
HD static __noinline__ big twist(big b, nest n, u8 k)
{
    big r = b;
    for (int i = 0; i < 9; i++)
        r.d[i] = b.d[8 - i] + n.in[i & 1].c[i % 3] + k;
    r.tail[k % 5] = (u8)n.in[1].b;
    r.h = (s16)(b.h - n.a);
    r.f = n.flag ? b.f : -b.f;
    return r;
}
TEST(structs, u64, 6)
{
    big b;
    nest n;
    for (int k = 0; k < 9; k++)
        b.d[k] = k * i;
    for (int k = 0; k < 5; k++)
        b.tail[k] = k + i;
    b.h = -i;
    b.f = i * 0.5f;
    n.a = i;
    n.flag = i & 2;
    for (int k = 0; k < 2; k++) {
        n.in[k].b = mix(i + k);
        for (int j = 0; j < 3; j++)
            n.in[k].c[j] = mix(i * j + k);
    }
    big r = twist(b, n, i);
    for (int k = 0; k < 3; k++)
        r = twist(r, n, k);
    double s = 0;
    for (int k = 0; k < 9; k++)
        s = s * 3 + r.d[k];
    o[0] = (u64)s;
    o[1] =
        r.tail[0] | r.tail[1] << 8 | r.tail[2] << 16 | (u64)r.tail[3] << 24 | (u64)r.tail[4] << 32;
    o[2] = (u16)r.h;
    o[3] = (u64)(s64)(r.f * 2);
    o[4] = sizeof(big) * 1000 + sizeof(nest);
    o[5] = alignof(big);
}
// globals
#ifdef __CUDACC__
#define GLOBAL __device__
#define CONST __constant__
#else
#define GLOBAL static
#define CONST static
#endif
struct row {
    u8 tag;
    double w;
    short v[3];
    const char *text;
};
typedef int (*op)(int, int);
#ifdef __CUDACC__
#define D __device__
#else
#define D
#endif
D static int add_(int a, int b)
{
    return a + b;
}
D static int sub_(int a, int b)
{
    return a - b;
}
D static int mul_(int a, int b)
{
    return a * b;
}
D static int rec_(int a, int b)
{
    return b <= 0 ? a : rec_(a * 3 + 1, b - 1) ^ b;
}
GLOBAL op ops[5] = {add_, sub_, mul_, rec_, add_};
CONST row rows[4] = {{1, 1.5, {1, -2, 3}, "one"},
                     {2, -2.5, {4, 5, -6}, "two!"},
                     {3, 1e300, {0x7fff, -0x8000, 0}, "three"},
                     {255, -0.0, {}, ""}};
GLOBAL int matrix[3][4] = {{1, 2}, {3, 4, 5, 6}};
GLOBAL float fl[3] = {1.5f, -0.0f, 3e38f};
GLOBAL u64 big64 = 0xfedcba9876543210ull;
GLOBAL int *into = &matrix[1][2];
GLOBAL const char *strings[3] = {"abc", "", "xyz"};
GLOBAL char text[] = "hello";
GLOBAL bool flags[5] = {true, false, true};
GLOBAL short shorts[3] = {-1, 2};
CONST double cd = 3.14159;
GLOBAL union {
    float f;
    u32 u;
} un = {1.0f};
#ifdef __CUDACC__
extern "C" __global__ void k_globals(u64 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 *o = out + i * 14;
#else
REF(globals, u64, 192 * 14, "2;96;0")
{
    for (int i = 0; i < 192; i++, o += 14) {
#endif
    const row &r = rows[i % 4];
    o[0] = r.tag;
    union {
        double d;
        u64 u;
    } x;
    x.d = r.w;
    o[1] = x.u;
    o[2] = (u16)r.v[i % 3];
    int h = 0;
    for (const char *p = r.text; *p; p++)
        h = h * 31 + *p;
    o[3] = h;
    o[4] = (u32)ops[i % 5](i, i % 7);
    o[5] = matrix[i % 3][i % 4];
    union {
        float f;
        u32 u;
    } y;
    y.f = fl[i % 3];
    o[6] = y.u;
    o[7] = big64;
    o[8] = into[i % 4 - 2];
    o[9] = strings[i % 3][0];
    o[10] = text[i % 6];
    o[11] = flags[i % 5];
    o[12] = (u64)shorts[i % 3];
    o[13] = (u64)(cd * 1e5) + un.u;
#ifndef __CUDACC__
}
#endif
}
// virtual, multiple inheritance, dynamic dispatch
struct A {
    int x;
    D A(int x) : x(x)
    {
    }
    D virtual int f(int k) const
    {
        return x + k;
    }
    D virtual ~A()
    {
    }
};
struct M {
    int y = 5;
    D virtual int g()
    {
        return y;
    }
    D virtual ~M()
    {
    }
};
struct B : A, M {
    int z[3];
    D B(int x) : A(x)
    {
        for (int i = 0; i < 3; i++)
            z[i] = x * i;
    }
    D int f(int k) const override
    {
        return A::f(k) * 2 + z[k % 3];
    }
    D int g() override
    {
        return M::g() + x;
    }
};
struct C final : B {
    D C(int x) : B(x + 1)
    {
    }
    D int g() override
    {
        return 100 - B::g();
    }
    D ~C()
    {
        z[0] = 0;
    }
};
#ifdef __CUDACC__
extern "C" __global__ void k_virtuals(u32 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 *o = out + i * 4;
#else
    REF(virtuals, u32, 192 * 4, "2;96;0")
    {
        for (int i = 0; i < 192; i++, o += 4) {
#endif
    A *a = i % 3 == 0 ? new A(i) : i % 3 == 1 ? new B(i) : (A *)new C(i);
    B b(i);
    C c(i);
    M *m = i & 1 ? (M *)&b : &c;
    o[0] = a->f(i);
    o[1] = m->g();
    int (A::*pm)(int) const = &A::f;
    o[2] = (a->*pm)(3);
    int (M::*pg)() = &M::g;
    o[3] = (m->*pg)();
    delete a;
#ifndef __CUDACC__
}
#endif
}
// local arrays, switch tables, recursion, templates, lambdas
TEST(locals, u32, 4)
{
    int a[37];
    u8 b[50];
    double d[10];
    for (int k = 0; k < 37; k++)
        a[k] = (int)mix(i + k) % 1000;
    for (int k = 0; k < 50; k++)
        b[k] = a[k % 37] >> 2;
    for (int k = 0; k < 10; k++)
        d[k] = a[k];
    for (int k = 1; k < 37; k++) {
        int v = a[k], j = k;
        while (j > 0 && a[j - 1] > v) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = v;
    }
    int h = 0;
    for (int k = 0; k < 37; k++)
        h = h * 31 + a[k];
    o[0] = h;
    int s = 0;
    for (int k = 0; k < 200; k++)
        s += b[(k * i) % 50] ^ b[k % 50]++;
    o[1] = s;
    for (int k = 0; k < 100; k++)
        d[(k + i) % 10] += d[(k * 7) % 10] * 0.5;
    double q = 0;
    for (int k = 0; k < 10; k++)
        q += d[k] / (1 << k);
    o[2] = (u32)(s64)(q / 1e10);
    o[3] = a[i % 37];
}
HD static int sw(int k, int x)
{
    switch (k) {
    case 0: return x + 1;
    case 1: return x * x;
    case 2: x ^= 0x55;
    case 3: return x - 3;
    case 4: return ~x;
    case 5: {
        int s = 0;
        for (int j = 0; j < x % 9; j++)
            s += j * k;
        return s;
    }
    case 6: return x << 2;
    case 7: return x >> 3;
    case 8: return -x;
    case 9: return x % 17;
    case 20: return 20;
    case 100: return 7;
    case -5: return 5;
    default: return k;
    }
}
TEST(switches, u32, 3)
{
    int s = 0;
    for (int k = -6; k < 25; k++)
        s = s * 3 + sw((k * i) % 23 - 3, k + i);
    o[0] = s;
    o[1] = sw(i % 12, i);
    o[2] = sw(100, i) + sw(-5, i);
}
HD static __noinline__ u32 fib(u32 n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
HD static __noinline__ int odd(int n);
HD static __noinline__ int even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}
HD static __noinline__ int odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}
HD static __noinline__ void hanoi(int n, int a, int b, int c, u32 &h)
{
    if (!n)
        return;
    hanoi(n - 1, a, c, b, h);
    h = h * 17 + a * 3 + b;
    hanoi(n - 1, c, b, a, h);
}
TEST(recursions, u32, 3)
{
    o[0] = fib(i % 13);
    o[1] = even(i % 37);
    u32 h = 0;
    hanoi(i % 7, 1, 2, 3, h);
    o[2] = h;
}
template <int N> struct F_ {
    HD static u64 get(u64 x)
    {
        return x * N + F_<N - 1>::get(x ^ N);
    }
};
template <> struct F_<0> {
    HD static u64 get(u64 x)
    {
        return x;
    }
};
template <class... T> HD static u64 sum(T... t)
{
    return (u64(0) + ... + u64(t));
}
template <class F> HD static u64 apply(F f, int n)
{
    u64 s = 1;
    for (int k = 0; k < n; k++)
        s = f(s, k);
    return s;
}
TEST(templates, u64, 4)
{
    o[0] = F_<20>::get(i);
    o[1] = sum(i, (u8)i, 2.5, 'c', true);
    int cap = i * 3;
    o[2] = apply([=](u64 s, int k) { return s * 7 + cap - k; }, i % 20);
    auto rec = [&](auto self, int n) -> u64 { return n ? self(self, n - 1) * 3 + cap : 1; };
    o[3] = rec(rec, i % 6);
}
// divergence
TEST(collatz, u32, 2)
{
    u64 x = i + 1;
    u32 n = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        n++;
    }
    o[0] = n;
    u32 primes = 0;
    for (int p = 2; p < i + 2; p++) {
        bool is = true;
        for (int q = 2; q * q <= p; q++)
            if (p % q == 0) {
                is = false;
                break;
            }
        primes += is;
    }
    o[1] = primes;
}
TEST(gotos, u32, 1)
{
    u32 s = i, n = 0;
a:
    s = s * 1103515245 + 12345;
    if (++n > 60)
        goto end;
    switch (s >> 16 & 3) {
    case 0: goto a;
    case 1: goto b;
    case 2: goto c;
    }
    s ^= n;
b:
    s += 7;
    if (s & 0x10000)
        goto a;
c:
    s -= 5;
    if (s & 0x20000)
        goto b2;
    goto a;
b2:
    s *= 3;
    if (n & 1)
        goto c;
    goto a;
end:
    o[0] = s;
}
TEST(early, u32, 1)
{
    u32 s = 0;
    for (int k = 0; k < 40; k++) {
        for (int j = 0; j < 40; j++) {
            s += j ^ k;
            if (s % 101 == (u32)i % 101) {
                o[0] = s;
                return;
            }
            if (s % 7 == 3)
                break;
        }
        if (s > 5000u + i)
            break;
    }
    do {
        s /= 2;
        if (s & 1)
            continue;
        s--;
    } while (s > 10);
    o[0] = s;
}
TEST(mandel, u32, 1)
{
    float cx = (i % 16 - 11) / 6.0f, cy = (i / 16 - 6) / 6.0f, x = 0, y = 0;
    int n = 0;
    while (n < 200) {
        float xx = x * x, yy = y * y;
        if (xx + yy >= 4)
            break;
        y = 2 * x * y;
        y = y + cy;
        x = xx - yy;
        x = x + cx;
        n++;
    }
    o[0] = n > 30 ? 30 : 0;
    (void)0;
}
TEST(bytes, u32, 5)
{
    u8 buf[64];
    for (int k = 0; k < 64; k++)
        buf[k] = mix(i * 64 + k);
    u16 h;
    u32 w;
    u64 q;
    h = *(u16 *)(buf + 2 * (i % 8));
    w = *(u32 *)(buf + 4 * (i % 5));
    q = *(u64 *)(buf + 8 * (i % 3));
    o[0] = h;
    o[1] = w;
    o[2] = q >> 17;
    u8 other[64];
    for (int k = 0; k < 64; k++)
        other[k] = buf[63 - k];
    u32 crc = ~0u;
    for (int k = 0; k < 64; k++) {
        crc ^= other[k];
        for (int b = 0; b < 8; b++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    o[3] = crc;
    struct {
        u8 a;
        u16 b;
        u8 c;
        u32 d;
    } s = {other[0], (u16)(other[1] * 3), other[2], w}, t = s;
    t.b++;
    o[4] = t.a + t.b + t.c + t.d;
}
