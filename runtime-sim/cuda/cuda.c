#include "runtime-sim/cuda/executor.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/record.h"
#include "runtime-sim/cuda/threads.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The interface has no context argument, so the state is the process's.
static struct cuda process;
static __thread int last_error;

static void begin_gpu(struct cuda_gpu *gpu, uint32_t number)
{
    gpu->number = number;
    gpu->legacy.is_legacy = true;
    gpu->legacy.gpu = gpu->per_thread.gpu = gpu->primary.gpu = gpu;
    gpu->default_pool = (struct cuda_pool){.is_default = true, .gpu = number};
    gpu->pool = &gpu->default_pool;
    // CUDA's defaults: bytes of stack, of the printf buffer and of the heap; sync depth, pending
    // launches, L2 fetch granularity.
    static const uint64_t limits[8] = {1024, 1 << 20, HEAP_BYTES, 2, 2048, 128, 0};
    memcpy(gpu->limits, limits, sizeof limits);
}

static void begin_process(struct cuda *cuda)
{
    arena_init(&cuda->arena, &cuda->memory);
    arena_init(&cuda->staging.arena, &cuda->memory);
    cuda->memory.sparse = true;
    cuda->status.profiling = true;
    cuda->gpu_count = 1;
    for (uint32_t i = 0; i < HOST_GPUS; i++)
        begin_gpu(&cuda->gpus[i], i);
}
void cuda_set_front(const struct cuda_front *front)
{
    process.front = front;
}

struct cuda *cuda_enter(void)
{
    threads_lock();
    if (!process.arena.memory)
        begin_process(&process);
    process.executor.entries++;
    process.gpu = context_gpu(&process);
    return &process;
}

int cuda_leave_quietly(struct cuda *cuda, int result)
{
    executor_check_stop(cuda);
    threads_unlock();
    return result;
}

int cuda_leave(struct cuda *cuda, int error)
{
    if (!error)
        error = cuda->status.sticky ? cuda->status.sticky : cuda->status.refused;
    if (error && error != cudaErrorNotReady)
        last_error = error;
    return cuda_leave_quietly(cuda, error);
}

int cuda_last_error(bool forget)
{
    int error = last_error;
    if (forget && !process.status.sticky && !process.status.refused)
        last_error = cudaSuccess;
    return error;
}

void cuda_out_of_memory(struct cuda *cuda)
{
    cuda->front->out_of_memory(cuda->front->context);
    __builtin_unreachable();
}

void cuda_complain(struct cuda *cuda, enum severity severity, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cuda->front->complain(cuda->front->context, severity, text);
}

int cuda_not_supported(struct cuda *cuda, const char *name)
{
    for (uint32_t i = 0; i < cuda->unsupported.n; i++)
        if (!strcmp(cuda->unsupported.v[i].name, name)) {
            cuda->unsupported.v[i].calls++;
            return cudaErrorNotSupported;
        }
    vec_push(&cuda->arena, &cuda->unsupported, (struct cuda_unsupported){name, 1});
    cuda_complain(cuda, DIAG_NOTE, "%s is not supported", name); // it may crash the program
    return cudaErrorNotSupported;
}

// Start

// As on a GPU, the output of kernels appears when the host waits.
static void keep_output(void *context, const char *text, size_t length)
{
    struct cuda *cuda = context;
    vec_reserve(&cuda->arena, &cuda->printed, cuda->printed.n + length);
    memcpy(cuda->printed.v + cuda->printed.n, text, length);
    cuda->printed.n += (uint32_t)length;
}

static void show_output(struct cuda *cuda)
{
    if (!cuda->printed.n)
        return;
    fwrite(cuda->printed.v, 1, cuda->printed.n, stdout);
    cuda->printed.n = 0;
}

static int fail(struct cuda *cuda, int failure)
{
    cuda->status.state = CUDA_FAILED;
    cuda->status.failure = failure;
    return failure;
}

int cuda_start(struct cuda *cuda)
{
    if (cuda->status.state == CUDA_FAILED)
        return cuda->status.failure;
    if (cuda->status.sticky)
        return cuda->status.sticky;
    if (cuda->status.state == CUDA_IDLE) {
        if (!cuda->front->begin(cuda->front->context, cuda))
            return fail(cuda, cudaErrorInitializationError);
        cuda->status.state = CUDA_READY;
        for (uint32_t i = 0; i < cuda->gpu_count; i++) {
            cuda->gpus[i].device->print = keep_output;
            cuda->gpus[i].device->print_context = cuda;
        }
        if (cuda->options.record)
            record_begin(cuda);
    }
    bool first = !cuda->program.links;
    int error = program_link(cuda);
    if (error)
        return fail(cuda, error);
    if (first) {
        for (uint32_t i = 0; i < cuda->gpu_count; i++) {
            struct cuda_gpu *gpu = &cuda->gpus[i];
            gpu->on = &cuda->host.gpus[i];
            host_stream_add(gpu->on, &gpu->legacy.on, HOST_DEFAULT);
            host_stream_add(gpu->on, &gpu->per_thread.on, HOST_BLOCKING);
        }
        executor_begin(cuda);
    }
    return cudaSuccess;
}

int cuda_begin(struct cuda *cuda)
{
    int error = cuda_start(cuda);
    return error ? error : context_check(cuda);
}

// Works

static int error_of(const struct device_result *result)
{
    const char *text = result->grid.fault.text;
    switch (result->end) {
    case DEVICE_REFUSED: return cudaErrorLaunchOutOfResources;
    case DEVICE_STUCK: return cudaErrorLaunchTimeout;
    case DEVICE_FAULT: break;
    default: return cudaErrorUnknown;
    }
    if (strstr(text, "assert"))
        return cudaErrorAssert;
    if (strstr(text, "align"))
        return cudaErrorMisalignedAddress;
    if (result->grid.fault.has_address)
        return cudaErrorIllegalAddress;
    return cudaErrorLaunchFailure;
}

// Frees destroyed streams and staged memory when no command is open.
static void free_ended(struct cuda *cuda)
{
    if (cuda->host.open || cuda->host.apart)
        return;
    arena_reset(&cuda->staging.arena);
    cuda->staging.bytes = 0;
    for (uint32_t i = 0; i < cuda->streams.dying.n; i++)
        host_stream_remove(&cuda->streams.dying.v[i]->on);
    cuda->streams.dying.n = 0;
    cuda_memory_free_ended(cuda);
}

int cuda_waited(struct cuda *cuda, enum device_end end, const struct device_result *result)
{
    executor_pause(cuda);
    if (end != DEVICE_DONE && !cuda->status.fault) {
        cuda->status.fault = error_of(result);
        cuda->front->report(cuda->front->context, result);
    }
    cuda->status.sticky = cuda->status.fault;
    cuda->staging.first = cuda->host.calls - cuda->host.open;
    free_ended(cuda);
    show_output(cuda);
    return cuda->status.sticky;
}

// Returns false if waiting is impossible; cuda->sticky then has the error.
static bool may_wait(struct cuda *cuda)
{
    if (cuda->status.state != CUDA_READY || cuda->status.fault)
        cuda->status.sticky = cuda->status.fault;
    return cuda->status.state == CUDA_READY && !cuda->status.fault;
}

static int synchronise(struct cuda *cuda, struct host_gpu *gpu)
{
    struct device_result result;
    if (threads_is_calling())
        return cudaErrorNotPermitted;
    if (!may_wait(cuda))
        return cuda->status.fault;
    enum device_end end =
        gpu ? host_synchronise_gpu(gpu, &result) : host_synchronise(&cuda->host, &result);
    return cuda_waited(cuda, end, &result);
}

int cuda_synchronise(struct cuda *cuda)
{
    return synchronise(cuda, NULL);
}

int cuda_synchronise_gpu(struct cuda *cuda)
{
    return synchronise(cuda, cuda->gpu_count > 1 ? cuda->gpu->on : NULL);
}

// Executes the remaining works at the end of the program, without adding to its time, unless it
// ends by a signal, or within a call or a host function.
static void finish_works(struct cuda *cuda)
{
    struct device_result result;
    bool is_inside = threads_depth() > 1 || threads_is_calling();
    if (may_wait(cuda) && !is_inside) {
        enum device_end end = host_finish(&cuda->host, &result);
        cuda_waited(cuda, end, &result);
    }
}

static void list_unsupported(struct cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->unsupported.n; i++) {
        const struct cuda_unsupported *one = &cuda->unsupported.v[i];
        if (one->calls == 1)
            continue; // the first call was reported
        cuda_complain(cuda, DIAG_NOTE, "%s is not supported; calls: %lu", one->name,
                      (unsigned long)one->calls);
    }
}

static void end_process(struct cuda *cuda)
{
    cuda->status.ended = true;
    cuda->executor.changed = threads_now();
    if (cuda->status.state == CUDA_READY) {
        finish_works(cuda);
        if (cuda->recorded)
            record_end(cuda);
    }
    executor_end(cuda);
    list_unsupported(cuda);
    if (cuda->gpus->device)
        cuda->front->end(cuda->front->context);
    if (!cuda->host.busy)
        cuda_memory_release(cuda);
}

void cuda_end(void)
{
    struct cuda *cuda = cuda_enter();
    if (setjmp(cuda->memory.on_failure))
        cuda_out_of_memory(cuda);
    if (!cuda->status.ended)
        end_process(cuda);
    cuda_leave_quietly(cuda, cudaSuccess);
    executor_join(cuda);
}

bool cuda_end_early(bool waits)
{
    if (threads_depth() || (!waits && !threads_try_lock()))
        return false;
    cuda_end();
    if (!waits)
        threads_unlock();
    return true;
}
