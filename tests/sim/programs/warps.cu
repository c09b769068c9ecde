// Shuffles, votes, barriers, divergence, locks between lanes, warps and CTAs.
#define GRID 2
#define BLOCK 128
#include "common.h"
#ifdef __CUDACC__
#define K extern "C" __global__ void
#define LANE (threadIdx.x & 31)
K k_shfl(s64 *o)
{
    int t = threadIdx.x, l = t & 31;
    int v = (int)mix(t);
    s64 w = mix(t + 1);
    double d = t * 1.5;
    float f = t;
    int *dummy = 0;
    (void)dummy;
    o += t * 20;
    o[0] = __shfl_sync(~0u, v, 5);
    o[1] = __shfl_sync(~0u, v, l * 7, 8);
    o[2] = __shfl_up_sync(~0u, v, 3);
    o[3] = __shfl_up_sync(~0u, v, 3, 16);
    o[4] = __shfl_down_sync(~0u, v, 9);
    o[5] = __shfl_down_sync(~0u, v, 1, 4);
    o[6] = __shfl_xor_sync(~0u, v, 21);
    o[7] = __shfl_xor_sync(~0u, v, 6, 4);
    o[8] = __shfl_sync(~0u, w, l ^ 3);
    o[9] = (s64)(__shfl_xor_sync(~0u, d, 16) * 2);
    o[10] = (s64)__shfl_down_sync(~0u, f, l);
    o[11] = __shfl_up_sync(~0u, (unsigned short)v & 0 | t, l);
    o[12] = __shfl_sync(~0u, v, -1);
    o[13] = __shfl_sync(~0u, v, 100);
    int x = 0;
    if (l < 20)
        x = __shfl_down_sync(0xfffff, v, 1, 32);
    o[14] = l < 19 ? x : 0;
    int y = 0;
    if (l & 1)
        y = __shfl_xor_sync(0xaaaaaaaa, v, 2);
    else
        y = __shfl_xor_sync(0x55555555, v, 4);
    o[15] = y;
    s64 sum = w;
    for (int k = 16; k; k >>= 1)
        sum += __shfl_xor_sync(~0u, sum, k);
    o[16] = sum;
    int sc = v & 0xff;
    for (int k = 1; k < 32; k <<= 1) {
        int n = __shfl_up_sync(~0u, sc, k);
        if (l >= k)
            sc += n;
    }
    o[17] = sc;
    o[18] = __shfl_sync(~0u, t, (l + 1) % 32);
    o[19] = __shfl_up_sync(~0u, t, 40);
}
K k_votes(u32 *o)
{
    int t = threadIdx.x, l = t & 31;
    o += t * 16;
    int v = (int)(mix(t) >> 40);
    o[0] = __ballot_sync(~0u, v & 1);
    o[1] = __any_sync(~0u, v % 40 == 0);
    o[2] = __all_sync(~0u, v % 40 != 0);
    o[3] = __match_any_sync(~0u, v % 5);
    int p;
    o[4] = __match_all_sync(~0u, t >> 5, &p);
    o[5] = p;
    o[6] = __match_all_sync(~0u, v, &p);
    o[7] = p;
    o[8] = __match_any_sync(~0u, (u64)(v % 3) << 40);
    if (l % 3) {
        o[9] = __activemask();
        o[10] = __ballot_sync(0xb6db6db6, 0) * 0 + 1;
    } else {
        o[9] = __activemask();
        o[10] = 2;
    }
#if __CUDA_ARCH__ >= 800
    o[11] = __reduce_add_sync(~0u, v);
    o[12] = __reduce_min_sync(~0u, v);
    o[13] = __reduce_max_sync(~0u, -v);
    o[14] = __reduce_and_sync(~0u, v | 1) ^ __reduce_or_sync(~0u, v);
    o[15] = __reduce_xor_sync(~0u, v);
#else
    auto red = [&](u32 x, auto f) {
        for (int k = 16; k; k >>= 1)
            x = f(x, __shfl_xor_sync(~0u, x, k));
        return x;
    };
    o[11] = red(v, [](u32 a, u32 b) { return a + b; });
    o[12] = red(v, [](u32 a, u32 b) { return min((int)a, (int)b); });
    o[13] = red(-v, [](u32 a, u32 b) { return max((int)a, (int)b); });
    o[14] =
        red(v | 1, [](u32 a, u32 b) { return a & b; }) ^ red(v, [](u32 a, u32 b) { return a | b; });
    o[15] = red(v, [](u32 a, u32 b) { return a ^ b; });
#endif
}
K k_block(u32 *o)
{
    int t = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    int n = blockDim.x * blockDim.y * blockDim.z;
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    __shared__ u32 s[1024];
    s[t] = (u32)mix(t + b * 1000) & 0xffff;
    __syncthreads();
    for (int k = 1; k < n; k <<= 1) {
        u32 x = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    o += (b * n + t) * 4;
    o[0] = s[t];
    o[1] = __syncthreads_count(s[t] & 1);
    o[2] = __syncthreads_and(s[t] != 3) + 2 * __syncthreads_or(s[t] % 64 == 5);
    o[3] = b << 16 | t;
}
K k_full(u32 *o)
{
    __shared__ u32 s[1024];
    int t = threadIdx.x;
    s[t] = t * 3 + blockIdx.x;
    __syncthreads();
    o[blockIdx.x * 1024 + t] = s[1023 - t];
}
K k_single(u32 *o)
{
    o[blockIdx.x] = blockIdx.x * 7 + blockDim.x;
}
K k_empty(u32 *o)
{
}
K k_diverge(s32 *o)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    int acc = 0;
    for (int a = 0; a < 20; a++) {
        if ((t * a) % 7 == 3)
            continue;
        for (int b = 0; b < 15; b++) {
            if (b > t % 11)
                break;
            switch ((a * b + t) % 9) {
            case 0: acc += 1;
            case 1: acc ^= b; break;
            case 2: goto next;
            case 3:
                if (t & 1)
                    continue;
                acc -= 3;
                break;
            case 4:
                for (int c = 0; c < t % 5; c++) {
                    if (c == 3)
                        goto out;
                    acc += c * b;
                }
                break;
            case 5: acc *= 3; break;
            default: acc++;
            }
            if (acc > 100000) {
                o[t] = -acc;
                return;
            }
        }
        acc += 1000;
    next:
        if (a == t % 23)
            break;
    }
out:
    if (t % 13 == 5) {
        o[t] = 7;
        return;
    }
    o[t] = acc;
}
K k_locks(u32 *o)
{
    __shared__ int lock;
    __shared__ volatile u32 count;
    int t = threadIdx.x;
    if (t == 0) {
        lock = 0;
        count = 0;
    }
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            count = count + t;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (t == 0)
        o[0] = count;
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    count = count * 1 + 1;
    __threadfence();
    atomicExch(&lock, 0);
    __syncthreads();
    if (t == 0)
        o[1] = count;
}
__device__ volatile int flag;
__device__ volatile u32 box[64];
__device__ u32 done_count;
K k_chain(u32 *o)
{ // CTA b waits for CTA b-1... and for CTA b+1 sometimes
    int b = blockIdx.x, n = gridDim.x;
    if (threadIdx.x == 0) {
        box[b] = b + 100;
        __threadfence();
        atomicAdd(&done_count, 1);
        while (*(volatile u32 *)&done_count < n)
            ;
        o[b] = box[(b + 1) % n] + box[(b + n - 1) % n];
    }
}
__device__ u32 lastcount;
__device__ u32 partial[64];
K k_fencered(u32 *o)
{
    __shared__ bool last;
    __shared__ u32 s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, (u32)mix(blockIdx.x * blockDim.x + threadIdx.x) & 0xffff);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        u32 ticket = atomicInc(&lastcount, gridDim.x);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        u32 x = 0;
        for (int k = 0; k < gridDim.x; k++)
            x += partial[k];
        o[0] = x;
        lastcount = 0;
    }
}
K k_prodcons(u32 *o)
{ // warp 0 produces, others consume via named barriers
    __shared__ u32 buf[2][32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    u32 sum = 0;
    for (int r = 0; r < 10; r++) {
        if (w == 0) {
            buf[r & 1][l] = r * 100 + l;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += buf[r & 1][(l + w) % 32];
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
    o[threadIdx.x] = sum;
}
K k_lanelock(u32 *o)
{ // a warp's lanes hand a token from one to the next through shared memory
    __shared__ volatile int turn;
    if (threadIdx.x == 0)
        turn = 0;
    __syncwarp();
    __shared__ u32 log[32];
    while (turn != (int)LANE)
        ;
    log[LANE] = turn * 2;
    __threadfence_block();
    turn = LANE + 1;
    __syncwarp();
    o[LANE] = log[LANE];
}
K k_times(u32 *o)
{
    long long a = clock64();
    u64 g;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(g));
    unsigned c = clock();
    __nanosleep(50);
    long long b = clock64();
    u64 h;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(h));
    o[threadIdx.x] = (b >= a) + 2 * (h >= g);
}
K k_sregs(u32 *o)
{
    u32 r[12];
    asm volatile("mov.u32 %0, %laneid;" : "=r"(r[0]));
    asm volatile("mov.u32 %0, %warpid;" : "=r"(r[1]));
    asm volatile("mov.u32 %0, %nwarpid;" : "=r"(r[2]));
    asm volatile("mov.u32 %0, %lanemask_lt;" : "=r"(r[3]));
    asm volatile("mov.u32 %0, %lanemask_ge;" : "=r"(r[4]));
    asm volatile("mov.u32 %0, %lanemask_eq;" : "=r"(r[5]));
    asm volatile("mov.u32 %0, %ctaid.y;" : "=r"(r[6]));
    asm volatile("mov.u32 %0, %nctaid.z;" : "=r"(r[7]));
    u32 smid, nsm;
    asm volatile("mov.u32 %0, %smid;" : "=r"(smid));
    asm volatile("mov.u32 %0, %nsmid;" : "=r"(nsm));
    r[8] = smid < nsm;
    asm volatile("mov.u32 %0, %dynamic_smem_size;" : "=r"(r[9]));
    asm volatile("mov.u32 %0, %total_smem_size;" : "=r"(r[10]));
    asm volatile("mov.u32 %0, %gridid;" : "=r"(r[11]));
    r[11] = 0;
    r[10] = r[10] >= r[9];
    r[2] = r[2] > r[1];
    int t = threadIdx.x + threadIdx.y * blockDim.x;
    int b = blockIdx.x + blockIdx.y * gridDim.x;
    for (int k = 0; k < 12; k++)
        o[(b * 70 + t) * 12 + k] = r[k];
}
K k_early(u32 *o)
{
    int t = threadIdx.x;
    if (t >= 70)
        return;
    __shared__ u32 s[70];
    s[t] = t;
    __syncthreads();
    u32 m = __ballot_sync(__activemask(), t % 3 == 0);
    if (t == 9) {
        o[t] = 99;
        return;
    }
    __syncthreads();
    o[t] = s[69 - t] + m;
}
#else
REF(shfl, s64, 128 * 20, "1;128;0")
{
    for (int t = 0; t < 128; t++, o += 20) {
        int l = t & 31, b = t & ~31;
        auto V = [&](int k) { return (s64)(int)mix(b + k); };
        o[0] = V(5);
        o[1] = V((l & ~7) + (l * 7 & 7));
        o[2] = V(l >= 3 ? l - 3 : l);
        o[3] = V((l & 15) >= 3 ? l - 3 : l);
        o[4] = V(l + 9 < 32 ? l + 9 : l);
        o[5] = V((l & 3) < 3 ? l + 1 : l);
        o[6] = V(l ^ 21);
        {
            int src = l ^ 6;
            o[7] = V((src >> 2) <= (l >> 2) ? src : l);
        }
        o[8] = mix(b + (l ^ 3) + 1);
        o[9] = (b + (l ^ 16)) * 3;
        o[10] = b + (2 * l < 32 ? 2 * l : l);
        o[11] = b;
        o[12] = V(31);
        o[13] = V(100 % 32);
        o[14] = l < 19 ? V(l + 1) : 0;
        o[15] = V(l & 1 ? l ^ 2 : l ^ 4);
        s64 sum = 0;
        for (int k = 0; k < 32; k++)
            sum += mix(b + k + 1);
        o[16] = sum;
        int sc = 0;
        for (int k = 0; k <= l; k++)
            sc += (int)mix(b + k) & 0xff;
        o[17] = sc;
        o[18] = b + (l + 1) % 32;
        o[19] = l >= 8 ? t - 8 : t;
    }
}
REF(votes, u32, 128 * 16, "1;128;0")
{
    for (int t = 0; t < 128; t++, o += 16) {
        int l = t & 31, b = t & ~31;
        auto V = [&](int k) { return (int)(mix(b + k) >> 40); };
        auto M = [&](auto f) {
            u32 m = 0;
            for (int k = 0; k < 32; k++)
                if (f(k))
                    m |= 1u << k;
            return m;
        };
        int v = V(l);
        o[0] = M([&](int k) { return V(k) & 1; });
        o[1] = M([&](int k) { return V(k) % 40 == 0; }) != 0;
        o[2] = M([&](int k) { return V(k) % 40 == 0; }) == 0;
        o[3] = M([&](int k) { return V(k) % 5 == v % 5; });
        o[4] = ~0u;
        o[5] = 1;
        o[6] = 0;
        o[7] = 0;
        o[8] = M([&](int k) { return V(k) % 3 == v % 3; });
        o[9] = M([&](int k) { return (k % 3 != 0) == (l % 3 != 0); });
        o[10] = l % 3 ? 1 : 2;
        u32 s = 0, x = 0, a = ~0u, r = 0;
        int mn = V(0), mx = -V(0);
        for (int k = 0; k < 32; k++) {
            s += V(k);
            x ^= V(k);
            a &= V(k) | 1;
            r |= V(k);
            mn = std::min(mn, V(k));
            mx = std::max(mx, -V(k));
        }
        o[11] = s;
        o[12] = mn;
        o[13] = mx;
        o[14] = a ^ r;
        o[15] = x;
    }
}
template <int N> static void block_(u32 *o, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        std::vector<u32> s(N);
        u32 x = 0, c = 0, an = 1, orr = 0;
        for (int t = 0; t < N; t++) {
            s[t] = x += (u32)mix(t + b * 1000) & 0xffff;
            c += x & 1;
            an &= x != 3;
            orr |= x % 64 == 5;
        }
        for (int t = 0; t < N; t++, o += 4) {
            o[0] = s[t];
            o[1] = c;
            o[2] = an + 2 * orr;
            o[3] = b << 16 | t;
        }
    }
}
REF(block, u32, 12 * 7 * 5 * 3 * 4, "2,3,2;7,5,3;0")
{
    block_<105>(o, 12);
}
REF(full, u32, 4096, "4;1024;0")
{
    for (int k = 0; k < 4096; k++)
        o[k] = (1023 - k % 1024) * 3 + k / 1024;
}
REF(single, u32, 100, "100;1;0")
{
    for (int k = 0; k < 100; k++)
        o[k] = k * 7 + 1;
}
REF(empty, u32, 4, "3;33;0")
{
}
static s32 div_(int t)
{
    int acc = 0;
    for (int a = 0; a < 20; a++) {
        if ((t * a) % 7 == 3)
            continue;
        for (int b = 0; b < 15; b++) {
            if (b > t % 11)
                break;
            switch ((a * b + t) % 9) {
            case 0: acc += 1;
            case 1: acc ^= b; break;
            case 2: goto next;
            case 3:
                if (t & 1)
                    continue;
                acc -= 3;
                break;
            case 4:
                for (int c = 0; c < t % 5; c++) {
                    if (c == 3)
                        goto out;
                    acc += c * b;
                }
                break;
            case 5: acc *= 3; break;
            default: acc++;
            }
            if (acc > 100000)
                return -acc;
        }
        acc += 1000;
    next:
        if (a == t % 23)
            break;
    }
out:
    return t % 13 == 5 ? 7 : acc;
}
REF(diverge, s32, 500, "5;100;0")
{
    for (int k = 0; k < 500; k++)
        o[k] = div_(k);
}
REF(locks, u32, 2, "1;97;0")
{
    o[0] = 96 * 97 / 2;
    o[1] = o[0] + 97;
}
REF(chain, u32, 40, "40;33;0")
{
    for (int b = 0; b < 40; b++)
        o[b] = 200 + (b + 1) % 40 + (b + 39) % 40;
}
REF(fencered, u32, 1, "37;96;0")
{
    for (int k = 0; k < 37 * 96; k++)
        o[0] += (u32)mix(k) & 0xffff;
}
REF(prodcons, u32, 128, "1;128;0")
{
    for (int t = 32; t < 128; t++)
        for (int r = 0; r < 10; r++)
            o[t] += r * 100 + (t % 32 + t / 32) % 32;
}
REF(lanelock, u32, 32, "1;32;0")
{
    for (int t = 0; t < 32; t++)
        o[t] = 2 * t;
}
REF(times, u32, 32, "1;32;0")
{
    for (int t = 0; t < 32; t++)
        o[t] = 3;
}
REF(sregs, u32, 6 * 70 * 12, "3,2;10,7;1000")
{
    for (int b = 0; b < 6; b++)
        for (int t = 0; t < 70; t++, o += 12) {
            u32 l = t % 32;
            o[0] = l;
            o[1] = t / 32;
            o[2] = 1;
            o[3] = (1u << l) - 1;
            o[4] = ~o[3];
            o[5] = 1u << l;
            o[6] = b / 3;
            o[7] = 1;
            o[8] = 1;
            o[9] = 1000;
            o[10] = 1;
            o[11] = 0;
        }
}
REF(early, u32, 70, "1;100;0")
{
    for (int t = 0; t < 70; t++) {
        u32 m = 0;
        for (int k = 0; k < 32; k++) {
            int q = (t & ~31) + k;
            if (q < 70 && q % 3 == 0)
                m |= 1u << k;
        }
        o[t] = t == 9 ? 99 : 69 - t + m;
    }
}
#endif
