// Contexts of the driver: handles of the one device, and for each thread a stack of them. A thread
// that has not used its stack, or has emptied it in a program of the runtime library, uses the
// primary context.
#include "runtime-sim/cuda/cuda.h"

enum { MAX_CONTEXTS = 64, VERSION = 13000 };

static __thread struct {
    struct cuda_context *stack[MAX_CONTEXTS];
    uint32_t count;
    bool used;
} thread;

static struct cuda_context *current(struct cuda *cuda)
{
    if (thread.count)
        return thread.stack[thread.count - 1];
    return thread.used && !cuda->contexts.of_runtime ? NULL : &cuda->contexts.primary;
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
    if (handle == &cuda->contexts.primary)
        return &cuda->contexts.primary;
    for (uint32_t i = 0; i < cuda->contexts.all.n; i++)
        if (cuda->contexts.all.v[i] == handle && !cuda->contexts.all.v[i]->destroyed)
            return cuda->contexts.all.v[i];
    return NULL;
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

static int create(struct cuda *cuda, void **handle, int device)
{
    int error = cuda_start(cuda);
    if (error || device)
        return error ? error : cudaErrorInvalidDevice;
    struct cuda_context *context = ARENA_NEW(&cuda->arena, struct cuda_context);
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
    if (!context || context == &cuda->contexts.primary)
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
    *device = 0;
    return CUDA_DO(cuda_begin(cuda));
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
    return error ? error : cuda_synchronise(cuda);
}

CUDA_API(cuCtxSynchronize, void)
{
    return CUDA_DO(synchronise(cuda));
}

// The primary context

static int check_device(struct cuda *cuda, int device)
{
    int error = cuda_start(cuda);
    return error || !device ? error : cudaErrorInvalidDevice;
}

CUDA_API(cuDevicePrimaryCtxRetain, void **context, int device)
{
    CUDA_NEEDS(context);
    return CUDA_DO((*context = &cuda->contexts.primary, check_device(cuda, device)));
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
