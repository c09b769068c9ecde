// For files that are compiled once per instruction set of the host. NAMED makes the names of their
// exports unique. The loops over lanes assume that a result either is exactly at a source or does
// not overlap it.
#pragma once
#include "runtime-sim/exec/lanes/rows.h"
#include "frontend/isa.h"
#include <string.h>

#define NAMED_(name, set) name##_##set
#define NAMED__(name, set) NAMED_(name, set)
#define NAMED(name) NAMED__(name, LANES_SET)

#ifdef __clang__
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < LANES; i++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif

// Defines a function of one to four sources; D, A … are the C types of a lane.
#define LANES_1(name, D, A, ...)                                                                   \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        D *to = dp;                                                                                \
        const A *ap = sp[0];                                                                       \
        EACH_LANE                                                                                  \
        {                                                                                          \
            A a = ap[i];                                                                           \
            to[i] = (D)(__VA_ARGS__);                                                              \
        }                                                                                          \
    }
#define LANES_2(name, D, A, B, ...)                                                                \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        D *to = dp;                                                                                \
        const A *ap = sp[0];                                                                       \
        const B *bp = sp[1];                                                                       \
        EACH_LANE                                                                                  \
        {                                                                                          \
            A a = ap[i];                                                                           \
            B b = bp[i];                                                                           \
            to[i] = (D)(__VA_ARGS__);                                                              \
        }                                                                                          \
    }
#define LANES_3(name, D, A, B, C, ...)                                                             \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        D *to = dp;                                                                                \
        const A *ap = sp[0];                                                                       \
        const B *bp = sp[1];                                                                       \
        const C *cp = sp[2];                                                                       \
        EACH_LANE                                                                                  \
        {                                                                                          \
            A a = ap[i];                                                                           \
            B b = bp[i];                                                                           \
            C c = cp[i];                                                                           \
            to[i] = (D)(__VA_ARGS__);                                                              \
        }                                                                                          \
    }
// Defines a comparison, whose result has one bit per lane.
#define LANES_TEST(name, A, B, ...)                                                                \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        const A *ap = sp[0];                                                                       \
        const B *bp = sp[1];                                                                       \
        uint32_t mask = 0;                                                                         \
        EACH_LANE                                                                                  \
        {                                                                                          \
            A a = ap[i];                                                                           \
            B b = bp[i];                                                                           \
            mask |= (uint32_t)(__VA_ARGS__) << i;                                                  \
        }                                                                                          \
        *(uint32_t *)dp = mask;                                                                    \
    }
