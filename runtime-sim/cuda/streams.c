// Streams and events.
#include "runtime-sim/cuda/executor.h"
#include "runtime-sim/cuda/threads.h"
#include "runtime-sim/cuda/work.h"
#include <string.h>

enum {
    STREAM_LEGACY = 1, // handles that are not pointers
    STREAM_PER_THREAD = 2,
    STREAM_NON_BLOCKING = 1, // flags
    EVENT_NO_TIMING = 2,
    MIN_PRIORITY = 0,
    MAX_PRIORITY = -5,
    QUERY_NS = 1000, // host time of a query
};

struct cuda_stream *stream_of(struct cuda *cuda, void *handle, int *error)
{
    *error = cudaSuccess;
    if (!handle || handle == (void *)STREAM_LEGACY)
        return &cuda->gpu->legacy;
    if (handle == (void *)STREAM_PER_THREAD)
        return &cuda->gpu->per_thread;
    for (uint32_t i = 0; i < cuda->streams.all.n; i++)
        if (cuda->streams.all.v[i] == handle)
            return handle;
    *error = cudaErrorInvalidResourceHandle;
    return NULL;
}

struct cuda_event *event_of(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->streams.events.n; i++)
        if (cuda->streams.events.v[i] == handle)
            return handle;
    return NULL;
}

// Streams

static int create_stream(struct cuda *cuda, void **to, unsigned flags, int priority)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (!to || flags & ~STREAM_NON_BLOCKING)
        return cudaErrorInvalidValue;
    struct cuda_stream *stream = ARENA_NEW(&cuda->arena, struct cuda_stream);
    int max = priority > MIN_PRIORITY ? MIN_PRIORITY : priority;
    *stream = (struct cuda_stream){.gpu = cuda->gpu,
                                   .flags = flags,
                                   .priority = max < MAX_PRIORITY ? MAX_PRIORITY : max,
                                   .id = ++cuda->streams.ids};
    host_stream_add(cuda->gpu->on, &stream->on,
                    flags & STREAM_NON_BLOCKING ? HOST_INDEPENDENT : HOST_BLOCKING);
    vec_push(&cuda->arena, &cuda->streams.all, stream);
    *to = stream;
    return cudaSuccess;
}

static int destroy_stream(struct cuda *cuda, void *handle)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream || !stream->id) // the device's own
        return cudaErrorInvalidResourceHandle;
    for (uint32_t i = 0; i < cuda->streams.all.n; i++)
        if (cuda->streams.all.v[i] == stream)
            cuda->streams.all.v[i] = cuda->streams.all.v[--cuda->streams.all.n];
    vec_push(&cuda->arena, &cuda->streams.dying, stream); // removed when its works have ended
    return cudaSuccess;
}

// Returns the error if the program must not wait here, or if a kernel has faulted.
static int check_wait(struct cuda *cuda)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    return threads_is_calling() ? cudaErrorNotPermitted
           : cuda->status.fault ? cuda_synchronise(cuda)
                                : error;
}

// Waits for a stream or an event.
static int wait_on(struct cuda *cuda, struct cuda_stream *stream, struct cuda_event *event)
{
    struct device_result result;
    int error = check_wait(cuda);
    if (error)
        return error;
    enum device_end end = event ? host_synchronise_event(&cuda->host, &event->at, &result)
                                : host_synchronise_stream(&stream->on, &result);
    return cuda_waited(cuda, end, &result);
}

static int look(struct cuda *cuda)
{
    struct device_result result;
    int error = check_wait(cuda);
    if (error)
        return error;
    host_pass(&cuda->host, QUERY_NS * HOST_NS);
    enum device_end end = host_look(&cuda->host, &result);
    return cuda_waited(cuda, end, &result);
}

static int wait_for_stream(struct cuda *cuda, void *handle)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    if (stream->capturing)
        return graph_forbid(cuda, stream);
    return wait_on(cuda, stream, NULL);
}

// A query takes host time, so that a program that polls makes progress.
static int query_stream(struct cuda *cuda, void *handle)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    if (stream->capturing)
        return graph_forbid(cuda, stream);
    error = look(cuda);
    bool done = host_is_idle(&stream->on) && executor_settle(cuda, &stream->on, cuda->host.calls);
    return error || done ? error : cudaErrorNotReady;
}

static int wait_for_device(struct cuda *cuda)
{
    int error = cuda_begin(cuda);
    for (uint32_t i = 0; i < cuda->streams.all.n && !error; i++)
        if (cuda->streams.all.v[i]->capturing)
            error = graph_forbid(cuda, cuda->streams.all.v[i]);
    return error ? error : cuda_synchronise_gpu(cuda);
}

static int wait_for_event(struct cuda *cuda, void *on, void *of)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, on, &error);
    struct cuda_event *event = event_of(cuda, of);
    if (!stream || !event)
        return cudaErrorInvalidResourceHandle;
    if (event->capture && event->capture->capturing && !stream->capturing) {
        // The stream joins the capture in which the event was recorded.
        stream->capturing = event->capture->capturing;
        stream->capture_id = event->capture->capture_id;
        return cudaSuccess;
    }
    struct cuda_work work = {.kind = WORK_WAIT, .event = event};
    if (stream->capturing || !event->recorded)
        return cudaSuccess; // the works of a graph run in order of capture
    return work_issue(cuda, stream, &work);
}

static int issue_call(struct cuda *cuda, void *handle, struct cuda_call call)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    struct cuda_work work = {.kind = WORK_CALL, .call = call};
    if (!call.function && !call.callback)
        return cudaErrorInvalidValue;
    return stream ? work_issue(cuda, stream, &work) : error;
}

static int get_of_stream(struct cuda *cuda, void *handle, int *priority, unsigned *flags,
                         unsigned long long *id)
{
    int error;
    const struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    if (priority)
        *priority = stream->priority;
    if (flags)
        *flags = stream->flags;
    if (id)
        *id = stream->id;
    return cudaSuccess;
}

CUDA_API(cudaStreamCreate, void **stream)
{
    return CUDA_DO(create_stream(cuda, stream, 0, 0));
}

CUDA_API(cudaStreamCreateWithFlags, void **stream, unsigned flags)
{
    return CUDA_DO(create_stream(cuda, stream, flags, 0));
}

CUDA_API(cudaStreamCreateWithPriority, void **stream, unsigned flags, int priority)
{
    return CUDA_DO(create_stream(cuda, stream, flags, priority));
}

CUDA_API(cudaStreamDestroy, void *stream)
{
    return CUDA_DO(destroy_stream(cuda, stream));
}

CUDA_API(cudaStreamSynchronize, void *stream)
{
    return CUDA_DO(wait_for_stream(cuda, stream));
}

// "Not ready" is not stored as the last error.
CUDA_API(cudaStreamQuery, void *stream)
{
    return CUDA_DO(query_stream(cuda, stream));
}

CUDA_API(cudaDeviceSynchronize, void)
{
    return CUDA_DO(wait_for_device(cuda));
}

CUDA_API(cudaStreamWaitEvent, void *stream, void *event, unsigned flags)
{
    (void)flags;
    return CUDA_DO(wait_for_event(cuda, stream, event));
}

CUDA_API(cudaStreamAddCallback, void *stream, void (*function)(void *, int, void *), void *context,
         unsigned flags)
{
    (void)flags;
    struct cuda_call call = {.callback = function, .stream = stream, .context = context};
    return CUDA_DO(issue_call(cuda, stream, call));
}

CUDA_API(cudaLaunchHostFunc, void *stream, void (*function)(void *), void *context)
{
    struct cuda_call call = {.function = function, .context = context};
    return CUDA_DO(issue_call(cuda, stream, call));
}

CUDA_API(cudaStreamGetPriority, void *stream, int *priority)
{
    CUDA_NEEDS(priority);
    return CUDA_DO(get_of_stream(cuda, stream, priority, NULL, NULL));
}

CUDA_API(cudaStreamGetFlags, void *stream, unsigned *flags)
{
    CUDA_NEEDS(flags);
    return CUDA_DO(get_of_stream(cuda, stream, NULL, flags, NULL));
}

CUDA_API(cudaStreamGetId, void *stream, unsigned long long *id)
{
    CUDA_NEEDS(id);
    return CUDA_DO(get_of_stream(cuda, stream, NULL, NULL, id));
}

static int get_device(struct cuda *cuda, void *handle, int *device)
{
    int error;
    const struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (stream)
        *device = (int)stream->gpu->number;
    return error;
}

CUDA_API(cudaStreamGetDevice, void *stream, int *device)
{
    CUDA_NEEDS(device);
    return CUDA_DO(get_device(cuda, stream, device));
}

CUDA_API(cudaDeviceGetStreamPriorityRange, int *min, int *max)
{
    if (min)
        *min = MIN_PRIORITY;
    if (max)
        *max = MAX_PRIORITY;
    return cudaSuccess;
}

// The host can always access managed memory, so attaching it to a stream has no effect.
CUDA_API(cudaStreamAttachMemAsync, void *stream, void *at, size_t bytes, unsigned flags)
{
    (void)at, (void)bytes, (void)flags;
    return CUDA_DO(get_of_stream(cuda, stream, NULL, NULL, NULL));
}

// Events

static int create_event(struct cuda *cuda, void **to, unsigned flags)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    struct cuda_event *event = ARENA_NEW(&cuda->arena, struct cuda_event);
    *event = (struct cuda_event){.gpu = cuda->gpu, .flags = flags};
    vec_push(&cuda->arena, &cuda->streams.events, event);
    *to = event;
    return cudaSuccess;
}

static int destroy_event(struct cuda *cuda, void *handle)
{
    struct cuda_event *event = event_of(cuda, handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    for (uint32_t i = 0; i < cuda->streams.events.n; i++)
        if (cuda->streams.events.v[i] == event)
            cuda->streams.events.v[i] = cuda->streams.events.v[--cuda->streams.events.n];
    return cudaSuccess; // its memory is kept: a work may still record the event
}

static int record_event(struct cuda *cuda, void *handle, void *on)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, on, &error);
    struct cuda_event *event = event_of(cuda, handle);
    struct cuda_work work = {.kind = WORK_RECORD, .event = event};
    if (!stream || !event || stream->gpu != event->gpu)
        return cudaErrorInvalidResourceHandle;
    event->capture = stream->capturing ? stream : NULL;
    // In a graph an event only orders works.
    return stream->capturing ? cudaSuccess : work_issue(cuda, stream, &work);
}

static int query_event(struct cuda *cuda, void *handle, bool waits)
{
    struct cuda_event *event = event_of(cuda, handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    if (event->capture && event->capture->capturing)
        return graph_forbid(cuda, event->capture);
    if (waits)
        return wait_on(cuda, NULL, event);
    int error = look(cuda);
    bool done = !event->at.command && executor_settle(cuda, event->at.stream, event->at.number);
    return error || done ? error : cudaErrorNotReady;
}

static int elapsed(struct cuda *cuda, float *milliseconds, void *from, void *to)
{
    struct cuda_event *begin = event_of(cuda, from), *end = event_of(cuda, to);
    if (!begin || !end || !begin->recorded || !end->recorded || begin->gpu != end->gpu ||
        (begin->flags | end->flags) & EVENT_NO_TIMING)
        return cudaErrorInvalidResourceHandle;
    int error = look(cuda);
    if (error)
        return error;
    if (!begin->at.has_ended || !end->at.has_ended)
        return cudaErrorNotReady;
    double picoseconds = (double)end->at.time - (double)begin->at.time;
    *milliseconds = (float)(picoseconds / (1e3 * HOST_US));
    return cudaSuccess;
}

CUDA_API(cudaEventCreate, void **event)
{
    CUDA_NEEDS(event);
    return CUDA_DO(create_event(cuda, event, 0));
}

CUDA_API(cudaEventCreateWithFlags, void **event, unsigned flags)
{
    CUDA_NEEDS(event);
    return CUDA_DO(create_event(cuda, event, flags));
}

CUDA_API(cudaEventDestroy, void *event)
{
    return CUDA_DO(destroy_event(cuda, event));
}

CUDA_API(cudaEventRecord, void *event, void *stream)
{
    return CUDA_DO(record_event(cuda, event, stream));
}

CUDA_API(cudaEventRecordWithFlags, void *event, void *stream, unsigned flags)
{
    (void)flags;
    return CUDA_DO(record_event(cuda, event, stream));
}

CUDA_API(cudaEventQuery, void *event)
{
    return CUDA_DO(query_event(cuda, event, false));
}

CUDA_API(cudaEventSynchronize, void *event)
{
    return CUDA_DO(query_event(cuda, event, true));
}

CUDA_API(cudaEventElapsedTime, float *milliseconds, void *from, void *to)
{
    CUDA_NEEDS(milliseconds);
    return CUDA_DO(elapsed(cuda, milliseconds, from, to));
}

// Attributes are hints about performance on a GPU: they are kept, and have no effect.

static int get_attribute(struct cuda *cuda, void *handle, int id, void *to)
{
    int error;
    const struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    attribute_get(&stream->attributes, id, to);
    if (id == ATTRIBUTE_PRIORITY)
        memcpy(to, &stream->priority, sizeof stream->priority);
    return cudaSuccess;
}

CUDA_API(cudaStreamGetAttribute, void *stream, int id, void *to)
{
    CUDA_NEEDS(to);
    return CUDA_DO(get_attribute(cuda, stream, id, to));
}

static int set_attribute(struct cuda *cuda, void *handle, int id, const void *value)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    attribute_set(cuda, &stream->attributes, id, value);
    if (id == ATTRIBUTE_PRIORITY)
        memcpy(&stream->priority, value, sizeof stream->priority);
    return cudaSuccess;
}

CUDA_API(cudaStreamSetAttribute, void *stream, int id, const void *value)
{
    CUDA_NEEDS(value);
    return CUDA_DO(set_attribute(cuda, stream, id, value));
}

static int copy_attributes(struct cuda *cuda, void *to, void *from)
{
    int error;
    struct cuda_stream *target = stream_of(cuda, to, &error);
    const struct cuda_stream *source = target ? stream_of(cuda, from, &error) : NULL;
    if (!source)
        return error;
    attributes_copy(cuda, &target->attributes, &source->attributes);
    return cudaSuccess;
}

CUDA_API(cudaStreamCopyAttributes, void *to, void *from)
{
    return CUDA_DO(copy_attributes(cuda, to, from));
}
