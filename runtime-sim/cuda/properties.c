// The device properties that programs query: those of the configured machines.
#include "runtime-sim/cuda/properties.h"
#include "runtime-sim/exec/warp/spawn.h"
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/record.h"
#include <stdio.h>
#include <string.h>

enum { ATTRIBUTES = 160, VERSION = 13000 };

// The layouts of the two versions of the library.
#define MEMBER_B(type, name, elements) type name[elements];
#define MEMBER_N(type, name, elements) type name[elements];
#define MEMBER_T(type, name, elements)
struct properties13 {
#define PROPERTY(versions, type, name, elements, ...) MEMBER_##versions(type, name, elements)
#include "runtime-sim/cuda/properties.def"
#undef PROPERTY
};
#undef MEMBER_N
#undef MEMBER_T
#define MEMBER_N(type, name, elements)
#define MEMBER_T(type, name, elements) type name[elements];
struct properties12 {
#define PROPERTY(versions, type, name, elements, ...) MEMBER_##versions(type, name, elements)
#include "runtime-sim/cuda/properties.def"
#undef PROPERTY
};

struct properties_machine machine_properties(const struct cuda *cuda)
{
    enum { USUAL_SHARED = 48 * 1024, MAX_SHARED = 227 * 1024 };
    const struct machine_config *config = cuda->gpu->machine;
    const struct memsys_keys *memory = &config->memsys.memory;
    const struct cache_config *llc = &config->memsys.llc;
    bool timed = cuda->gpu->timed;
    uint64_t max = timed ? config->core.shared_bytes : MAX_SHARED;
    return (struct properties_machine){
        .bytes = cuda->options.device_bytes,
        .shared = max < USUAL_SHARED ? max : USUAL_SHARED,
        .shared_most = max,
        .registers = timed ? (int)config->core.registers : 65536,
        .threads = timed ? (int)config->core.threads : 2048,
        .warps = timed ? (int)config->core.warps : 64,
        .ctas = timed ? (int)config->core.ctas : 32,
        .cores = (int)(timed ? machine_cores(cuda->gpu->timed->machine) : memory->cores),
        .clock = (int)memory->core_clock * 1000,
        .memory_clock = (int)config->memsys.dram.clock * 1000,
        .bus = (int)(memsys_memories(&config->memsys) * 64),
        .llc = (int)(memory->partition_nodes.n * llc->sets * llc->ways * llc->line_bytes),
        .major = (int)cuda->program.capability / 10,
        .minor = (int)cuda->program.capability % 10,
        .number = (int)cuda->gpu->number,
    };
}

static void write_name(const struct cuda *cuda, char *to, size_t bytes)
{
    snprintf(to, bytes, "ptxoffload %s", cuda->gpu->machine_name);
}

#define VALUE_B(name, elements, ...) SET(name, elements, __VA_ARGS__)
#define VALUE_N(name, elements, ...) SET(name, elements, __VA_ARGS__)
#define VALUE_T(name, elements, ...)
#define SET(name, elements, ...)                                                                   \
    memcpy(to->name, (__typeof__(to->name)){__VA_ARGS__}, sizeof to->name);

static int write13(struct cuda *cuda, struct properties13 *to, int device)
{
    int error = context_select(cuda, device);
    if (error)
        return error;
    struct properties_machine made = machine_properties(cuda), *m = &made;
#define PROPERTY(versions, type, name, elements, ...) VALUE_##versions(name, elements, __VA_ARGS__)
#include "runtime-sim/cuda/properties.def"
#undef PROPERTY
    write_name(cuda, to->name, sizeof to->name);
    return cudaSuccess;
}

#undef VALUE_N
#undef VALUE_T
#define VALUE_N(name, elements, ...)
#define VALUE_T(name, elements, ...) SET(name, elements, __VA_ARGS__)

static int write12(struct cuda *cuda, struct properties12 *to, int device)
{
    int error = context_select(cuda, device);
    if (error)
        return error;
    struct properties_machine made = machine_properties(cuda), *m = &made;
#define PROPERTY(versions, type, name, elements, ...) VALUE_##versions(name, elements, __VA_ARGS__)
#include "runtime-sim/cuda/properties.def"
#undef PROPERTY
    write_name(cuda, to->name, sizeof to->name);
    return cudaSuccess;
}

CUDA_API(cudaGetDeviceProperties, struct properties13 *to, int device)
{
    CUDA_NEEDS(to);
    return CUDA_DO(write13(cuda, to, device));
}

CUDA_API(cudaGetDeviceProperties_v2, struct properties12 *to, int device)
{
    CUDA_NEEDS(to);
    return CUDA_DO(write12(cuda, to, device));
}

// Version 11 knows the members up to reserved_shared.
static int write11(struct cuda *cuda, void *to, int device)
{
    struct properties12 all = {0};
    int error = write12(cuda, &all, device);
    if (!error)
        memcpy(to, &all, offsetof(struct properties12, host_register));
    return error;
}

CUDA_API(cudaGetDeviceProperties_v1, void *to, int device)
{
    CUDA_NEEDS(to);
    return CUDA_DO(write11(cuda, to, device));
}

int device_attribute(struct cuda *cuda, int *value, int attribute, int device)
{
    int error = context_select(cuda, device);
    if (error)
        return error;
    if (attribute <= 0 || attribute >= ATTRIBUTES)
        return cudaErrorInvalidValue;
    struct properties_machine made = machine_properties(cuda), *m = &made;
    const int values[ATTRIBUTES] = {
#define ATTRIBUTE(number, value) [number] = value,
#include "runtime-sim/cuda/attributes.def"
#undef ATTRIBUTE
    };
    *value = values[attribute];
    return cudaSuccess;
}

CUDA_API(cudaDeviceGetAttribute, int *value, int attribute, int device)
{
    CUDA_NEEDS(value);
    return CUDA_DO(device_attribute(cuda, value, attribute, device));
}

// Devices

static int count_devices(struct cuda *cuda, int *count)
{
    int error = cuda_begin(cuda);
    *count = (int)cuda->gpu_count;
    return error;
}

CUDA_API(cudaGetDeviceCount, int *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(count_devices(cuda, count));
}

CUDA_API(cudaSetValidDevices, int *devices, int count)
{
    (void)devices, (void)count;
    return CUDA_DO(cudaSuccess);
}

CUDA_API(cudaChooseDevice, int *device, const void *properties)
{
    CUDA_NEEDS(device);
    (void)properties;
    *device = 0;
    return CUDA_DO(cuda_begin(cuda));
}

CUDA_API(cudaSetDeviceFlags, unsigned flags)
{
    (void)flags;
    return CUDA_DO(cudaSuccess);
}

CUDA_API(cudaGetDeviceFlags, unsigned *flags)
{
    CUDA_NEEDS(flags);
    *flags = 0;
    return CUDA_DO(cudaSuccess);
}

// Device N is at bus 1 + N.

CUDA_API(cudaDeviceGetPCIBusId, char *to, int length, int device)
{
    CUDA_NEEDS(to && length > 0);
    snprintf(to, (size_t)length, "0000:%02x:00.0", (unsigned)device + 1);
    return CUDA_DO(context_select(cuda, device));
}

static int find_bus(struct cuda *cuda, int *device, const char *bus)
{
    unsigned number;
    *device = 0;
    if (cuda->gpu_count == 1)
        return cudaSuccess;
    if (sscanf(bus, "%*x:%x", &number) != 1 || !number || number > cuda->gpu_count)
        return cudaErrorInvalidDevice;
    *device = (int)number - 1;
    return cudaSuccess;
}

CUDA_API(cudaDeviceGetByPCIBusId, int *device, const char *bus)
{
    CUDA_NEEDS(device && bus);
    return CUDA_DO(find_bus(cuda, device, bus));
}

CUDA_API(cudaDriverGetVersion, int *version)
{
    CUDA_NEEDS(version);
    *version = VERSION;
    return cudaSuccess;
}

CUDA_API(cudaRuntimeGetVersion, int *version)
{
    CUDA_NEEDS(version);
    *version = VERSION;
    return cudaSuccess;
}

static int limit(struct cuda *cuda, int number, size_t *get, size_t set)
{
    enum { HEAP = 2, PENDING_LAUNCHES = 4 };
    if (number < 0 || number >= (int)ARRAY_LENGTH(cuda->gpu->limits))
        return cudaErrorUnsupportedLimit;
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (get)
        *get = cuda->gpu->limits[number];
    else
        cuda->gpu->limits[number] = set;
    if (!get && number == HEAP)
        cuda->gpu->device->image->heap_left = set;
    if (!get && number == PENDING_LAUNCHES)
        cuda->gpu->device->spawns->max_pending = set < UINT32_MAX ? (uint32_t)set : UINT32_MAX;
    return cudaSuccess;
}

CUDA_API(cudaDeviceGetLimit, size_t *value, int number)
{
    CUDA_NEEDS(value);
    return CUDA_DO(limit(cuda, number, value, 0));
}

CUDA_API(cudaDeviceSetLimit, int number, size_t value)
{
    return CUDA_DO(limit(cuda, number, NULL, value));
}

// The division of memory between L1 and shared memory is fixed by the machine's configuration.

CUDA_API(cudaDeviceSetCacheConfig, int config)
{
    (void)config;
    return CUDA_DO(cudaSuccess);
}

CUDA_API(cudaDeviceGetCacheConfig, int *config)
{
    CUDA_NEEDS(config);
    *config = 0;
    return CUDA_DO(cudaSuccess);
}

CUDA_API(cudaDeviceSetSharedMemConfig, int config)
{
    (void)config;
    return CUDA_DO(cudaSuccess);
}

CUDA_API(cudaDeviceGetSharedMemConfig, int *config)
{
    CUDA_NEEDS(config);
    *config = 1;
    return CUDA_DO(cudaSuccess);
}

CUDA_API(cudaCtxResetPersistingL2Cache, void)
{
    return CUDA_DO(cudaSuccess);
}

// Frees memory and textures of the current device, gives its variables their initial values, and
// clears a kernel's fault. Streams and events stay.
static int reset(struct cuda *cuda)
{
    if (cuda->status.state != CUDA_READY)
        return cudaSuccess;
    int error = cuda_synchronise(cuda);
    if (error == cudaErrorNotPermitted)
        return error;
    if (cuda->status.fault)
        host_drop(&cuda->host);
    cuda->status.fault = cuda->status.sticky = cudaSuccess;
    if (cuda->host.apart || cuda->host.busy)
        return error; // another thread has issued more
    if (cuda->recorded)
        record_write(cuda);
    cuda_virtual_reset(cuda);
    cuda_memory_reset(cuda);
    textures_reset(cuda);
    peers_reset(cuda);
    device_reset(cuda->gpu->device);
    return error;
}

CUDA_API(cudaDeviceReset, void)
{
    return CUDA_DO(reset(cuda));
}

// Region of interest

static int profile(struct cuda *cuda, bool on)
{
    int error = cuda_begin(cuda);
    if (!error)
        error = cuda_synchronise(cuda);
    if (!error && on)
        host_mark(&cuda->host); // the total time is measured from here
    cuda->status.profiling = on;
    return cudaSuccess;
}

CUDA_API(cudaProfilerStart, void)
{
    return CUDA_DO(profile(cuda, true));
}

CUDA_API(cudaProfilerStop, void)
{
    return CUDA_DO(profile(cuda, false));
}
