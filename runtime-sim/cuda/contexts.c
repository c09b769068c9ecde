// Contexts of the driver: handles of devices, and for each thread a stack of them. A thread that
// has not used its stack, or has emptied it in a program of the runtime library, uses the primary
// context of the device that it has set.
#include "runtime-sim/cuda/cuda.h"

enum { MAX_CONTEXTS = 64, VERSION = 13000 };

static __thread struct {
    struct cuda_context *stack[MAX_CONTEXTS];
    uint32_t count;
    bool used;
    uint32_t device;
} thread;

static struct cuda_context *current(struct cuda *cuda)
{
    if (thread.count)
        return thread.stack[thread.count - 1];
    return thread.used && !cuda->contexts.of_runtime ? NULL : &cuda->gpus[thread.device].primary;
}

struct cuda_gpu *context_gpu(struct cuda *cuda)
{
    return thread.count ? thread.stack[thread.count - 1]->gpu : &cuda->gpus[thread.device];
}

// Makes a device that exists the current one until the call ends. Returns an error.
static int select_device(struct cuda *cuda, int device)
{
    if (device < 0 || (uint32_t)device >= cuda->gpu_count)
        return cudaErrorInvalidDevice;
    cuda->gpu = &cuda->gpus[device];
    return cudaSuccess;
}

int context_select(struct cuda *cuda, int device)
{
    int error = cuda_begin(cuda);
    return error ? error : select_device(cuda, device);
}

int context_check(struct cuda *cuda)
{
    const struct cuda_context *context = current(cuda);
    if (!context)
        return cudaErrorDeviceUninitialized;
    return context->destroyed ? cudaErrorContextIsDestroyed : cudaSuccess;
}

static struct cuda_context *find_context(struct cuda *cuda, const void *handle)
{
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        if (handle == &cuda->gpus[i].primary)
            return &cuda->gpus[i].primary;
    for (uint32_t i = 0; i < cuda->contexts.all.n; i++)
        if (cuda->contexts.all.v[i] == handle && !cuda->contexts.all.v[i]->destroyed)
            return cuda->contexts.all.v[i];
    return NULL;
}

int context_device(struct cuda *cuda, const void *handle)
{
    const struct cuda_context *context = find_context(cuda, handle);
    return context ? (int)context->gpu->number : -1;
}

static int push(struct cuda *cuda, const void *handle)
{
    int error = cuda_start(cuda);
    struct cuda_context *context = find_context(cuda, handle);
    if (error || !context)
        return error ? error : cudaErrorDeviceUninitialized;
    if (thread.count == MAX_CONTEXTS)
        return cudaErrorMemoryAllocation;
    thread.used = true;
    thread.stack[thread.count++] = context;
    return cudaSuccess;
}

static int pop(struct cuda *cuda, void **handle)
{
    int error = cuda_start(cuda);
    if (error)
        return error;
    if (!thread.count && !current(cuda))
        return cudaErrorDeviceUninitialized;
    if (handle)
        *handle = current(cuda);
    thread.used = true;
    thread.count -= thread.count != 0;
    return cudaSuccess;
}

static int check_device(struct cuda *cuda, int device)
{
    int error = cuda_start(cuda);
    return error ? error : select_device(cuda, device);
}

static int create(struct cuda *cuda, void **handle, int device)
{
    int error = check_device(cuda, device);
    if (error)
        return error;
    struct cuda_context *context = ARENA_NEW(&cuda->arena, struct cuda_context);
    context->gpu = cuda->gpu;
    vec_push(&cuda->arena, &cuda->contexts.all, context);
    *handle = context;
    return push(cuda, context);
}

CUDA_API(cuCtxCreate_v2, void **context, unsigned flags, int device)
{
    CUDA_NEEDS(context);
    (void)flags;
    return CUDA_DO(create(cuda, context, device));
}

CUDA_API(cuCtxCreate_v3, void **context, void *affinity, int count, unsigned flags, int device)
{
    CUDA_NEEDS(context);
    (void)affinity, (void)count, (void)flags;
    return CUDA_DO(create(cuda, context, device));
}

CUDA_API(cuCtxCreate_v4, void **context, void *parameters, unsigned flags, int device)
{
    CUDA_NEEDS(context);
    (void)parameters, (void)flags;
    return CUDA_DO(create(cuda, context, device));
}

static int destroy(struct cuda *cuda, const void *handle)
{
    struct cuda_context *context = find_context(cuda, handle);
    if (!context || context == &context->gpu->primary)
        return cudaErrorDeviceUninitialized;
    context->destroyed = true;
    thread.count -= current(cuda) == context;
    return cudaSuccess;
}

CUDA_API(cuCtxDestroy, void *context)
{
    return CUDA_DO(destroy(cuda, context));
}

CUDA_API(cuCtxPushCurrent, void *context)
{
    return CUDA_DO(push(cuda, context));
}

CUDA_API(cuCtxPopCurrent, void **context)
{
    return CUDA_DO(pop(cuda, context));
}

// Replaces the current context, or removes it.
static int set_current(struct cuda *cuda, const void *handle)
{
    int error = cuda_start(cuda);
    if (!error && handle && !find_context(cuda, handle))
        error = cudaErrorDeviceUninitialized;
    if (error)
        return error;
    thread.used = true;
    thread.count -= thread.count != 0;
    return handle ? push(cuda, handle) : cudaSuccess;
}

CUDA_API(cuCtxSetCurrent, void *context)
{
    return CUDA_DO(set_current(cuda, context));
}

CUDA_API(cuCtxGetCurrent, void **context)
{
    CUDA_NEEDS(context);
    return CUDA_DO((*context = current(cuda), cuda_start(cuda)));
}

CUDA_API(cuCtxGetDevice, int *device)
{
    CUDA_NEEDS(device);
    return CUDA_DO((*device = (int)cuda->gpu->number, cuda_begin(cuda)));
}

CUDA_API(cuCtxGetApiVersion, void *context, unsigned *version)
{
    CUDA_NEEDS(version);
    (void)context;
    *version = VERSION;
    return CUDA_DO(cuda_start(cuda));
}

static int synchronise(struct cuda *cuda)
{
    int error = context_check(cuda);
    return error ? error : cuda_synchronise_gpu(cuda);
}

CUDA_API(cuCtxSynchronize, void)
{
    return CUDA_DO(synchronise(cuda));
}

// Primary contexts

static int retain(struct cuda *cuda, void **context, int device)
{
    int error = check_device(cuda, device);
    if (!error)
        *context = &cuda->gpu->primary;
    return error;
}

CUDA_API(cuDevicePrimaryCtxRetain, void **context, int device)
{
    CUDA_NEEDS(context);
    return CUDA_DO(retain(cuda, context, device));
}

CUDA_API(cuDevicePrimaryCtxRelease, int device)
{
    return CUDA_DO(check_device(cuda, device));
}

CUDA_API(cuDevicePrimaryCtxSetFlags, int device, unsigned flags)
{
    (void)flags;
    return CUDA_DO(check_device(cuda, device));
}

CUDA_API(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active)
{
    CUDA_NEEDS(flags && active);
    *flags = 0;
    *active = 1;
    return CUDA_DO(check_device(cuda, device));
}

// The current device of the runtime library

CUDA_API(cudaGetDevice, int *device)
{
    CUDA_NEEDS(device);
    return CUDA_DO((*device = (int)cuda->gpu->number, cudaSuccess));
}

// Makes the primary context of a device the current one.
static int set_device(struct cuda *cuda, int device)
{
    int error = device < 0 ? cudaErrorInvalidDevice : context_select(cuda, device);
    if (error)
        return error;
    thread.device = cuda->gpu->number;
    if (thread.count && cuda->gpu_count > 1)
        thread.stack[thread.count - 1] = &cuda->gpu->primary;
    return cudaSuccess;
}

CUDA_API(cudaSetDevice, int device)
{
    return CUDA_DO(set_device(cuda, device));
}

CUDA_API(cudaInitDevice, int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return CUDA_DO(set_device(cuda, device));
}
