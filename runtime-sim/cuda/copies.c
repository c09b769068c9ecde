// Copies and sets with one, two and three dimensions, between host, device and arrays.
#include "runtime-sim/cuda/copies.h"
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/memory.h"

// Sides

// Sets one side of a copy from an address. Returns false if the address contradicts `kind`, and for
// addresses that are neither the host's nor the device's: NULL, and freed device memory.
static bool side_of(struct cuda *cuda, const void *at, bool is_device, int kind, size_t pitch,
                    struct cuda_side *to)
{
    bool found = cuda_memory_is_device(cuda, at);
    if (!at || cuda_memory_is_gone(cuda, at))
        return false;
    *to = (struct cuda_side){.on_device = found, .pitch = pitch};
    if (found)
        to->address = (uintptr_t)at;
    else
        to->host = (uint8_t *)at;
    // Memory that host and device share may be either side of any kind.
    const struct cuda_memory *shared = cuda_memory_at(cuda, (uintptr_t)at);
    bool is_shared = shared && shared->host;
    return kind == COPY_DEFAULT || is_shared || found == is_device ||
           (found && cuda->heap.shared_until > (uintptr_t)at);
}

int copy_sides(struct cuda *cuda, struct cuda_copy *copy, void *to, size_t to_pitch,
               const void *from, size_t from_pitch, int kind)
{
    bool good = kind >= COPY_HOST_HOST && kind <= COPY_DEFAULT;
    if (!good)
        return cudaErrorInvalidMemcpyDirection;
    good = side_of(cuda, to, kind == COPY_HOST_DEVICE || kind == COPY_DEVICE, kind, to_pitch,
                   &copy->to) &&
           side_of(cuda, from, kind == COPY_DEVICE_HOST || kind == COPY_DEVICE, kind, from_pitch,
                   &copy->from);
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

int copy_issue(struct cuda *cuda, const struct cuda_copy *copy, void *handle, bool waits)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    struct cuda_work work = {.kind = WORK_COPY, .copy = *copy};
    if (error)
        return error;
    if (waits && stream->capturing)
        return graph_forbid(cuda, stream);
    work.copy.waits = waits;
    return work_issue(cuda, stream, &work);
}

static int copy_plain(struct cuda *cuda, void *to, const void *from, size_t bytes, int kind,
                      void *stream, bool waits)
{
    struct cuda_copy copy = {.width = bytes, .height = 1, .depth = 1};
    int error = cuda_begin(cuda);
    if (!error && bytes)
        error = copy_sides(cuda, &copy, to, bytes, from, bytes, kind);
    return error ? error : copy_issue(cuda, &copy, stream, waits);
}

static int copy_rows(struct cuda *cuda, void *to, size_t to_pitch, const void *from,
                     size_t from_pitch, size_t width, size_t height, int kind, void *stream,
                     bool waits)
{
    struct cuda_copy copy = {.width = width, .height = height, .depth = 1};
    int error = cuda_begin(cuda);
    if (!error && (width > to_pitch || width > from_pitch))
        error = cudaErrorInvalidPitchValue;
    if (!error && width && height)
        error = copy_sides(cuda, &copy, to, to_pitch, from, from_pitch, kind);
    return error ? error : copy_issue(cuda, &copy, stream, waits);
}

CUDA_API(cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
    return CUDA_DO(copy_plain(cuda, to, from, bytes, kind, NULL, true));
}

CUDA_API(cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind, void *stream)
{
    return CUDA_DO(copy_plain(cuda, to, from, bytes, kind, stream, false));
}

// Copies that may run in any order. Their attributes are hints.
static int copy_batch(struct cuda *cuda, void *const *to, const void *const *from,
                      const size_t *bytes, size_t count, size_t *failed, void *stream)
{
    int error = cudaSuccess;
    for (size_t i = 0; i < count && !error; i++) {
        error = copy_plain(cuda, to[i], from[i], bytes[i], COPY_DEFAULT, stream, false);
        if (error && failed)
            *failed = i;
    }
    return error;
}

CUDA_API(cudaMemcpyBatchAsync, void *const *to, const void *const *from, const size_t *bytes,
         size_t count, const void *attributes, const size_t *indices, size_t attribute_count,
         void *stream)
{
    CUDA_NEEDS(to && from && bytes);
    (void)attributes;
    (void)indices;
    (void)attribute_count;
    return CUDA_DO(copy_batch(cuda, to, from, bytes, count, NULL, stream));
}

// Before version 13 with the number of the copy that failed.
CUDA_API(cudaMemcpyBatchAsync_v1, void *const *to, const void *const *from, const size_t *bytes,
         size_t count, const void *attributes, const size_t *indices, size_t attribute_count,
         size_t *failed, void *stream)
{
    CUDA_NEEDS(to && from && bytes);
    (void)attributes;
    (void)indices;
    (void)attribute_count;
    return CUDA_DO(copy_batch(cuda, to, from, bytes, count, failed, stream));
}

// Addresses determine the devices; the numbers are only checked.
static int check_devices(struct cuda *cuda, int to, int from)
{
    struct cuda_gpu *gpu = cuda->gpu;
    int error = context_select(cuda, to);
    if (!error)
        error = context_select(cuda, from);
    cuda->gpu = gpu;
    return error;
}

static int copy_peer(struct cuda *cuda, void *to, int to_device, const void *from, int from_device,
                     size_t bytes, void *stream, bool waits)
{
    int error = check_devices(cuda, to_device, from_device);
    return error ? error : copy_plain(cuda, to, from, bytes, COPY_DEVICE, stream, waits);
}

CUDA_API(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return CUDA_DO(copy_peer(cuda, to, to_device, from, from_device, bytes, NULL, true));
}

CUDA_API(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device,
         size_t bytes, void *stream)
{
    return CUDA_DO(copy_peer(cuda, to, to_device, from, from_device, bytes, stream, false));
}

// The driver names the devices by contexts.

CUDA_API(cuMemcpyPeer, uint64_t to, void *to_context, uint64_t from, void *from_context,
         size_t bytes)
{
    return CUDA_DO(copy_peer(cuda, (void *)to, context_device(cuda, to_context), (void *)from,
                             context_device(cuda, from_context), bytes, NULL, true));
}

CUDA_API(cuMemcpyPeerAsync, uint64_t to, void *to_context, uint64_t from, void *from_context,
         size_t bytes, void *stream)
{
    return CUDA_DO(copy_peer(cuda, (void *)to, context_device(cuda, to_context), (void *)from,
                             context_device(cuda, from_context), bytes, stream, false));
}

CUDA_API(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
         size_t height, int kind)
{
    return CUDA_DO(
        copy_rows(cuda, to, to_pitch, from, from_pitch, width, height, kind, NULL, true));
}

CUDA_API(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch,
         size_t width, size_t height, int kind, void *stream)
{
    return CUDA_DO(
        copy_rows(cuda, to, to_pitch, from, from_pitch, width, height, kind, stream, false));
}

// Symbols

static int copy_symbol(struct cuda *cuda, const void *symbol, const void *other, size_t bytes,
                       size_t offset, bool writes, int kind, void *stream, bool waits)
{
    int error;
    const struct allocation *variable = symbol_variable(cuda, symbol, &error);
    if (!variable)
        return error;
    if (offset > variable->bytes || bytes > variable->bytes - offset)
        return cudaErrorInvalidValue;
    void *at = (void *)(variable->address + offset);
    void *to = writes ? at : (void *)other;
    const void *from = writes ? other : at;
    return copy_plain(cuda, to, from, bytes, kind, stream, waits);
}

CUDA_API(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes, size_t offset,
         int kind)
{
    return CUDA_DO(copy_symbol(cuda, symbol, from, bytes, offset, true, kind, NULL, true));
}

CUDA_API(cudaMemcpyToSymbolAsync, const void *symbol, const void *from, size_t bytes, size_t offset,
         int kind, void *stream)
{
    return CUDA_DO(copy_symbol(cuda, symbol, from, bytes, offset, true, kind, stream, false));
}

CUDA_API(cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return CUDA_DO(copy_symbol(cuda, symbol, to, bytes, offset, false, kind, NULL, true));
}

CUDA_API(cudaMemcpyFromSymbolAsync, void *to, const void *symbol, size_t bytes, size_t offset,
         int kind, void *stream)
{
    return CUDA_DO(copy_symbol(cuda, symbol, to, bytes, offset, false, kind, stream, false));
}

static int get_symbol(struct cuda *cuda, const void *symbol, void **at, size_t *bytes)
{
    int error;
    const struct allocation *variable = symbol_variable(cuda, symbol, &error);
    if (variable && at)
        *at = (void *)variable->address;
    if (variable && bytes)
        *bytes = variable->bytes;
    return error;
}

CUDA_API(cudaGetSymbolAddress, void **at, const void *symbol)
{
    CUDA_NEEDS(at);
    return CUDA_DO(get_symbol(cuda, symbol, at, NULL));
}

CUDA_API(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
    CUDA_NEEDS(bytes);
    return CUDA_DO(get_symbol(cuda, symbol, NULL, bytes));
}

// Three dimensions

// Widths and positions are in elements for an array, and in bytes for memory.
static int side_3d(struct cuda *cuda, const void *handle, struct cuda_position position,
                   struct cuda_pitched memory, bool is_device, int kind, struct cuda_side *to)
{
    if (handle) {
        const struct cuda_array *array = array_of(cuda, handle);
        if (!array)
            return cudaErrorInvalidResourceHandle;
        *to = array_side(array, position.x * array->element, position.y, position.z);
        return cudaSuccess;
    }
    if (!memory.ptr)
        return cudaErrorInvalidValue;
    uint64_t slice = memory.pitch * memory.ysize;
    const char *at =
        (const char *)memory.ptr + position.z * slice + position.y * memory.pitch + position.x;
    bool good = side_of(cuda, at, is_device, kind, memory.pitch, to);
    to->slice = slice;
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

int copy_3d(struct cuda *cuda, const struct cuda_copy3d *from, struct cuda_copy *to)
{
    int kind = from->kind, error = cuda_begin(cuda);
    bool to_device = kind == COPY_HOST_DEVICE || kind == COPY_DEVICE;
    bool from_device = kind == COPY_DEVICE_HOST || kind == COPY_DEVICE;
    *to = (struct cuda_copy){
        .width = from->extent.width, .height = from->extent.height, .depth = from->extent.depth};
    if (!error)
        error = side_3d(cuda, from->to_array, from->to_at, from->to, to_device, kind, &to->to);
    if (!error)
        error = side_3d(cuda, from->source_array, from->source_at, from->source, from_device, kind,
                        &to->from);
    const void *array = from->to_array ? from->to_array : from->source_array;
    if (!error && array)
        to->width *= array_of(cuda, array)->element;
    return error;
}

int copy_driver_side(struct cuda *cuda, const struct driver_side3d *from, struct cuda_side *to)
{
    const struct cuda_array *array = array_of(cuda, from->array);
    bool is_device = from->type == DRIVER_DEVICE;
    int kind = from->type == DRIVER_UNIFIED ? COPY_DEFAULT
               : is_device                  ? COPY_DEVICE
                                            : COPY_HOST_HOST;
    if (from->type == DRIVER_ARRAY) {
        if (!array)
            return cudaErrorInvalidResourceHandle;
        *to = array_side(array, from->x, from->y, from->z);
        return cudaSuccess;
    }
    const char *base = from->type == DRIVER_HOST ? from->host : (char *)from->device;
    uint64_t slice = from->pitch * from->height;
    bool good = from->type >= DRIVER_HOST && from->type <= DRIVER_UNIFIED && base &&
                side_of(cuda, base + from->z * slice + from->y * from->pitch + from->x, is_device,
                        kind, from->pitch, to);
    to->slice = slice;
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

static int issue_3d(struct cuda *cuda, const struct cuda_copy3d *from, void *stream, bool waits)
{
    struct cuda_copy copy;
    int error = copy_3d(cuda, from, &copy);
    return error ? error : copy_issue(cuda, &copy, stream, waits);
}

CUDA_API(cudaMemcpy3D, const struct cuda_copy3d *from)
{
    CUDA_NEEDS(from);
    return CUDA_DO(issue_3d(cuda, from, NULL, true));
}

CUDA_API(cudaMemcpy3DAsync, const struct cuda_copy3d *from, void *stream)
{
    CUDA_NEEDS(from);
    return CUDA_DO(issue_3d(cuda, from, stream, false));
}

static int issue_3d_peer(struct cuda *cuda, const struct cuda_copy3d_peer *from, void *stream,
                         bool waits)
{
    struct cuda_copy3d copy = {.source_array = from->source_array,
                               .source_at = from->source_at,
                               .source = from->source,
                               .to_array = from->to_array,
                               .to_at = from->to_at,
                               .to = from->to,
                               .extent = from->extent,
                               .kind = COPY_DEVICE};
    int error = check_devices(cuda, from->to_device, from->source_device);
    return error ? error : issue_3d(cuda, &copy, stream, waits);
}

CUDA_API(cudaMemcpy3DPeer, const struct cuda_copy3d_peer *from)
{
    CUDA_NEEDS(from);
    return CUDA_DO(issue_3d_peer(cuda, from, NULL, true));
}

CUDA_API(cudaMemcpy3DPeerAsync, const struct cuda_copy3d_peer *from, void *stream)
{
    CUDA_NEEDS(from);
    return CUDA_DO(issue_3d_peer(cuda, from, stream, false));
}

// Sets

int set_issue(struct cuda *cuda, const struct cuda_set *set, void *handle, bool waits)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    struct cuda_work work = {.kind = WORK_SET, .set = *set};
    if (error)
        return error;
    if (waits && stream->capturing)
        return graph_forbid(cuda, stream);
    return work_issue(cuda, stream, &work);
}

static int set(struct cuda *cuda, struct cuda_pitched to, int value, struct cuda_extent extent,
               void *stream, bool waits)
{
    struct cuda_set work = {.to = (uintptr_t)to.ptr,
                            .pitch = to.pitch,
                            .slice = to.pitch * to.ysize,
                            .value = (uint32_t)value,
                            .element = 1,
                            .width = extent.width,
                            .height = extent.height,
                            .depth = extent.depth};
    return set_issue(cuda, &work, stream, waits);
}

CUDA_API(cudaMemset, void *to, int value, size_t bytes)
{
    return CUDA_DO(set(cuda, (struct cuda_pitched){to, bytes, bytes, 1}, value,
                       (struct cuda_extent){bytes, 1, 1}, NULL, true));
}

CUDA_API(cudaMemsetAsync, void *to, int value, size_t bytes, void *stream)
{
    return CUDA_DO(set(cuda, (struct cuda_pitched){to, bytes, bytes, 1}, value,
                       (struct cuda_extent){bytes, 1, 1}, stream, false));
}

CUDA_API(cudaMemset2D, void *to, size_t pitch, int value, size_t width, size_t height)
{
    return CUDA_DO(set(cuda, (struct cuda_pitched){to, pitch, width, height}, value,
                       (struct cuda_extent){width, height, 1}, NULL, true));
}

CUDA_API(cudaMemset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height,
         void *stream)
{
    return CUDA_DO(set(cuda, (struct cuda_pitched){to, pitch, width, height}, value,
                       (struct cuda_extent){width, height, 1}, stream, false));
}

CUDA_API(cudaMemset3D, struct cuda_pitched to, int value, struct cuda_extent extent)
{
    return CUDA_DO(set(cuda, to, value, extent, NULL, true));
}

CUDA_API(cudaMemset3DAsync, struct cuda_pitched to, int value, struct cuda_extent extent,
         void *stream)
{
    return CUDA_DO(set(cuda, to, value, extent, stream, false));
}
