// For programs that check themselves: CHECK(condition), CALL(call of CUDA), and RESULT at the end.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

#define CALL(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            failures++;                                                                            \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));      \
        }                                                                                          \
    } while (0)

#define EXPECT(call, expected)                                                                     \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != (expected)) {                                                                \
            failures++;                                                                            \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_));        \
        }                                                                                          \
    } while (0)

#define RESULT (printf(failures ? "FAILED\n" : "PASSED\n"), failures != 0)
