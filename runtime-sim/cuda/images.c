// The PTX of a binary: of a fatbin, of an ELF file or text, or of the objects that a device link
// has joined.
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

static bool is_fatbin(const struct cuda_image *of)
{
    return of->readable >= 4 && !memcmp(of->bytes, "\x50\xed\x55\xba", 4);
}

// Returns the size of a fatbin or ELF file according to its header, of an archive as given, or the
// length of PTX text.
static uint64_t size_by_header(const struct cuda_image *of)
{
    enum { FATBIN_HEADER = 16, ELF_SECTIONS = 40, ELF_SECTION_SIZE = 58, ELF_HEADER = 64 };
    const char *image = of->bytes;
    bool is_elf = of->readable >= 4 && !memcmp(image, "\177ELF", 4);
    uint64_t size;
    uint16_t entry, count;
    if (of->readable < ELF_HEADER && (is_elf || is_fatbin(of)))
        return of->readable;
    if (is_fatbin(of)) {
        memcpy(&size, image + 8, sizeof size);
        return size > UINT64_MAX - FATBIN_HEADER ? size : size + FATBIN_HEADER;
    }
    if (of->readable >= 8 && !memcmp(image, "!<arch>\n", 8))
        return of->readable;
    if (!is_elf)
        return strnlen(image, of->readable);
    memcpy(&size, image + ELF_SECTIONS, sizeof size);
    memcpy(&entry, image + ELF_SECTION_SIZE, sizeof entry);
    memcpy(&count, image + ELF_SECTION_SIZE + sizeof entry, sizeof count);
    uint64_t table = (uint64_t)entry * count;
    return size > UINT64_MAX - table ? size : size + table;
}

static uint64_t image_bytes(const struct cuda_image *of)
{
    uint64_t bytes = size_by_header(of);
    return bytes < of->readable ? bytes : of->readable;
}

// Returns the PTX module with the newest architecture, up to `arch` unless it is 0: of a member of
// an archive, or with NULL of another file. UINT32_MAX: no such module.
static uint32_t best_module(const struct container *container, const char *member, uint32_t arch)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < container->modules.n; i++) {
        const struct container_module *module = &container->modules.v[i];
        bool fits = module->kind == MODULE_PTX && module->member == member &&
                    (!arch || module->arch <= arch);
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
    bool alone = container->kind == CONTAINER_CUBIN || container->kind == CONTAINER_LTO_IR;
    cuda_complain(cuda, DIAG_ERROR,
                  "%s'%s' has no PTX%s: its device code is %s; compile it with %s",
                  alone ? "a module that is loaded or linked by " : "", cuda->options.program_name,
                  cuda->options.arch ? " for this architecture" : "", content_of(cuda, container),
                  alone ? "-arch=compute_N of nvcc or NVRTC"
                        : "nvcc's -arch=sm_N or -arch=compute_N, without -dlto, or with "
                          "-gencode=arch=compute_N,code=compute_N");
    return cudaErrorNoKernelImageForDevice;
}

static int damaged(struct cuda *cuda, const struct diags *diags)
{
    cuda_complain(cuda, DIAG_ERROR, "cannot read a fatbin of '%s': %s", cuda->options.program_name,
                  diags->list.n ? diags->list.v[0].message : "it is damaged");
    return cudaErrorInvalidKernelImage;
}

// Returns true if a module is of the object of NVIDIA's library for launches by kernels. The
// functions of this library are ours (exec/warp/builtin.h).
static bool is_device_runtime(const struct container *container, uint32_t module)
{
    return container_mentions(container, module, "cnpSetLastError");
}

// Returns the machine code beside a module of PTX: of the lowest architecture that is not below the
// PTX's, or else of the highest one. UINT32_MAX: none exists.
static uint32_t code_beside(const struct container *container, uint32_t module)
{
    const struct container_module *of = &container->modules.v[module];
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < container->modules.n; i++) {
        const struct container_module *code = &container->modules.v[i];
        if (code->kind != MODULE_CUBIN || code->member != of->member)
            continue;
        uint32_t former = best == UINT32_MAX ? 0 : container->modules.v[best].arch;
        bool fits = code->arch >= of->arch;
        bool better = former >= of->arch ? fits && code->arch < former : code->arch > former;
        if (best == UINT32_MAX || better)
            best = i;
    }
    return best;
}

enum image_content { IMAGE_TEXT, IMAGE_EMPTY, IMAGE_NO_TEXT };

// Adds the PTX of a module to the binary. Returns false if it is damaged.
static bool add_part(struct cuda *cuda, struct cuda_binary *binary,
                     const struct container *container, uint32_t module, struct diags *diags)
{
    struct cuda_part part = {0};
    char *text;
    const char *member = container->modules.v[module].member;
    if (!container_text(container, module, &cuda->arena, &text, &part.input.length, diags))
        return false;
    part.input.text = text;
    uint32_t code = cuda->options.reads_registers ? code_beside(container, module) : UINT32_MAX;
    if (code != UINT32_MAX)
        part.kernel_count = container_registers(container, code, &cuda->arena, &part.kernels);
    part.input.name =
        member ? member : arena_printf(&cuda->arena, "object %u", binary->parts.n + 1);
    vec_push(&cuda->arena, &binary->parts, part);
    if (container->modules.v[module].arch > binary->arch)
        binary->arch = container->modules.v[module].arch;
    return true;
}

// Adds the PTX of an image to the binary, of an archive that of each member. Sets *content. Returns
// an error after reporting it. An image without PTX is not an error.
static int read_image(struct cuda *cuda, struct cuda_binary *binary, struct cuda_image *image,
                      struct container *container, enum image_content *content)
{
    struct diags diags;
    const char *member = NULL;
    diags_init(&diags, &cuda->arena);
    if (image->readable == UINT64_MAX)
        image->readable = binary_readable(image->bytes);
    if (!container_open(container, &cuda->arena, cuda->options.program_name, image->bytes,
                        image_bytes(image), &diags))
        return damaged(cuda, &diags);
    // A source without device code has an empty fatbin.
    *content = !container->modules.n && is_fatbin(image) ? IMAGE_EMPTY : IMAGE_NO_TEXT;
    for (uint32_t i = 0; i < container->modules.n; i++) {
        if (i && container->modules.v[i].member == member)
            continue;
        member = container->modules.v[i].member;
        uint32_t module = best_module(container, member, cuda->options.arch);
        bool ours = (binary->objects || member) && is_device_runtime(container, i);
        if (ours)
            *content = *content == IMAGE_NO_TEXT ? IMAGE_EMPTY : *content;
        if (ours || module == UINT32_MAX)
            continue;
        if (!add_part(cuda, binary, container, module, &diags))
            return damaged(cuda, &diags);
        *content = IMAGE_TEXT;
    }
    return cudaSuccess;
}

// Reads the objects of a device link, whose result is machine code or, if all of them have PTX
// only, empty.
static int read_objects(struct cuda *cuda, struct cuda_binary *binary)
{
    int error = cudaSuccess;
    enum image_content content;
    struct container container;
    for (const void *const *object = binary->objects; *object && !error; object++) {
        struct cuda_image image = {*object, UINT64_MAX};
        error = read_image(cuda, binary, &image, &container, &content);
        if (!error && content == IMAGE_NO_TEXT)
            error = without_text(cuda, &container);
    }
    return error;
}

int binary_read(struct cuda *cuda, struct cuda_binary *binary)
{
    struct container container;
    enum image_content content;
    int error = read_image(cuda, binary, &binary->image, &container, &content);
    binary->was_read = true;
    if (error || content == IMAGE_TEXT)
        return error;
    if (binary->objects)
        return read_objects(cuda, binary);
    return content == IMAGE_EMPTY ? cudaSuccess : without_text(cuda, &container);
}
