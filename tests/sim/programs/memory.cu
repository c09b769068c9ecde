// Atomics, shared memory of all kinds, vectors, the heap, generic addresses.
#include "common.h"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
#define K extern "C" __global__ void
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
K k_atom_global(u64 *o)
{
    u32 *u = (u32 *)o;
    s32 *s = (s32 *)o;
    u64 *w = o + 16;
    float *f = (float *)(o + 32);
    double *d = (double *)(o + 40);
    int i = ME;
    u32 x = (u32)mix(i);
    atomicAdd(&u[0], x);
    atomicSub(&u[1], x);
    atomicMin(&s[2], (s32)x);
    atomicMax(&s[3], (s32)x);
    atomicAnd(&u[4], x | 0xff);
    atomicOr(&u[5], x & 0xf0f0);
    atomicXor(&u[6], x);
    atomicInc(&u[7], 100);
    atomicDec(&u[8], 77);
    atomicMax(&u[9], x);
    if (i == 0)
        atomicExch(&u[10], 55u);
    atomicAdd(&w[0], mix(i));
    atomicMin((long long *)&w[1], (long long)mix(i));
    atomicMax(&w[2], mix(i));
    atomicAnd(&w[3], mix(i) | 0xff);
    atomicXor(&w[4], mix(i));
    atomicOr(&w[5], mix(i) & 0xf0f0f);
    atomicAdd(&f[0], (float)(x & 0xff));
    atomicAdd(&d[0], (double)(x & 0xffff));
    atomicAdd_block(&u[11], 1u);
    atomicAdd_system(&u[12], 2u);
    atomicCAS_block(&u[13], 0u, 9u);
    unsigned short *h = (unsigned short *)(o + 48);
    unsigned short old = h[1], seen;
    do {
        seen = old;
        old = atomicCAS(&h[1], seen, (unsigned short)(seen + 3));
    } while (old != seen);
    atomicAdd((__half2 *)(o + 50), __floats2half2_rn(1, 2));
    atomicAdd((__half *)(o + 51), __float2half(1));
#if __CUDA_ARCH__ >= 800
    atomicAdd((__nv_bfloat162 *)(o + 52), __floats2bfloat162_rn(0.5f, 0.25f));
#else
    o[52] = 0x42804300;
#endif
    u64 e, ex = w[6];
    do {
        e = ex;
        ex = atomicCAS(&w[6], e, e * 3 % 1000003 + 1);
    } while (ex != e);
    u32 r = atomicAdd(&u[14], 1);
    o[64 + r] = 1;
    atomicExch(&w[7], 7ull);
    atomicExch(&f[1], 2.5f);
}
K k_atom_shared(u64 *o)
{
    __shared__ u64 s[80];
    if (threadIdx.x < 80)
        s[threadIdx.x] = 0;
    __syncthreads();
    u32 *u = (u32 *)s;
    s32 *si = (s32 *)s;
    u64 *w = s + 16;
    float *f = (float *)(s + 32);
    double *d = (double *)(s + 40);
    int i = ME;
    u32 x = (u32)mix(i);
    atomicAdd(&u[0], x);
    atomicSub(&u[1], x);
    atomicMin(&si[2], (s32)x);
    atomicMax(&si[3], (s32)x);
    atomicOr(&u[5], x & 0xf0f0);
    atomicXor(&u[6], x);
    atomicInc(&u[7], 10);
    atomicDec(&u[8], 7);
    atomicMax(&u[9], x);
    atomicAdd(&w[0], mix(i));
    atomicMax(&w[2], mix(i));
    atomicMin((long long *)&w[1], (long long)mix(i));
    atomicAdd(&f[0], (float)(x & 0xff));
    atomicAdd(&d[0], (double)(x & 0xffff));
    __syncthreads();
    if (threadIdx.x < 80)
        o[blockIdx.x * 80 + threadIdx.x] = s[threadIdx.x];
}
extern __shared__ u32 dyn[];
K k_dynamic(u32 *o)
{
    int n = 20000;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        dyn[k] = k * 3 + blockIdx.x;
    __syncthreads();
    u32 s = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        s += dyn[n - 1 - k] ^ k;
    o[ME] = s;
}
K k_tile(float *o)
{
    __shared__ float a[16][17], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    float s = 0;
    for (int t = 0; t < 3; t++) {
        a[y][x] = ((by * 16 + y) * 7 + (t * 16 + x)) % 13;
        b[y][x] = ((t * 16 + y) * 5 + bx * 16 + x) % 11;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            s += a[y][k] * b[k][x];
        __syncthreads();
    }
    o[(by * 16 + y) * 32 + bx * 16 + x] = s;
}
K k_vectors(u32 *o)
{
    uint4 *v = (uint4 *)o;
    int i = ME;
    v[2 * i] = make_uint4(i, i + 1, i + 2, i + 3);
    uint4 g = __ldcg(&v[2 * i]);
    uchar4 c = make_uchar4(g.x, g.y * 2, g.z * 3, g.w * 4);
    *(uchar4 *)(v + 2 * i + 1) = c;
    ushort4 q = make_ushort4(i, 1, 2, -i);
    *(volatile u16 *)((u16 *)(v + 2 * i + 1) + 2) = q.w;
    ((char2 *)(v + 2 * i + 1))[3] = make_char2(i, -1);
    ((short2 *)(v + 2 * i + 1))[2] = make_short2(-i, c.y);
    ((float *)(v + 2 * i + 1))[3] = ((float2 *)v)[4 * i].x == 0 ? 1.0f : 2.0f;
}
K k_heap(u32 *o)
{
    int i = ME;
    int n = i % 50 + 1;
    u32 *p = (u32 *)malloc(n * 4), *q = new u32[n * 2];
    for (int k = 0; k < n; k++) {
        p[k] = k * i;
        q[2 * k] = k;
        q[2 * k + 1] = p[k] + 1;
    }
    u32 s = 0;
    for (int k = 0; k < 2 * n; k++)
        s = s * 3 + q[k];
    free(p);
    struct node {
        node *next;
        int v;
    } *head = nullptr;
    for (int k = 0; k < n; k++) {
        node *m = new node;
        m->next = head;
        m->v = k;
        head = m;
    }
    while (head) {
        s = s * 5 + head->v;
        node *d = head;
        head = head->next;
        delete d;
    }
    delete[] q;
    o[i] = s;
}
K k_ownstack(u32 *o)
{
    int i = ME;
    u32 *p = (u32 *)alloca(4 * (i % 30 + 1));
    for (int k = 0; k <= i % 30; k++)
        p[k] = mix(k + i);
    u32 s = 0;
    for (int k = 0; k <= i % 30; k++)
        s ^= p[k] * (k + 1);
    o[i] = s;
}
K k_generic(u32 *o)
{
    __shared__ u32 s[128];
    u32 l[16];
    int i = threadIdx.x;
    s[i] = i;
    for (int k = 0; k < 16; k++)
        l[k] = k * 100;
    __syncthreads();
    u32 *p = i % 3 == 0 ? &s[(i + 1) % 100] : i % 3 == 1 ? &l[i % 16] : &o[1000 + i];
    if (i % 3 == 2)
        *p = 77 + i;
    u32 v = *p;
    if (i % 3 != 1)
        atomicAdd(p, 1000u);
    v += *p;
    o[i] = v + __isShared(p) * 2 + __isLocal(p) * 4 + __isGlobal(p) * 8;
    u32 a = (u32)__cvta_generic_to_shared(&s[3]);
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(a));
    __syncthreads();
    o[200 + i] = s[3];
    v += *(u32 *)__cvta_shared_to_generic(a);
    o[400 + i] = v;
}
K k_const128(u64 *o)
{
    int i = ME;
    unsigned __int128 *p = (unsigned __int128 *)o + i;
    *p = ((unsigned __int128)mix(i) << 64 | i) * 7;
    __syncthreads();
}
K k_image(u32 *o)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        W = 37, H = 29;
    if (x >= W || y >= H)
        return;
    int s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int xx = min(max(x + dx, 0), W - 1), yy = min(max(y + dy, 0), H - 1);
            s += (int)(mix(yy * W + xx) & 255) * (2 - abs(dx)) * (2 - abs(dy));
        }
    o[y * W + x] = s / 16;
}
K k_async(u32 *o)
{
    __shared__ u32 s[256];
    int i = threadIdx.x;
    o[256 + i] = i * 9;
    __syncthreads();
#if __CUDA_ARCH__ >= 800
__pipeline_memcpy_async:;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n cp.async.commit_group;\n "
                 "cp.async.wait_group 0;" ::"r"((u32)__cvta_generic_to_shared(&s[i])),
                 "l"(&o[256 + i])
                 : "memory");
#else
    s[i] = o[256 + i];
#endif
    __syncthreads();
    o[i] = s[255 - i];
}
#else
#define ATOMS(n, first, sh)                                                                        \
    u32 *u = (u32 *)o;                                                                             \
    s32 *s = (s32 *)o;                                                                             \
    u64 *w = o + 16;                                                                               \
    float *f = (float *)(o + 32);                                                                  \
    double *d = (double *)(o + 40);                                                                \
    for (int i = first; i < first + n; i++) {                                                      \
        u32 x = (u32)mix(i);                                                                       \
        u[0] += x;                                                                                 \
        u[1] -= x;                                                                                 \
        s[2] = std::min(s[2], (s32)x);                                                             \
        s[3] = std::max(s[3], (s32)x);                                                             \
        if (!sh)                                                                                   \
            u[4] &= x | 0xff;                                                                      \
        u[5] |= x & 0xf0f0;                                                                        \
        u[6] ^= x;                                                                                 \
        u[7] = u[7] >= (sh ? 10 : 100) ? 0 : u[7] + 1;                                             \
        u[8] = u[8] == 0 || u[8] > (sh ? 7 : 77) ? (sh ? 7 : 77) : u[8] - 1;                       \
        u[9] = std::max(u[9], x);                                                                  \
        w[0] += mix(i);                                                                            \
        w[1] = std::min((s64)w[1], (s64)mix(i));                                                   \
        w[2] = std::max(w[2], mix(i));                                                             \
        f[0] += x & 0xff;                                                                          \
        d[0] += x & 0xffff;                                                                        \
    }
#include <algorithm>
REF(atom_global, u64, 64 + 300, "3;100;0")
{
    ATOMS(300, 0, 0) u[10] = 55;
    for (int i = 0; i < 300; i++) {
        w[4] ^= mix(i);
        w[5] |= mix(i) & 0xf0f0f;
        w[6] = w[6] * 3 % 1000003 + 1;
    }
    u[11] = 300;
    u[12] = 600;
    u[13] = 9;
    ((u16 *)(o + 48))[1] = 900;
    o[50] = 0x60b05cb0;
    o[51] = 0x5cb0;
    o[52] = 0x42804300;
    u[14] = 300;
    for (int k = 0; k < 300; k++)
        o[64 + k] = 1;
    w[7] = 7;
    f[1] = 2.5f;
}
REF(atom_shared, u64, 240, "3;100;0")
{
    u64 *all = o;
    for (int b = 0; b < 3; b++) {
        u64 *o = all + b * 80;
        ATOMS(100, b * 100, 1)
    }
}
REF(dynamic, u32, 2 * 192, "2;192;80000")
{
    for (int b = 0; b < 2; b++)
        for (int t = 0; t < 192; t++)
            for (int k = t; k < 20000; k += 192)
                o[b * 192 + t] += ((19999 - k) * 3 + b) ^ k;
}
REF(tile, float, 32 * 32, "2,2;16,16;0")
{
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) {
            float s = 0;
            for (int k = 0; k < 48; k++)
                s += (float)((y * 7 + k) % 13) * ((k * 5 + x) % 11);
            o[y * 32 + x] = s;
        }
}
REF(vectors, u32, 64 * 8, "1;64;0")
{
    for (int i = 0; i < 64; i++, o += 8) {
        for (int k = 0; k < 4; k++)
            o[k] = i + k;
        u8 *b = (u8 *)(o + 4);
        b[0] = i;
        b[1] = (i + 1) * 2;
        b[2] = (i + 2) * 3;
        b[3] = (i + 3) * 4;
        *(u16 *)(b + 4) = -i;
        b[6] = i;
        b[7] = 255;
        *(u16 *)(b + 8) = -i;
        *(u16 *)(b + 10) = b[1];
        float f;
        memcpy(&f, o, 4);
        *(float *)(b + 12) = f == 0 ? 1 : 2;
    }
}
static u32 heap_(int i)
{
    int n = i % 50 + 1;
    u32 s = 0;
    for (int k = 0; k < n; k++) {
        s = s * 3 + k;
        s = s * 3 + k * i + 1;
    }
    for (int k = n - 1; k >= 0; k--)
        s = s * 5 + k;
    return s;
}
REF(heap, u32, 300, "3;100;0")
{
    for (int i = 0; i < 300; i++)
        o[i] = heap_(i);
}
REF(ownstack, u32, 300, "3;100;0")
{
    for (int i = 0; i < 300; i++)
        for (int k = 0; k <= i % 30; k++)
            o[i] ^= (u32)mix(k + i) * (k + 1);
}
REF(generic, u32, 1100, "1;100;0")
{
    for (int i = 0; i < 100; i++) {
        u32 x = i % 3 == 0 ? (i + 1) % 100 : i % 3 == 1 ? i % 16 * 100 : 77 + i;
        o[i] = 2 * x + (i % 3 == 1 ? 0 : 1000) + (i % 3 == 0 ? 2 : i % 3 == 1 ? 4 : 8);
        o[200 + i] = 3;
        o[400 + i] = 6;
        if (i % 3 == 2)
            o[1000 + i] = x + 1000;
    }
}
REF(const128, u64, 600, "3;100;0")
{
    for (int i = 0; i < 300; i++) {
        unsigned __int128 x = ((unsigned __int128)mix(i) << 64 | i) * 7;
        o[2 * i] = x;
        o[2 * i + 1] = x >> 64;
    }
}
REF(image, u32, 37 * 29, "5,4;8,8;0")
{
    for (int y = 0; y < 29; y++)
        for (int x = 0; x < 37; x++) {
            int s = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int xx = std::min(std::max(x + dx, 0), 36),
                        yy = std::min(std::max(y + dy, 0), 28);
                    s += (int)(mix(yy * 37 + xx) & 255) * (2 - abs(dx)) * (2 - abs(dy));
                }
            o[y * 37 + x] = s / 16;
        }
}
REF(async, u32, 512, "1;256;0")
{
    for (int i = 0; i < 256; i++) {
        o[i] = (255 - i) * 9;
        o[256 + i] = i * 9;
    }
}
#endif
