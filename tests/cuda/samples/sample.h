// For the samples as programs: buffers on both sides, numbers, and the check.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CALL(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// An array of the host, and its copy on the device.
template <class T> struct buffer {
    std::vector<T> host;
    T *device;

    explicit buffer(size_t count, T value = T()) : host(count, value)
    {
        CALL(cudaMalloc(&device, count * sizeof(T)));
        to_device();
    }
    ~buffer()
    {
        cudaFree(device);
    }
    buffer(const buffer &) = delete;
    void to_device()
    {
        CALL(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    void to_host()
    {
        CALL(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    }
    T &operator[](size_t i)
    {
        return host[i];
    }
    // Fills with numbers from `low` to below `high`.
    void fill(double low, double high, uint64_t seed)
    {
        for (T &one : host) {
            uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
            z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
            z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
            one = (T)(low + (high - low) * (double)((z ^ z >> 31) >> 11) / 9007199254740992.0);
        }
        to_device();
    }
};

static long wrong;

static inline void expect(size_t place, double got, double expected, double tolerance = 0)
{
    if (std::fabs(got - expected) <= tolerance * (std::fabs(expected) + 1e-3))
        return;
    if (!wrong++)
        printf("element %zu is %.9g, not %.9g\n", place, got, expected);
}

static inline int result()
{
    CALL(cudaDeviceSynchronize());
    CALL(cudaGetLastError());
    printf(wrong ? "FAILED: %ld elements\n" : "PASSED\n", wrong);
    return wrong != 0;
}
