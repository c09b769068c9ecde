// Copies with triggers and actions on full/empty bits, and changes of the bits' state [001 §4.4,
// §4.5].
#include "runtime-sim/cuda/copies.h"

static bool has_bits(const struct cuda *cuda)
{
    return cuda->gpu->device->planes.initial != PLANES_NONE;
}

static bool is_mark(int trigger, int action)
{
    return trigger >= PLANE_ALWAYS && trigger < PLANE_TRIGGERS && action >= PLANE_KEEP &&
           action <= PLANE_EMPTY;
}

// Reports why a call is rejected. Returns an error.
static int refuse(struct cuda *cuda, const char *what, const char *why)
{
    cuda_complain(cuda, DIAG_ERROR, "%s: %s", what, why);
    return cudaErrorInvalidValue;
}

static const char copy_with[] = "cudaMemcpyAsync with a trigger or an action";

static int check(struct cuda *cuda, const struct cuda_copy *copy)
{
    struct host_copy piece = {.to = copy->to.address,
                              .from = copy->from.address,
                              .bytes = copy->width,
                              .mark = copy->mark};
    if (!copy->to.on_device && !copy->from.on_device)
        return refuse(cuda, copy_with, "neither side is on the device");
    const char *wrong = host_check_copy(&cuda->host, &piece);
    return wrong ? refuse(cuda, copy_with, wrong) : cudaSuccess;
}

static int copy_marked(struct cuda *cuda, void *to, const void *from, size_t bytes, int kind,
                       void *stream, int trigger, int action)
{
    struct cuda_copy copy = {.width = bytes, .height = 1, .depth = 1};
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (!is_mark(trigger, action))
        return cudaErrorInvalidValue;
    if (!has_bits(cuda) && (trigger != PLANE_ALWAYS || action == PLANE_EMPTY))
        return cudaErrorNotSupported;
    copy.mark =
        has_bits(cuda) ? plane_mark((enum plane_trigger)trigger, (enum plane_action)action) : 0;
    error = bytes ? copy_sides(cuda, &copy, to, bytes, from, bytes, kind) : cudaSuccess;
    if (!error && bytes && copy.mark)
        error = check(cuda, &copy);
    return error ? error : copy_issue(cuda, &copy, stream, false);
}

CUDA_API(cudaOverlapMemcpyAsync, void *to, const void *from, size_t bytes, int kind, void *stream,
         int trigger, int action)
{
    return CUDA_DO(copy_marked(cuda, to, from, bytes, kind, stream, trigger, action));
}

static int set_state(struct cuda *cuda, void *at, size_t bytes, enum plane_action action,
                     void *handle)
{
    int error = cuda_begin(cuda);
    struct cuda_stream *stream = error ? NULL : stream_of(cuda, handle, &error);
    if (error)
        return error;
    if (stream->capturing)
        return graph_forbid(cuda, stream);
    if (!has_bits(cuda))
        return cudaErrorNotSupported;
    if (!bytes || action == PLANE_KEEP)
        return cudaSuccess;
    return host_set_state(&stream->on, (uintptr_t)at, bytes, action) ? cudaSuccess
                                                                     : cudaErrorInvalidValue;
}

CUDA_API(cudaOverlapSetState, void *at, size_t bytes, int action, void *stream)
{
    return is_mark(PLANE_ALWAYS, action)
               ? CUDA_DO(set_state(cuda, at, bytes, (enum plane_action)action, stream))
               : CUDA_DO(cudaErrorInvalidValue);
}

CUDA_API(cudaOverlapRelease, void *at, size_t bytes, void *stream)
{
    return CUDA_DO(set_state(cuda, at, bytes, PLANE_RELEASE, stream));
}

static int set_counts(struct cuda *cuda, const void *at, unsigned fills, unsigned reads)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (!has_bits(cuda))
        return cudaErrorNotSupported;
    const char *wrong =
        fills ? plane_set_counts(cuda->gpu->device->image, (uintptr_t)at, fills, reads)
              : "a word becomes full after at least one fill";
    return wrong ? refuse(cuda, "cudaOverlapSetCounts", wrong) : cudaSuccess;
}

CUDA_API(cudaOverlapSetCounts, void *at, unsigned fills, unsigned reads)
{
    return CUDA_DO(set_counts(cuda, at, fills, reads));
}

static int data_ready(struct cuda *cuda)
{
    int error = cuda_begin(cuda);
    if (!error)
        host_mark(&cuda->host);
    return error;
}

CUDA_API(cudaOverlapDataReady, void)
{
    return CUDA_DO(data_ready(cuda));
}

static int host_worked(struct cuda *cuda, unsigned long long elements)
{
    int error = cuda_begin(cuda);
    if (!error)
        host_work(&cuda->host, elements);
    return error;
}

CUDA_API(cudaOverlapHostWork, unsigned long long elements)
{
    return CUDA_DO(host_worked(cuda, elements));
}
