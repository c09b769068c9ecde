// Fatbins: their registration by the program, and the selection of their PTX.
#include "frontend/container.h"
#include "runtime-sim/cuda/cuda.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t binary_readable(const void *image)
{
    uint64_t at = (uintptr_t)image, first, end;
    char line[512], access;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %c", &first, &end, &access) == 3 && first <= at &&
            at < end && access == 'r')
            at = end;
    if (maps)
        fclose(maps);
    return maps ? at - (uintptr_t)image : UINT64_MAX;
}

struct cuda_binary *binary_add(struct cuda *cuda, const void *image, uint64_t readable)
{
    struct cuda_binary *binary = ARENA_NEW(&cuda->arena, struct cuda_binary);
    *binary = (struct cuda_binary){
        .image = image, .readable = readable, .number = cuda->registry.binaries.n};
    vec_push(&cuda->arena, &cuda->registry.binaries, binary);
    return binary;
}

static bool is_fatbin(const struct cuda_binary *binary)
{
    return binary->readable >= 4 && !memcmp(binary->image, "\x50\xed\x55\xba", 4);
}

// Returns the size of a fatbin or ELF file according to its header, or the length of PTX text.
static uint64_t size_by_header(const struct cuda_binary *binary)
{
    enum { FATBIN_HEADER = 16, ELF_SECTIONS = 40, ELF_SECTION_SIZE = 58, ELF_HEADER = 64 };
    const char *image = binary->image;
    bool is_elf = binary->readable >= 4 && !memcmp(image, "\177ELF", 4);
    uint64_t size;
    uint16_t entry, count;
    if (binary->readable < ELF_HEADER && (is_elf || is_fatbin(binary)))
        return binary->readable;
    if (is_fatbin(binary)) {
        memcpy(&size, image + 8, sizeof size);
        return size > UINT64_MAX - FATBIN_HEADER ? size : size + FATBIN_HEADER;
    }
    if (!is_elf)
        return strnlen(image, binary->readable);
    memcpy(&size, image + ELF_SECTIONS, sizeof size);
    memcpy(&entry, image + ELF_SECTION_SIZE, sizeof entry);
    memcpy(&count, image + ELF_SECTION_SIZE + sizeof entry, sizeof count);
    uint64_t table = (uint64_t)entry * count;
    return size > UINT64_MAX - table ? size : size + table;
}

static uint64_t image_bytes(const struct cuda_binary *binary)
{
    uint64_t bytes = size_by_header(binary);
    return bytes < binary->readable ? bytes : binary->readable;
}

// Returns the PTX module with the newest architecture, up to `arch` unless it is 0; UINT32_MAX: no
// such module.
static uint32_t best_module(const struct container *container, uint32_t arch)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < container->modules.n; i++) {
        const struct container_module *module = &container->modules.v[i];
        bool fits = module->kind == MODULE_PTX && (!arch || module->arch <= arch);
        if (fits && (best == UINT32_MAX || module->arch >= container->modules.v[best].arch))
            best = i;
    }
    return best;
}

// Returns the contents of a binary without PTX, such as "machine code for sm_80".
static const char *content_of(struct cuda *cuda, const struct container *container)
{
    const char *list = NULL;
    for (uint32_t i = 0; i < container->modules.n; i++) {
        char arch[16];
        const struct container_module *module = &container->modules.v[i];
        container_arch(module, arch);
        const char *kind = module->kind == MODULE_CUBIN    ? "machine code"
                           : module->kind == MODULE_LTO_IR ? "IR for -dlto"
                                                           : "PTX";
        list = list ? arena_printf(&cuda->arena, "%s, %s for sm_%s", list, kind, arch)
                    : arena_printf(&cuda->arena, "%s for sm_%s", kind, arch);
    }
    return list ? list : "nothing";
}

static int without_text(struct cuda *cuda, const struct container *container)
{
    cuda_complain(cuda, DIAG_ERROR,
                  "'%s' has no PTX%s: its device code is %s; compile it with nvcc's "
                  "-arch=sm_N or with -gencode=arch=compute_N,code=compute_N",
                  cuda->options.program_name, cuda->options.arch ? " for this architecture" : "",
                  content_of(cuda, container));
    return cudaErrorNoKernelImageForDevice;
}

static int nvlinked(struct cuda *cuda)
{
    cuda_complain(cuda, DIAG_ERROR,
                  "the device code of '%s' was linked by nvlink (-rdc=true), which keeps no PTX of "
                  "the linked code and is not supported: compile without -rdc; device code must "
                  "then not refer to other sources or launch kernels",
                  cuda->options.program_name);
    return cudaErrorNoKernelImageForDevice;
}

int binary_read(struct cuda *cuda, struct cuda_binary *binary)
{
    struct container container;
    struct diags diags;
    char *text;
    diags_init(&diags, &cuda->arena);
    if (binary->readable == UINT64_MAX)
        binary->readable = binary_readable(binary->image);
    bool good = container_open(&container, &cuda->arena, cuda->options.program_name, binary->image,
                               image_bytes(binary), &diags);
    if (good && !container.modules.n && is_fatbin(binary)) {
        binary->length = 0; // fatbin of a source without device code
        return cudaSuccess;
    }
    uint32_t module = good ? best_module(&container, cuda->options.arch) : UINT32_MAX;
    if (good && module == UINT32_MAX && binary->nvlinked)
        return nvlinked(cuda);
    if (good && module == UINT32_MAX)
        return without_text(cuda, &container);
    if (!good ||
        !container_text(&container, module, &cuda->arena, &text, &binary->length, &diags)) {
        cuda_complain(cuda, DIAG_ERROR, "cannot read a fatbin of '%s': %s",
                      cuda->options.program_name,
                      diags.list.n ? diags.list.v[0].message : "it is damaged");
        return cudaErrorInvalidKernelImage;
    }
    binary->text = text;
    binary->arch = container.modules.v[module].arch;
    return cudaSuccess;
}

// Registration by the program

CUDA_EXPORT void **ptxo___cudaRegisterFatBinary(void *wrapper);
void **ptxo___cudaRegisterFatBinary(void *of)
{
    const struct cuda_fatbin_wrapper *wrapper = of;
    struct cuda *cuda = cuda_enter();
    if (setjmp(cuda->memory.on_failure))
        cuda_out_of_memory(cuda);
    struct cuda_binary *binary = binary_add(cuda, wrapper->data, UINT64_MAX);
    binary->nvlinked = wrapper->version > 1;
    cuda->contexts.of_runtime = true;
    if (wrapper->magic != FATBIN_WRAPPER_MAGIC)
        binary->failed = true;
    cuda_leave_quietly(cuda, 0);
    return (void **)binary;
}

CUDA_EXPORT void ptxo___cudaRegisterFatBinaryEnd(void **handle);
void ptxo___cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle; // functions and variables are resolved when they are needed
}

// Drops what lies in the memory of a library that dlclose unmaps. Kernels that were linked stay:
// the statistics are written at the end.
static int unregister(struct cuda *cuda, struct cuda_binary *binary)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cuda->registry.symbols.n; i++)
        if (cuda->registry.symbols.v[i]->binary != binary)
            cuda->registry.symbols.v[kept++] = cuda->registry.symbols.v[i];
    cuda->registry.symbols.n = kept;
    binary->failed |= !binary->linked;
    return cudaSuccess;
}

CUDA_EXPORT void ptxo___cudaUnregisterFatBinary(void **handle);
void ptxo___cudaUnregisterFatBinary(void **handle)
{
    CUDA_DO(unregister(cuda, (struct cuda_binary *)handle));
}

CUDA_EXPORT char ptxo___cudaInitModule(void **handle);
char ptxo___cudaInitModule(void **handle)
{
    (void)handle;
    return CUDA_DO(cuda_begin(cuda)) == cudaSuccess;
}

CUDA_EXPORT void ptxo___cudaRegisterFunction(void **handle, const char *host, char *device,
                                             const char *name, int threads, void *thread,
                                             void *block, void *block_size, void *grid_size,
                                             int *warp);
void ptxo___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                 int threads, void *thread, void *block, void *block_size,
                                 void *grid_size, int *warp)
{
    (void)device, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size;
    (void)warp;
    CUDA_DO((function_add(cuda, (struct cuda_binary *)handle, host, name), cudaSuccess));
}

static int add_symbol(struct cuda *cuda, struct cuda_symbol from)
{
    struct cuda_symbol *symbol = ARENA_NEW(&cuda->arena, struct cuda_symbol);
    *symbol = from;
    vec_push(&cuda->arena, &cuda->registry.symbols, symbol);
    return cudaSuccess;
}

CUDA_EXPORT void ptxo___cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                        int external, size_t bytes, int constant, int global);
void ptxo___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                            size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    CUDA_DO(add_symbol(cuda, (struct cuda_symbol){.binary = (struct cuda_binary *)handle,
                                                  .host = host,
                                                  .name = name,
                                                  .bytes = bytes}));
}

CUDA_EXPORT void ptxo___cudaRegisterManagedVar(void **handle, void **host, char *device,
                                               const char *name, int external, size_t bytes,
                                               int constant, int global);
void ptxo___cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                   int external, size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    CUDA_DO(add_symbol(cuda, (struct cuda_symbol){.binary = (struct cuda_binary *)handle,
                                                  .host = host,
                                                  .managed = host,
                                                  .name = name,
                                                  .bytes = bytes}));
}

CUDA_API(__cudaRegisterHostVar, void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
    return cudaSuccess;
}
