// Unpacks the PTX of modules.
#include "frontend/container_internal.h"
#include "frontend/fatbin.h"
#include "frontend/object.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { TERMINATOR = 2 };

// With device debug or line information, ptxas stores the lines of the PTX in this section, without
// comments, each terminated by a NUL byte instead of a line feed.
static const char cubin_text[] = ".nv_debug_ptx_txt";

struct container_reading {
    const struct container *container;
    uint32_t index;
    const struct container_module *module;
    struct arena *arena;
    struct diags *diags; // NULL: report nothing
};

static bool refuse(const struct container_reading *r, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(const struct container_reading *r, const char *id, const char *format, ...)
{
    if (!r->diags)
        return false;
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(r->diags, DIAG_ERROR, id, NO_OFFSET, NO_OFFSET, "%s %s",
             container_describe(r->container, r->index, r->arena), text);
    return false;
}

// Checks the declared sizes before memory is allocated.
static bool check_sizes(const struct container_reading *r)
{
    const struct container_module *module = r->module;
    if (module->size > INT32_MAX || module->payload_size > INT32_MAX)
        return refuse(r, "packing", "claims %" PRIu64 " bytes; 2 GiB and more are not read",
                      module->size > INT32_MAX ? module->size : module->payload_size);
    if (module->fatbin_flags & FATBIN_ENCRYPTED)
        return refuse(r, "packing", "is encrypted");
    if (module->packing == PACKING_NONE)
        return true;
    if (module->packing == PACKING_OLD)
        return refuse(r, "packing",
                      "is packed in the format of CUDA 5 and 6, which is not "
                      "supported");
    if (!module->payload_size)
        return refuse(r, "packing", "is packed, but has no packed bytes");
    if (module->size > unpack_max(module->packing, module->payload_size))
        return refuse(r, "packing",
                      "claims to unpack to %" PRIu64 " bytes, which its %" PRIu64
                      " packed bytes cannot hold",
                      module->size, module->payload_size);
    return true;
}

// Unpacks the module's bytes and adds the terminator. This is the only allocation.
static bool unpack_module(const struct container_reading *r, char **bytes)
{
    const struct container_module *module = r->module;
    const char *payload = r->container->bytes + module->payload;
    if (!check_sizes(r))
        return false;
    *bytes = arena_alloc(r->arena, module->size + TERMINATOR);
    if (module->packing == PACKING_NONE) {
        memcpy(*bytes, payload, module->size);
        return true;
    }
    const char *fault =
        unpack(module->packing, payload, module->payload_size, *bytes, module->size);
    return fault ? refuse(r, "packing", "%s", fault) : true;
}

static bool read_ptx(const struct container_reading *r, char **text, uint32_t *length)
{
    if (!unpack_module(r, text))
        return false;
    uint64_t size = r->module->size;
    while (size && !(*text)[size - 1])
        size--;
    *length = (uint32_t)size;
    return size ? true : refuse(r, "no-ptx", "is empty");
}

static bool find_cubin_text(const struct container_reading *r, const char *image,
                            struct object_part *part)
{
    struct object object;
    struct memory *memory = r->arena->memory;
    if (!object_read(&object, memory, image, r->module->size) || !object.is_cubin)
        return refuse(r, "container", "is not a readable cubin");
    if (object_find(memory, image, r->module->size, cubin_text, part) && part->size)
        return true;
    return refuse(r, "no-ptx",
                  "was made without its PTX: compile with -lineinfo or -G, or keep the PTX as "
                  "well, such as with -gencode arch=compute_80,code=compute_80");
}

static bool read_cubin(const struct container_reading *r, char **text, uint32_t *length)
{
    struct object_part part;
    char *image;
    if (!unpack_module(r, &image) || !find_cubin_text(r, image, &part))
        return false;
    // The rest of the image is no longer needed, so the text replaces it.
    memmove(image, image + part.begin, part.size);
    for (uint64_t i = 0; i < part.size; i++)
        if (!image[i])
            image[i] = '\n';
    memset(image + part.size, 0, TERMINATOR);
    *text = image;
    *length = (uint32_t)part.size;
    return true;
}

static bool refuse_lto_ir(const struct container_reading *r, char **text, uint32_t *length)
{
    (void)text, (void)length;
    return refuse(r, "no-ptx",
                  "has no PTX yet: it is generated when the device code is linked, with nvcc "
                  "-dlto -dlink -ptx");
}

static bool refuse_other(const struct container_reading *r, char **text, uint32_t *length)
{
    (void)text, (void)length;
    return refuse(r, "no-ptx", "is of the unknown kind %u", r->module->fatbin_kind);
}

static const struct {
    const char *name;
    bool (*read)(const struct container_reading *, char **text, uint32_t *length);
} kinds[] = {
    [MODULE_PTX] = {"ptx", read_ptx},
    [MODULE_CUBIN] = {"cubin", read_cubin},
    [MODULE_LTO_IR] = {"lto-ir", refuse_lto_ir},
    [MODULE_OTHER] = {"other", refuse_other},
};

const char *module_kind_name(uint8_t kind)
{
    return kinds[kind].name;
}

bool container_text(const struct container *container, uint32_t module, struct arena *arena,
                    char **text, uint32_t *length, struct diags *diags)
{
    struct container_reading r = {container, module, &container->modules.v[module], arena, diags};
    return kinds[r.module->kind].read(&r, text, length);
}

bool container_cubin_has_text(const struct container *container, uint32_t module)
{
    struct arena scratch;
    struct object_part part;
    char *image;
    arena_init(&scratch, container->arena->memory);
    struct container_reading r = {container, module, &container->modules.v[module], &scratch, NULL};
    bool found = unpack_module(&r, &image) && find_cubin_text(&r, image, &part);
    arena_free(&scratch);
    return found;
}

bool container_mentions(const struct container *container, uint32_t module, const char *text)
{
    struct arena scratch;
    char *bytes;
    arena_init(&scratch, container->arena->memory);
    struct container_reading r = {container, module, &container->modules.v[module], &scratch, NULL};
    bool found =
        unpack_module(&r, &bytes) && memmem(bytes, r.module->size, text, strlen(text)) != NULL;
    arena_free(&scratch);
    return found;
}

uint32_t container_registers(const struct container *container, uint32_t module,
                             struct arena *arena, struct object_kernel **kernels)
{
    char *image;
    struct container_reading r = {container, module, &container->modules.v[module], arena, NULL};
    if (r.module->kind != MODULE_CUBIN || !unpack_module(&r, &image))
        return 0;
    uint64_t size = r.module->size;
    uint32_t count = object_registers(arena->memory, image, size, NULL, 0);
    *kernels = ARENA_ARRAY(arena, struct object_kernel, count + 1);
    return object_registers(arena->memory, image, size, *kernels, count);
}
