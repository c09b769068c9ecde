// The driver API: devices, modules and launches.
#include "runtime-sim/cuda/work.h"
#include "runtime-sim/cuda/properties.h"
#include "support/file.h"
#include <stdio.h>
#include <string.h>

enum { VERSION = 13000 };

static int begin(struct cuda *cuda, unsigned flags)
{
    return flags ? cudaErrorInvalidValue : cuda_start(cuda);
}

CUDA_API(cuInit, unsigned flags)
{
    return CUDA_DO(begin(cuda, flags));
}

CUDA_API(cuDriverGetVersion, int *version)
{
    CUDA_NEEDS(version);
    *version = VERSION;
    return cudaSuccess;
}

// Devices

static int check_device(struct cuda *cuda, int device)
{
    int error = cuda_start(cuda);
    bool exists = device >= 0 && (uint32_t)device < cuda->gpu_count;
    return error || exists ? error : cudaErrorInvalidDevice;
}

static int count_devices(struct cuda *cuda, int *count)
{
    int error = cuda_start(cuda);
    *count = (int)cuda->gpu_count;
    return error;
}

CUDA_API(cuDeviceGetCount, int *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(count_devices(cuda, count));
}

CUDA_API(cuDeviceGet, int *device, int number)
{
    CUDA_NEEDS(device);
    *device = number;
    return CUDA_DO(check_device(cuda, number));
}

static int device_name(struct cuda *cuda, char *to, int length, int device)
{
    int error = check_device(cuda, device);
    if (!error && length > 0)
        snprintf(to, (size_t)length, "ptxoffload %s", cuda->gpus[device].machine_name);
    return error;
}

CUDA_API(cuDeviceGetName, char *to, int length, int device)
{
    CUDA_NEEDS(to && length > 0);
    return CUDA_DO(device_name(cuda, to, length, device));
}

CUDA_API(cuDeviceGetAttribute, int *value, int attribute, int device)
{
    CUDA_NEEDS(value);
    return CUDA_DO(device_attribute(cuda, value, attribute, device));
}

static int device_memory(struct cuda *cuda, size_t *bytes, int device)
{
    int error = check_device(cuda, device);
    if (!error)
        *bytes = cuda->options.device_bytes;
    return error;
}

CUDA_API(cuDeviceTotalMem, size_t *bytes, int device)
{
    CUDA_NEEDS(bytes);
    return CUDA_DO(device_memory(cuda, bytes, device));
}

static int compute_capability(struct cuda *cuda, int *major, int *minor, int device)
{
    int error = check_device(cuda, device);
    *major = (int)cuda->program.capability / 10;
    *minor = (int)cuda->program.capability % 10;
    return error;
}

CUDA_API(cuDeviceComputeCapability, int *major, int *minor, int device)
{
    CUDA_NEEDS(major && minor);
    return CUDA_DO(compute_capability(cuda, major, minor, device));
}

CUDA_API(cuDeviceGetUuid, char *to, int device)
{
    CUDA_NEEDS(to);
    memset(to, 0, 16);
    to[15] = (char)device;
    return CUDA_DO(check_device(cuda, device));
}

// Errors

static int error_word(const char **to, const char *text)
{
    *to = text;
    return text ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cuGetErrorName, int error, const char **name)
{
    CUDA_NEEDS(name);
    return error_word(name, driver_error_name(error));
}

CUDA_API(cuGetErrorString, int error, const char **text)
{
    CUDA_NEEDS(text);
    return error_word(text, driver_error_name(error) ? cuda_error_text(error) : NULL);
}

// Modules

// Options of the driver's assembler.
struct jit_options {
    unsigned count;
    const int *options;
    void **values;
};

// Reads and checks the PTX before it becomes part of the program, so that errors concern only this
// module.
static int read_alone(struct cuda *cuda, struct cuda_binary *binary, struct jit_options jit)
{
    const char *log = NULL;
    binary->failure = binary_read(cuda, binary);
    if (!binary->failure && binary->parts.n)
        log = jit_check(cuda, binary, true);
    jit_write_logs(log ? log : "", jit.count, jit.options, jit.values);
    if (log) {
        cuda_complain(cuda, DIAG_NOTE, "a module that '%s' loads is invalid:\n%s",
                      cuda->options.program_name, log);
        binary->failure = cudaErrorInvalidPtx;
    }
    binary->failed = binary->failure != cudaSuccess;
    return binary->failure;
}

// Adds a module: PTX text, a fatbin or an ELF file in memory.
static int load(struct cuda *cuda, void **module, const void *image, uint64_t readable,
                struct jit_options jit)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    const struct cuda_fatbin_wrapper *wrapper = image;
    int magic = 0;
    if (readable >= sizeof *wrapper)
        memcpy(&magic, image, sizeof magic);
    if (magic == FATBIN_WRAPPER_MAGIC) {
        image = wrapper->data;
        readable = binary_readable(image);
    }
    struct cuda_binary *binary = binary_add(cuda, image, readable);
    error = read_alone(cuda, binary, jit);
    if (!error)
        error = cuda_begin(cuda);
    if (error)
        return error;
    *module = binary;
    return binary->linked ? cudaSuccess : cudaErrorInvalidPtx;
}

static int load_file(struct cuda *cuda, void **module, const char *path)
{
    struct file_text file;
    if (file_read(&cuda->arena, path, &file))
        return cudaErrorFileNotFound;
    return load(cuda, module, file.text, file.length, (struct jit_options){0});
}

CUDA_API(cuModuleLoad, void **module, const char *path)
{
    CUDA_NEEDS(module && path);
    return CUDA_DO(load_file(cuda, module, path));
}

CUDA_API(cuModuleLoadData, void **module, const void *image)
{
    CUDA_NEEDS(module && image);
    return CUDA_DO(load(cuda, module, image, binary_readable(image), (struct jit_options){0}));
}

CUDA_API(cuModuleLoadDataEx, void **module, const void *image, unsigned count, int *options,
         void **values)
{
    CUDA_NEEDS(module && image && (!count || (options && values)));
    struct jit_options jit = {count, options, values};
    return CUDA_DO(load(cuda, module, image, binary_readable(image), jit));
}

CUDA_API(cuModuleUnload, void *module)
{
    (void)module; // the statistics of its kernels are written at the end
    return CUDA_DO(cuda_synchronise(cuda));
}

static struct cuda_binary *binary_of(struct cuda *cuda, const void *module)
{
    for (uint32_t i = 0; i < cuda->registry.binaries.n; i++)
        if (cuda->registry.binaries.v[i] == module)
            return cuda->registry.binaries.v[i];
    return NULL;
}

// Returns the same handle for a kernel each time.
static int get_function(struct cuda *cuda, void **to, void *module, const char *name)
{
    int error;
    struct cuda_binary *binary = binary_of(cuda, module);
    struct cuda_function *function = NULL;
    if (!binary)
        return cudaErrorInvalidResourceHandle;
    for (uint32_t i = 0; i < cuda->registry.functions.n && !function; i++)
        if (cuda->registry.functions.v[i]->binary == binary &&
            !strcmp(cuda->registry.functions.v[i]->name, name))
            function = cuda->registry.functions.v[i];
    if (!function)
        function = function_add(cuda, binary, NULL, name);
    *to = function;
    return function_entry(cuda, function, &error) ? cudaSuccess : cudaErrorSymbolNotFound;
}

CUDA_API(cuModuleGetFunction, void **function, void *module, const char *name)
{
    CUDA_NEEDS(function && name);
    return CUDA_DO(get_function(cuda, function, module, name));
}

static int get_global(struct cuda *cuda, uint64_t *at, size_t *bytes, void *module,
                      const char *name)
{
    const struct cuda_binary *binary = binary_of(cuda, module);
    const struct allocation *variable = binary ? binary_variable(cuda, binary, name) : NULL;
    if (!binary)
        return cudaErrorInvalidResourceHandle;
    if (!variable)
        return cudaErrorSymbolNotFound;
    if (at)
        *at = variable->address;
    if (bytes)
        *bytes = variable->bytes;
    return cudaSuccess;
}

CUDA_API(cuModuleGetGlobal, uint64_t *at, size_t *bytes, void *module, const char *name)
{
    CUDA_NEEDS((at || bytes) && name);
    return CUDA_DO(get_global(cuda, at, bytes, module, name));
}

// Libraries, the runtime's equivalent of modules

CUDA_API(cudaLibraryLoadData, void **library, const void *image, int *options, void **values,
         unsigned count, void *library_options, void **library_values, unsigned library_count)
{
    CUDA_NEEDS(library && image);
    (void)library_options, (void)library_values, (void)library_count;
    struct jit_options jit = {count, options, values};
    return CUDA_DO(load(cuda, library, image, binary_readable(image), jit));
}

CUDA_API(cudaLibraryUnload, void *library)
{
    (void)library;
    return CUDA_DO(cuda_synchronise(cuda));
}

CUDA_API(cudaLibraryGetKernel, void **kernel, void *library, const char *name)
{
    CUDA_NEEDS(kernel && name);
    return CUDA_DO(get_function(cuda, kernel, library, name));
}

CUDA_API(cudaLibraryGetGlobal, void **at, size_t *bytes, void *library, const char *name)
{
    CUDA_NEEDS((at || bytes) && name);
    return CUDA_DO(get_global(cuda, (uint64_t *)at, bytes, library, name));
}

// Launches

// Reads a list of pairs that gives the parameters as one block of bytes.
static void read_extra(struct launch_source *from, void *const *extra)
{
    enum { EXTRA_PIECE = 1, EXTRA_BYTES = 2 };
    for (; extra && *extra; extra += 2)
        if ((uintptr_t)*extra == EXTRA_PIECE)
            from->piece = extra[1];
        else if ((uintptr_t)*extra == EXTRA_BYTES)
            from->piece_bytes = *(const size_t *)extra[1];
}

static int launch(struct cuda *cuda, void *function, struct launch_source from, void *stream)
{
    from.function = function_of(cuda, function);
    return driver_error(launch_issue(cuda, &from, stream));
}

CUDA_API(cuLaunchKernel, void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
         void **parameters, void **extra)
{
    struct launch_source from = {.grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .shared = shared,
                                 .parameters = parameters};
    read_extra(&from, extra);
    return CUDA_DO(launch(cuda, function, from, stream));
}

CUDA_API(cuLaunchCooperativeKernel, void *function, unsigned grid_x, unsigned grid_y,
         unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
         void *stream, void **parameters)
{
    struct launch_source from = {.grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .shared = shared,
                                 .parameters = parameters,
                                 .cooperative = true};
    return CUDA_DO(launch(cuda, function, from, stream));
}

static int launch_with(struct cuda *cuda, const struct driver_launch_config *config, void *function,
                       void **parameters, void **extra)
{
    struct launch_source from = {.grid = config->grid,
                                 .block = config->block,
                                 .shared = config->shared,
                                 .parameters = parameters};
    launch_read_attributes(&from, config->attributes, config->attribute_count);
    read_extra(&from, extra);
    return launch(cuda, function, from, config->stream);
}

CUDA_API(cuLaunchKernelEx, const struct driver_launch_config *config, void *function,
         void **parameters, void **extra)
{
    CUDA_NEEDS(config);
    return CUDA_DO(launch_with(cuda, config, function, parameters, extra));
}

static int get_attribute(struct cuda *cuda, int *value, int attribute, void *function)
{
    struct cuda_function_attributes all;
    int error = function_attributes(cuda, &all, function_of(cuda, function));
    const int values[] = {all.max_threads,      (int)all.shared_bytes,  (int)all.constant_bytes,
                          (int)all.local_bytes, all.registers,          all.ptx_version,
                          all.binary_version,   all.cache_mode,         all.max_dynamic_shared,
                          all.carveout,         all.cluster_must_be_set};
    if (!error && (attribute < 0 || attribute >= (int)ARRAY_LENGTH(values)))
        return cudaErrorInvalidValue;
    if (!error)
        *value = values[attribute];
    return error;
}

CUDA_API(cuFuncGetAttribute, int *value, int attribute, void *function)
{
    CUDA_NEEDS(value);
    return CUDA_DO(get_attribute(cuda, value, attribute, function));
}

CUDA_API(cuFuncSetAttribute, void *function, int attribute, int value)
{
    return CUDA_DO(function_set_attribute(cuda, function_of(cuda, function), attribute, value));
}

CUDA_API(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *ctas, void *function, int threads,
         size_t shared)
{
    CUDA_NEEDS(ctas);
    return CUDA_DO(function_occupancy(cuda, function_of(cuda, function), threads, shared, ctas));
}

// Functions by name

enum { FOUND, NOT_FOUND };

static int find_entry(const char *name, void **to, int *status)
{
    *to = entry_point_find(name);
    if (status)
        *status = *to ? FOUND : NOT_FOUND;
    return *to || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

CUDA_API(cudaGetDriverEntryPoint, const char *name, void **to, unsigned long long flags,
         int *status)
{
    CUDA_NEEDS(name && to);
    (void)flags;
    return CUDA_DO(find_entry(name, to, status));
}

CUDA_API(cudaGetDriverEntryPoint_v1, const char *name, void **to, unsigned long long flags)
{
    CUDA_NEEDS(name && to);
    (void)flags;
    return CUDA_DO(find_entry(name, to, NULL));
}

CUDA_API(cudaGetDriverEntryPointByVersion, const char *name, void **to, unsigned version,
         unsigned long long flags, int *status)
{
    CUDA_NEEDS(name && to);
    (void)version, (void)flags;
    return CUDA_DO(find_entry(name, to, status));
}

CUDA_API(cuGetProcAddress, const char *name, void **to, int version, uint64_t flags)
{
    CUDA_NEEDS(name && to);
    (void)version, (void)flags;
    return CUDA_DO(find_entry(name, to, NULL));
}

CUDA_API(cuGetProcAddress_v2, const char *name, void **to, int version, uint64_t flags, int *status)
{
    CUDA_NEEDS(name && to);
    (void)version, (void)flags;
    return CUDA_DO(find_entry(name, to, status));
}
