// The driver's interface: memory, copies and sets, under its own names and with addresses as
// numbers. Streams and events have the runtime's functions.
#include "runtime-sim/cuda/copies.h"
#include "runtime-sim/cuda/memory.h"

static int allocate(struct cuda *cuda, enum cuda_memory_kind kind, uint64_t *to, size_t bytes)
{
    return bytes ? cuda_memory_allocate(cuda, kind, bytes, to) : cudaErrorInvalidValue;
}

CUDA_API(cuMemAlloc, uint64_t *to, size_t bytes)
{
    CUDA_NEEDS(to);
    return CUDA_DO(allocate(cuda, KIND_DEVICE, to, bytes));
}

CUDA_API(cuMemAllocManaged, uint64_t *to, size_t bytes, unsigned flags)
{
    CUDA_NEEDS(to);
    (void)flags;
    return CUDA_DO(allocate(cuda, KIND_MANAGED, to, bytes));
}

CUDA_API(cuMemFree, uint64_t at)
{
    return CUDA_DO(cuda_memory_free(cuda, at, 1u << KIND_DEVICE | 1u << KIND_MANAGED));
}

static int address_range(struct cuda *cuda, uint64_t *base, size_t *bytes, uint64_t at)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, at);
    if (!memory)
        return cudaErrorInvalidValue;
    if (base)
        *base = memory->address;
    if (bytes)
        *bytes = memory->bytes;
    return cudaSuccess;
}

CUDA_API(cuMemGetAddressRange, uint64_t *base, size_t *bytes, uint64_t at)
{
    return CUDA_DO(address_range(cuda, base, bytes, at));
}

static int copy(struct cuda *cuda, const void *to, const void *from, size_t bytes, int kind,
                void *stream, bool waits)
{
    struct cuda_copy made = {.width = bytes, .height = 1, .depth = 1};
    int error = cuda_begin(cuda);
    if (!error && bytes)
        error = copy_sides(cuda, &made, (void *)to, bytes, from, bytes, kind);
    return error ? error : copy_issue(cuda, &made, stream, waits);
}

CUDA_API(cuMemcpy, uint64_t to, uint64_t from, size_t bytes)
{
    return CUDA_DO(copy(cuda, (void *)to, (void *)from, bytes, COPY_DEFAULT, NULL, true));
}

CUDA_API(cuMemcpyAsync, uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return CUDA_DO(copy(cuda, (void *)to, (void *)from, bytes, COPY_DEFAULT, stream, false));
}

CUDA_API(cuMemcpyHtoD, uint64_t to, const void *from, size_t bytes)
{
    return CUDA_DO(copy(cuda, (void *)to, from, bytes, COPY_HOST_DEVICE, NULL, true));
}

CUDA_API(cuMemcpyHtoDAsync, uint64_t to, const void *from, size_t bytes, void *stream)
{
    return CUDA_DO(copy(cuda, (void *)to, from, bytes, COPY_HOST_DEVICE, stream, false));
}

CUDA_API(cuMemcpyDtoH, void *to, uint64_t from, size_t bytes)
{
    return CUDA_DO(copy(cuda, to, (void *)from, bytes, COPY_DEVICE_HOST, NULL, true));
}

CUDA_API(cuMemcpyDtoHAsync, void *to, uint64_t from, size_t bytes, void *stream)
{
    return CUDA_DO(copy(cuda, to, (void *)from, bytes, COPY_DEVICE_HOST, stream, false));
}

CUDA_API(cuMemcpyDtoD, uint64_t to, uint64_t from, size_t bytes)
{
    return CUDA_DO(copy(cuda, (void *)to, (void *)from, bytes, COPY_DEVICE, NULL, true));
}

CUDA_API(cuMemcpyDtoDAsync, uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return CUDA_DO(copy(cuda, (void *)to, (void *)from, bytes, COPY_DEVICE, stream, false));
}

static int set(struct cuda *cuda, uint64_t to, uint32_t value, uint32_t element, size_t count,
               void *stream, bool waits)
{
    struct cuda_set made = {.to = to,
                            .pitch = count * element,
                            .value = value,
                            .element = element,
                            .width = count * element,
                            .height = 1,
                            .depth = 1};
    return set_issue(cuda, &made, stream, waits);
}

CUDA_API(cuMemsetD8, uint64_t to, unsigned char value, size_t count)
{
    return CUDA_DO(set(cuda, to, value, 1, count, NULL, true));
}

CUDA_API(cuMemsetD8Async, uint64_t to, unsigned char value, size_t count, void *stream)
{
    return CUDA_DO(set(cuda, to, value, 1, count, stream, false));
}

CUDA_API(cuMemsetD16, uint64_t to, unsigned short value, size_t count)
{
    return CUDA_DO(set(cuda, to, value, 2, count, NULL, true));
}

CUDA_API(cuMemsetD16Async, uint64_t to, unsigned short value, size_t count, void *stream)
{
    return CUDA_DO(set(cuda, to, value, 2, count, stream, false));
}

CUDA_API(cuMemsetD32, uint64_t to, unsigned value, size_t count)
{
    return CUDA_DO(set(cuda, to, value, 4, count, NULL, true));
}

CUDA_API(cuMemsetD32Async, uint64_t to, unsigned value, size_t count, void *stream)
{
    return CUDA_DO(set(cuda, to, value, 4, count, stream, false));
}
