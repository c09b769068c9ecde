// What the programs share. nvcc makes kernels of them, g++ the reference: TEST's body is the same
// for both and says what thread i leaves in o; where only the device has a function, the body says
// in plain C++ what it does. REF is the reference of a kernel of its own: it fills o for the
// launch. main() writes each reference to the folder that it is given, and a line of name, type,
// count and launch to standard output.
#pragma once
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned u32;
typedef int s32;
typedef unsigned short u16;
typedef short s16;
typedef unsigned char u8;
typedef signed char s8;
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <cstdint>
#include <vector>
#include <string>
#define HD
#ifndef __CUDA_RUNTIME_H__
#define __device__
#define __host__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __constant__
#endif
#endif
HD static inline u64 mix(u64 z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
// Random numbers, often at an edge.
HD static inline u64 edgy(u64 seed)
{
    u64 z = mix(seed), k = z >> 59;
    z = mix(z);
    switch (k) {
    case 0: return 0;
    case 1: return 1;
    case 2: return ~0ull;
    case 3: return 0x8000000000000000ull;
    case 4: return 0x7fffffffffffffffull;
    case 5: return 0x80000000ull;
    case 6: return 0xffffffffull;
    case 7: return 0x7fffffffull;
    case 8: return z & 0xff;
    case 9: return z & 0xffff;
    case 10: return 1ull << (z & 63);
    case 11: return 0 - (z & 0xff);
    case 12: return z & 0xffffffff;
    case 13: return (z & 0x8080808080808080ull);
    case 14: return (z & 0x7f7f7f7f7f7f7f7full);
    default: return z;
    }
}
#ifndef GRID
#define GRID 3
#endif
#ifndef BLOCK
#define BLOCK 100
#endif
#ifdef __CUDACC__
#define TEST(name, T, K)                                                                           \
    HD static void name(int i, T *o);                                                              \
    extern "C" __global__ void k_##name(T *out)                                                    \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        name(i, out + i * K);                                                                      \
    }                                                                                              \
    HD static void name(int i, T *o)
#else
inline std::string &folder()
{
    static std::string s;
    return s;
}
inline std::vector<void (*)()> &jobs()
{
    static std::vector<void (*)()> e;
    return e;
}
struct reg {
    reg(void (*f)())
    {
        jobs().push_back(f);
    }
};
template <class T> inline const char *tname();
template <> inline const char *tname<u64>()
{
    return "u64";
}
template <> inline const char *tname<s64>()
{
    return "s64";
}
template <> inline const char *tname<u32>()
{
    return "u32";
}
template <> inline const char *tname<s32>()
{
    return "s32";
}
template <> inline const char *tname<u16>()
{
    return "u16";
}
template <> inline const char *tname<u8>()
{
    return "u8";
}
template <> inline const char *tname<float>()
{
    return "f32";
}
template <> inline const char *tname<double>()
{
    return "f64";
}
template <class T> inline void keep(const char *name, const std::vector<T> &v, std::string shape)
{
    FILE *f = fopen((folder() + "/" + name + ".ref").c_str(), "wb");
    fwrite(v.data(), sizeof(T), v.size(), f);
    fclose(f);
    printf("%s|%s|%ld|%s\n", name, tname<T>(), (long)v.size(), shape.c_str());
}
#define TEST(name, T, K)                                                                           \
    static void name(int i, T *o);                                                                 \
    static void job_##name()                                                                       \
    {                                                                                              \
        std::vector<T> v((size_t)GRID *BLOCK *K);                                                  \
        for (int i = 0; i < GRID * BLOCK; i++)                                                     \
            name(i, v.data() + (size_t)i * K);                                                     \
        keep<T>(#name, v, std::to_string(GRID) + ";" + std::to_string(BLOCK) + ";0");              \
    }                                                                                              \
    static reg reg_##name(job_##name);                                                             \
    static void name(int i, T *o)
// shape: grid;block;bytes of dynamic shared memory
#define REF(name, T, count, shape)                                                                 \
    static void name(T *v);                                                                        \
    static void job_##name()                                                                       \
    {                                                                                              \
        std::vector<T> v(count);                                                                   \
        name(v.data());                                                                            \
        keep<T>(#name, v, shape);                                                                  \
    }                                                                                              \
    static reg reg_##name(job_##name);                                                             \
    static void name(T *o)
int main(int, char **argv)
{
    folder() = argv[1];
    for (auto job : jobs())
        job();
}
#endif
