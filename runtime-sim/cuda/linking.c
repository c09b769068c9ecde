// Links modules that the program gives to the driver: cuLinkCreate and its family. The result,
// which the driver documents as a cubin, is PTX text.
#include "runtime-sim/cuda/cuda.h"
#include "support/file.h"
#include <stdlib.h>
#include <string.h>

// Kinds of input.
enum link_input_kind {
    INPUT_CUBIN,
    INPUT_PTX,
    INPUT_FATBINARY,
    INPUT_OBJECT,
    INPUT_LIBRARY,
    INPUTS
};

struct cuda_linker {
    struct cuda_binary inputs; // not registered: the result can be loaded as a module
    unsigned count;            // options given to cuLinkCreate, which receive the logs
    const int *options;
    void **values;
};

static struct cuda_linker *linker_of(struct cuda *cuda, const void *handle)
{
    for (uint32_t i = 0; i < cuda->registry.linkers.n; i++)
        if (cuda->registry.linkers.v[i] == handle)
            return cuda->registry.linkers.v[i];
    return NULL;
}

static int create(struct cuda *cuda, unsigned count, const int *options, void **values, void **to)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    struct cuda_linker *linker = ARENA_NEW(&cuda->arena, struct cuda_linker);
    *linker = (struct cuda_linker){.count = count, .options = options, .values = values};
    vec_push(&cuda->arena, &cuda->registry.linkers, linker);
    *to = linker;
    return cudaSuccess;
}

CUDA_API(cuLinkCreate, unsigned count, int *options, void **values, void **state)
{
    CUDA_NEEDS(state && (!count || (options && values)));
    return CUDA_DO(create(cuda, count, options, values, state));
}

// Reports the errors of the modules. The options' sizes become those of the logs, so this is the
// last time that they are read.
static int reject(struct cuda *cuda, const struct cuda_linker *linker, const char *log)
{
    jit_write_logs(log, linker->count, linker->options, linker->values);
    cuda_complain(cuda, DIAG_NOTE, "modules that '%s' links are invalid:\n%s",
                  cuda->options.program_name, log);
    return cudaErrorInvalidPtx;
}

static int add(struct cuda *cuda, const void *handle, int kind, const void *data, size_t bytes,
               const char *name)
{
    struct cuda_linker *linker = linker_of(cuda, handle);
    if (!linker)
        return cudaErrorInvalidResourceHandle;
    if (kind < 0 || kind >= INPUTS)
        return kind == INPUTS ? cudaErrorNotSupported : cudaErrorInvalidValue;
    // The caller may free its data after the call.
    char *copy = arena_alloc(&cuda->arena, bytes + 1);
    memcpy(copy, data, bytes);
    struct cuda_binary one = {.image = {copy, bytes}};
    int error = binary_read(cuda, &one);
    for (uint32_t i = 0; i < one.parts.n && !error; i++) {
        if (name && one.parts.n == 1)
            one.parts.v[i].input.name = arena_strndup(&cuda->arena, name, strlen(name));
        vec_push(&cuda->arena, &linker->inputs.parts, one.parts.v[i]);
    }
    const char *log = !error && one.parts.n == 1 ? jit_check(cuda, &one, false) : NULL;
    return log ? reject(cuda, linker, log) : error;
}

CUDA_API(cuLinkAddData, void *state, int kind, void *data, size_t bytes, const char *name,
         unsigned count, int *options, void **values)
{
    (void)count, (void)options, (void)values; // they concern the assembler
    CUDA_NEEDS(data);
    return CUDA_DO(add(cuda, state, kind, data, bytes, name));
}

static int add_file(struct cuda *cuda, const void *state, int kind, const char *path)
{
    struct file_text file;
    if (file_read(&cuda->arena, path, &file))
        return cudaErrorFileNotFound;
    return add(cuda, state, kind, file.text, file.length, path);
}

CUDA_API(cuLinkAddFile, void *state, int kind, const char *path, unsigned count, int *options,
         void **values)
{
    (void)count, (void)options, (void)values;
    CUDA_NEEDS(path);
    return CUDA_DO(add_file(cuda, state, kind, path));
}

static int complete(struct cuda *cuda, const void *state, void **image, size_t *bytes)
{
    struct cuda_linker *linker = linker_of(cuda, state);
    struct link link = {0};
    struct link_names names = {0};
    if (!linker)
        return cudaErrorInvalidResourceHandle;
    if (!linker->inputs.parts.n)
        return cudaErrorInvalidValue;
    const char *log = jit_check(cuda, &linker->inputs, true);
    if (log)
        return reject(cuda, linker, log);
    jit_write_logs("", linker->count, linker->options, linker->values);
    jit_link(cuda, &linker->inputs, &link, &names);
    uint32_t length;
    *image = (void *)link_text(&link, &length);
    if (bytes)
        *bytes = (size_t)length + 1;
    return cudaSuccess;
}

CUDA_API(cuLinkComplete, void *state, void **image, size_t *bytes)
{
    CUDA_NEEDS(image);
    return CUDA_DO(complete(cuda, state, image, bytes));
}

static int destroy(struct cuda *cuda, const void *state)
{
    for (uint32_t i = 0; i < cuda->registry.linkers.n; i++)
        if (cuda->registry.linkers.v[i] == state) {
            cuda->registry.linkers.v[i] = cuda->registry.linkers.v[--cuda->registry.linkers.n];
            return cudaSuccess;
        }
    return cudaErrorInvalidResourceHandle;
}

CUDA_API(cuLinkDestroy, void *state)
{
    return CUDA_DO(destroy(cuda, state));
}

// Modules are linked when their first function or variable is needed.
CUDA_API(cuModuleGetLoadingMode, int *mode)
{
    enum { EAGER = 1, LAZY };
    const char *wanted = getenv("CUDA_MODULE_LOADING");
    CUDA_NEEDS(mode);
    *mode = wanted && !strcmp(wanted, "EAGER") ? EAGER : LAZY;
    return cudaSuccess;
}
