// The driver API: memory, copies and sets, with addresses as integers. Streams and events use the
// runtime's functions.
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

// Copies of rows; with a pitch of 0 the rows are contiguous.

int copy_of_driver(struct cuda *cuda, const struct driver_copy3d *from, struct cuda_copy *to)
{
    struct driver_copy3d full = *from;
    struct driver_side3d *sides[] = {&full.source, &full.to};
    int error = cudaSuccess;
    *to = (struct cuda_copy){.width = from->width, .height = from->height, .depth = from->depth};
    for (int i = 0; i < 2; i++) {
        sides[i]->pitch = sides[i]->pitch ? sides[i]->pitch : sides[i]->x + from->width;
        sides[i]->height = sides[i]->height ? sides[i]->height : sides[i]->y + from->height;
    }
    if (full.source.level || full.to.level) // the manual requires 0
        error = cudaErrorInvalidValue;
    if (!error)
        error = copy_driver_side(cuda, &full.source, &to->from);
    if (!error)
        error = copy_driver_side(cuda, &full.to, &to->to);
    if (!error && (to->from.pitch < to->width || to->to.pitch < to->width))
        error = cudaErrorInvalidValue;
    return error;
}

static int copy_3d_driver(struct cuda *cuda, const struct driver_copy3d *from, void *stream,
                          bool waits)
{
    struct cuda_copy made;
    int error = cuda_begin(cuda);
    if (!error)
        error = copy_of_driver(cuda, from, &made);
    return error ? error : copy_issue(cuda, &made, stream, waits);
}

static struct driver_side3d side_3d(const struct driver_side2d *from)
{
    return (struct driver_side3d){.x = from->x,
                                  .y = from->y,
                                  .type = from->type,
                                  .host = from->host,
                                  .device = from->device,
                                  .array = from->array,
                                  .pitch = from->pitch};
}

static int copy_2d_driver(struct cuda *cuda, const struct driver_copy2d *from, void *stream,
                          bool waits)
{
    struct driver_copy3d full = {.source = side_3d(&from->source),
                                 .to = side_3d(&from->to),
                                 .width = from->width,
                                 .height = from->height,
                                 .depth = 1};
    return copy_3d_driver(cuda, &full, stream, waits);
}

CUDA_API(cuMemcpy2D, const struct driver_copy2d *from)
{
    CUDA_NEEDS(from);
    return CUDA_DO(copy_2d_driver(cuda, from, NULL, true));
}

CUDA_API(cuMemcpy2DAsync, const struct driver_copy2d *from, void *stream)
{
    CUDA_NEEDS(from);
    return CUDA_DO(copy_2d_driver(cuda, from, stream, false));
}

CUDA_API(cuMemcpy3D, const struct driver_copy3d *from)
{
    CUDA_NEEDS(from);
    return CUDA_DO(copy_3d_driver(cuda, from, NULL, true));
}

CUDA_API(cuMemcpy3DAsync, const struct driver_copy3d *from, void *stream)
{
    CUDA_NEEDS(from);
    return CUDA_DO(copy_3d_driver(cuda, from, stream, false));
}

static int set_rows(struct cuda *cuda, uint64_t to, size_t pitch, uint32_t value, uint32_t element,
                    size_t width, size_t height, void *stream, bool waits)
{
    struct cuda_set made = {.to = to,
                            .pitch = pitch,
                            .value = value,
                            .element = element,
                            .width = width * element,
                            .height = height,
                            .depth = 1};
    if (height > 1 && pitch < made.width)
        return cudaErrorInvalidValue;
    return set_issue(cuda, &made, stream, waits);
}

static int set(struct cuda *cuda, uint64_t to, uint32_t value, uint32_t element, size_t count,
               void *stream, bool waits)
{
    return set_rows(cuda, to, count * element, value, element, count, 1, stream, waits);
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

CUDA_API(cuMemsetD2D8, uint64_t to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return CUDA_DO(set_rows(cuda, to, pitch, value, 1, width, height, NULL, true));
}

CUDA_API(cuMemsetD2D8Async, uint64_t to, size_t pitch, unsigned char value, size_t width,
         size_t height, void *stream)
{
    return CUDA_DO(set_rows(cuda, to, pitch, value, 1, width, height, stream, false));
}

CUDA_API(cuMemsetD2D16, uint64_t to, size_t pitch, unsigned short value, size_t width,
         size_t height)
{
    return CUDA_DO(set_rows(cuda, to, pitch, value, 2, width, height, NULL, true));
}

CUDA_API(cuMemsetD2D16Async, uint64_t to, size_t pitch, unsigned short value, size_t width,
         size_t height, void *stream)
{
    return CUDA_DO(set_rows(cuda, to, pitch, value, 2, width, height, stream, false));
}

CUDA_API(cuMemsetD2D32, uint64_t to, size_t pitch, unsigned value, size_t width, size_t height)
{
    return CUDA_DO(set_rows(cuda, to, pitch, value, 4, width, height, NULL, true));
}

CUDA_API(cuMemsetD2D32Async, uint64_t to, size_t pitch, unsigned value, size_t width, size_t height,
         void *stream)
{
    return CUDA_DO(set_rows(cuda, to, pitch, value, 4, width, height, stream, false));
}
