/* Declarations for programs with several devices, which need no nvcc. FATBIN has devices.ptx. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dim3 {
    unsigned x, y, z;
};

struct pitched {
    void *at;
    size_t pitch, width, height;
};

struct copy_peer {
    void *from_array;
    size_t from_at[3];
    struct pitched from;
    int from_device;
    void *to_array;
    size_t to_at[3];
    struct pitched to;
    int to_device;
    size_t extent[3];
};

struct pointer {
    int type, device;
    void *on_device, *on_host;
};

struct location {
    int type, id;
};

struct access {
    struct location location;
    int flags;
};

struct physical {
    int type, handles;
    struct location location;
    void *security;
    unsigned char flags[8];
};

enum { TO_DEVICE = 1, TO_HOST, WITHIN, DEFAULT };
enum { INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_HANDLE = 400, ILLEGAL_ADDRESS = 700 };
enum { ALREADY_ENABLED = 704, NOT_ENABLED };

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *name, const char *device,
                            int limit, void *thread, void *block, void *block_size, void *grid_size,
                            int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t bytes, int constant, int global);
int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaGetDevice(int *device);
int cudaDeviceReset(void);
int cudaDeviceSynchronize(void);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaDeviceGetPCIBusId(char *to, int length, int device);
int cudaDeviceGetByPCIBusId(int *device, const char *bus);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaDeviceDisablePeerAccess(int peer);
int cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
int cudaMalloc(void *to, size_t bytes);
int cudaMallocManaged(void *to, size_t bytes, unsigned flags);
int cudaMallocHost(void *to, size_t bytes);
int cudaMallocAsync(void *to, size_t bytes, void *stream);
int cudaDeviceGetDefaultMemPool(void **pool, int device);
int cudaMemPoolSetAccess(void *pool, const struct access *list, size_t count);
int cudaMemPoolGetAccess(int *flags, void *pool, const struct location *location);
int cudaFree(void *at);
int cudaFreeHost(void *at);
int cudaMemGetInfo(size_t *free, size_t *total);
int cudaPointerGetAttributes(struct pointer *to, const void *at);
int cudaGetSymbolAddress(void **at, const void *symbol);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream);
int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                        void *stream);
int cudaMemcpy3DPeerAsync(const struct copy_peer *copy, void *stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cudaStreamCreate(void **stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamGetDevice(void *stream, int *device);
int cudaStreamSynchronize(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *milliseconds, void *from, void *to);

__asm__(".section .nv_fatbin,\"a\"\n"
        ".balign 8\n"
        "image:\n"
        ".incbin \"" FATBIN "\"\n"
        ".previous\n");
extern const char image[];

static struct {
    int magic, version;
    const void *data;
    void *more;
} wrapper = {0x466243b1, 1, image, NULL};

// Host stubs of the kernels, and variables.
static char mix, bump, await_kernel, walk;
static unsigned counter, *total;

__attribute__((constructor)) static void enter(void)
{
    static const struct {
        char *stub, *name;
    } kernels[] = {{&mix, "mix"}, {&bump, "bump"}, {&await_kernel, "await"}, {&walk, "walk"}};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        __cudaRegisterFunction(handle, kernels[i].stub, kernels[i].name, kernels[i].name, -1, NULL,
                               NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&counter, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&total, "total", "total", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static void expect(long got, long expected, const char *what, int line)
{
    if (got == expected)
        return;
    printf("FAILED: line %d: %s: %ld, expected %ld\n", line, what, got, expected);
    fflush(stdout);
    _exit(1);
}
#define EXPECT(value, expected) expect((long)(value), (long)(expected), #value, __LINE__)
#define CALL(call) EXPECT(call, 0)

static int launch(const void *kernel, unsigned threads, void **arguments, void *stream)
{
    enum { BLOCK = 64 };
    return cudaLaunchKernel(kernel, (struct dim3){(threads + BLOCK - 1) / BLOCK, 1, 1},
                            (struct dim3){threads < BLOCK ? threads : BLOCK, 1, 1}, arguments, 0,
                            stream);
}

static inline int launch_mix(void *to, const void *from, unsigned n, unsigned k, void *stream)
{
    void *arguments[] = {&to, &from, &n, &k};
    return launch(&mix, n, arguments, stream);
}

static inline int launch_bump(void *at, unsigned n, unsigned k, void *stream)
{
    void *arguments[] = {&at, &n, &k};
    return launch(&bump, n, arguments, stream);
}
