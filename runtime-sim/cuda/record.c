#include "runtime-sim/cuda/record.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/exec/memory/heap.h"
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/run/npy.h"
#include "support/output.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// A written file with the contents of an allocation.
struct recorded_content {
    uint64_t hash, bytes;
    const char *file;
};

// Memory of the current run file whose contents at the end are expected.
struct expected_memory {
    const char *name;
    const uint8_t *data;
    uint64_t bytes;
};

struct launch_record {
    struct arena *arena;
    const char *folder, *program;
    uint32_t programs, runs, files; // program that was written last; run files and contents so far
    FILE *run;                      // the current run file; NULL: the next launch begins one
    uint64_t layout, shared;        // hashes after the last launch
    bool failed;
    VEC(struct recorded_content) contents;
    VEC(struct expected_memory) expected;
};

static void fail(struct cuda *cuda, const char *path)
{
    if (!cuda->recorded->failed)
        cuda_complain(cuda, DIAG_ERROR, "cannot write '%s': %s", path, strerror(errno));
    cuda->recorded->failed = true;
}

void record_begin(struct cuda *cuda)
{
    cuda->recorded = ARENA_NEW(&cuda->arena, struct launch_record);
    *cuda->recorded = (struct launch_record){.arena = &cuda->arena, .folder = cuda->options.record};
    if (mkdir(cuda->options.record, 0777) && errno != EEXIST)
        fail(cuda, cuda->options.record);
}

static FILE *open_file(struct cuda *cuda, const char *name)
{
    const char *path = arena_printf(&cuda->arena, "%s/%s", cuda->options.record, name);
    // Replace a symbolic link, not the file that it points to.
    struct stat status;
    bool is_link = !lstat(path, &status) && S_ISLNK(status.st_mode);
    bool is_input = !is_link && output_is_protected(cuda->arena.memory, path);
    bool may = !cuda->recorded->failed && !is_input;
    if (may)
        remove(path);
    FILE *to = may ? fopen(path, "wb") : NULL;
    if (is_input)
        errno = EEXIST;
    if (!to)
        fail(cuda, path);
    return to;
}

#define HASH_BEGIN UINT64_C(14695981039346656037)

static uint64_t hash_bytes(uint64_t hash, const void *data, uint64_t bytes)
{
    const uint8_t *at = data;
    for (uint64_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

// Hashes the set of allocations and their addresses, and the texture objects.
static uint64_t hash_layout(const struct cuda *cuda)
{
    uint64_t hash = HASH_BEGIN;
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        hash = hash_bytes(hash, &memory->id, sizeof memory->id);
        hash = hash_bytes(hash, &memory->address, sizeof memory->address);
        hash = hash_bytes(hash, &memory->bytes, sizeof memory->bytes);
    }
    for (uint32_t i = 0; i < cuda->textures.all.n; i++)
        hash = hash_bytes(hash, &cuda->textures.all.v[i].handle, sizeof(uint64_t));
    return hash;
}

static bool is_shared(const struct cuda *cuda)
{
    bool shared = cuda->heap.shared_until != 0;
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++)
        shared |= cuda->heap.memories.v[i].host != NULL;
    return shared;
}

// Hashes the contents of memory that the host can write without a call.
static uint64_t hash_shared(const struct cuda *cuda)
{
    uint64_t hash = HASH_BEGIN;
    for (uint32_t i = 0; cuda->heap.shared_until && i < cuda->gpu->device->program->variables.n;
         i++) {
        const struct allocation *variable = device_variable(cuda->gpu->device, i);
        hash = hash_bytes(hash, variable->data, variable->bytes);
    }
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        if (memory->host)
            hash = hash_bytes(hash, device_at(cuda->gpu->device, memory->address, memory->bytes),
                              memory->bytes);
    }
    return hash;
}

// Returns the name of the file with these bytes, written once for equal contents. NULL: all bytes
// are 0.
static const char *write_content(struct cuda *cuda, const uint8_t *data, uint64_t bytes)
{
    struct launch_record *record = cuda->recorded;
    if (bytes && !data[0] && !memcmp(data, data + 1, bytes - 1))
        return NULL;
    uint64_t hash = hash_bytes(HASH_BEGIN, data, bytes);
    for (uint32_t i = 0; i < record->contents.n; i++)
        if (record->contents.v[i].hash == hash && record->contents.v[i].bytes == bytes)
            return record->contents.v[i].file;
    const char *name = arena_printf(&cuda->arena, "memory-%u.npy", record->files++);
    FILE *to = open_file(cuda, name);
    if (!to)
        return NULL;
    npy_write(to, scalar_find("u8", 2), NULL, 0, data, bytes, false);
    if (fclose(to))
        fail(cuda, name);
    vec_push(record->arena, &record->contents, (struct recorded_content){hash, bytes, name});
    return name;
}

static void write_fill(struct cuda *cuda, const uint8_t *data, uint64_t bytes)
{
    const char *file = write_content(cuda, data, bytes);
    fprintf(cuda->recorded->run, ", fill: %s}\n", file ? file : "zero");
}

// Writes the memory that kernels have allocated and not freed.
static void write_heap(struct cuda *cuda)
{
    const struct image *image = cuda->gpu->device->image;
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        if (!at->heap || at->state != ALLOCATION_LIVE)
            continue;
        fprintf(cuda->recorded->run,
                "    h%u: {type: u8, count: %" PRIu64 ", address: %" PRIu64 ", heap: true", i,
                at->bytes, at->address);
        write_fill(cuda, at->data, at->bytes);
    }
}

static void expect_memory(struct cuda *cuda, const char *name, const uint8_t *data, uint64_t bytes,
                          bool left_out)
{
    if (cuda->options.expects && !left_out)
        vec_push(&cuda->arena, &cuda->recorded->expected,
                 (struct expected_memory){name, data, bytes});
}

static void write_buffers(struct cuda *cuda)
{
    FILE *run = cuda->recorded->run;
    const struct program *program = cuda->gpu->device->program;
    cuda->recorded->expected.n = 0;
    fputs("buffers:\n", run);
    for (uint32_t i = 0; i < program->variables.n; i++) {
        const struct allocation *variable = device_variable(cuda->gpu->device, i);
        if (!variable->bytes)
            continue;
        const char *name = arena_printf(&cuda->arena, "v%u", i);
        fprintf(run, "    %s: {type: u8, variable: '%s'", name, variable->name);
        write_fill(cuda, variable->data, variable->bytes);
        expect_memory(cuda, name, variable->data, variable->bytes, cuda->heap.shared_until);
    }
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        uint64_t address = memory->address - memory->slack;
        uint64_t bytes = memory->bytes + 2 * memory->slack;
        const char *name = arena_printf(&cuda->arena, "m%" PRIu64, memory->id);
        fprintf(run, "    %s: {type: u8, count: %" PRIu64 ", address: %" PRIu64, name, bytes,
                address);
        const uint8_t *data = device_at(cuda->gpu->device, address, bytes);
        write_fill(cuda, data, bytes);
        // Two mapped addresses may be the same bytes, which are two buffers in the run file.
        expect_memory(cuda, name, data, bytes, memory->host || memory->kind == KIND_MAPPED);
    }
    write_heap(cuda);
    if (!cuda->heap.memories.n && !program->variables.n)
        fputs("    unused: {type: u8, count: 1}\n", run);
}

// Textures and surfaces. Levels of a mipmap have the layout that run files expect.

static void write_border(FILE *run, const struct texture *texture)
{
    const struct sampler *sampler = &texture->sampler;
    bool is_used = false, floats = texture_is_float(texture);
    for (int i = 0; i < 3; i++)
        is_used |= sampler->mode[i] == TEXTURE_CLAMP_TO_BORDER;
    for (int c = 0; c < 4 && is_used; c++) {
        float value;
        memcpy(&value, &sampler->border[c], sizeof value);
        fputs(c ? ", " : ", border: [", run);
        if (floats)
            fprintf(run, "'%.9g'", (double)value);
        else
            fprintf(run, "%" PRId64,
                    texture->format & 1 ? (int64_t)(int32_t)sampler->border[c]
                                        : (int64_t)sampler->border[c]);
    }
    if (is_used)
        fputc(']', run);
}

static void write_sampler(FILE *run, const struct texture *texture)
{
    static const char *const modes[] = {"wrap", "mirror", "clamp", "clamp", "border"};
    const struct sampler *sampler = &texture->sampler;
    fprintf(run, ",\n        address: [%s, %s, %s]", modes[sampler->mode[0]],
            modes[sampler->mode[1]], modes[sampler->mode[2]]);
    write_border(run, texture);
    fputs(sampler->filter ? ", filter: linear" : "", run);
    fputs(texture->normalized_coordinates ? ", coordinates: normalized" : "", run);
    fputs(texture->srgb ? ", encoding: srgb" : "", run);
    fputs(sampler->seamless ? ", edges: seamless" : "", run);
    if (texture->levels)
        fprintf(run, ", level_filter: %s, bias: '%.9g', min_level: '%.9g', max_level: '%.9g'",
                sampler->level_filter ? "linear" : "point", (double)sampler->bias,
                (double)sampler->min_level, (double)sampler->max_level);
}

static void write_texels(FILE *run, const struct texture *texture)
{
    static const char *const formats[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
    const struct texels *base = &texture->base;
    fprintf(run, ", type: %s, channels: %u, width: %u", formats[texture->format], texture->channels,
            base->width);
    if (base->height)
        fprintf(run, ", height: %u, pitch: %u", base->height, base->pitch);
    if (base->depth)
        fprintf(run, ", depth: %u", base->depth);
    if (texture->layered)
        fprintf(run, ", layers: %u", texture->layers);
    fputs(texture->cube ? ", cube: true" : "", run);
    if (base->depth || texture->layers)
        fprintf(run, ", slice: %" PRIu64, base->slice);
    if (texture->normalized_float && texture->format <= TEXTURE_S16)
        fputs(", read: normalized-float", run);
    for (uint32_t i = 1; i < texture->levels; i++)
        fprintf(run, "%s%" PRIu64, i > 1 ? ", " : ", levels: [",
                texture->smaller[i - 1].address - base->address);
    fputs(texture->levels > 1 ? "]" : texture->levels ? ", levels: []" : "", run);
}

static void write_textures(struct cuda *cuda)
{
    FILE *run = cuda->recorded->run;
    const char *head = "textures:\n";
    for (uint32_t i = 0; i < cuda->textures.all.n; i++) {
        const struct cuda_texture *object = &cuda->textures.all.v[i];
        const struct texture *texture =
            texture_find(cuda->gpu->device->textures, object->handle,
                         object->is_surface ? BOUND_SURFACE : BOUND_TEXTURE);
        const struct cuda_memory *memory =
            texture ? cuda_memory_at(cuda, texture->base.address) : NULL;
        if (!memory) // freed: a fetch is a fault
            continue;
        fprintf(run, "%s    t%u: {handle: %" PRIu64 ", buffer: m%" PRIu64 ", offset: %" PRIu64,
                head, i, object->handle, memory->id,
                texture->base.address - (memory->address - memory->slack));
        write_texels(run, texture);
        if (object->is_surface)
            fputs(", surface: true", run);
        else
            write_sampler(run, texture);
        fputs("}\n", run);
        head = "";
    }
}

static void write_program(struct cuda *cuda)
{
    struct launch_record *record = cuda->recorded;
    if (record->programs == cuda->program.links)
        return;
    record->programs = cuda->program.links;
    record->program = arena_printf(&cuda->arena, "program-%u.ptx", record->programs);
    FILE *to = open_file(cuda, record->program);
    if (!to)
        return;
    fwrite(cuda->program.source.text, 1, cuda->program.source.length, to);
    if (fclose(to))
        fail(cuda, record->program);
}

static void begin_run(struct cuda *cuda)
{
    struct launch_record *record = cuda->recorded;
    write_program(cuda);
    record->run = open_file(cuda, arena_printf(&cuda->arena, "run-%u.yaml", record->runs++));
    if (!record->run)
        return;
    fprintf(record->run, "# Launches of %s.\nprogram: %s\n", cuda->options.program_name,
            record->program);
    uint64_t heap = heap_size(cuda->gpu->device->image);
    if (heap != HEAP_BYTES)
        fprintf(record->run, "heap: %" PRIu64 "\n", heap);
    write_buffers(cuda);
    write_textures(cuda);
    fputs("launches:\n", record->run);
}

static void write_shape(FILE *to, const char *name, const uint32_t shape[3])
{
    fprintf(to, ", %s: [%u, %u, %u]", name, shape[0], shape[1], shape[2]);
}

// Writes a parameter; a structure is written as a list of bytes.
static void write_parameter(FILE *to, const uint8_t *from, uint32_t bytes)
{
    uint64_t value = 0;
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
        memcpy(&value, from, bytes);
        fprintf(to, "'b%u:%" PRIu64 "'", bytes * 8, value);
        return;
    }
    fputc('[', to);
    for (uint32_t i = 0; i < bytes; i++)
        fprintf(to, "%s'u8:%u'", i ? ", " : "", from[i]);
    fputc(']', to);
}

void record_launch(struct cuda *cuda, const struct cuda_launch *launch,
                   const struct program_function *entry)
{
    const struct program *program = cuda->gpu->device->program;
    struct launch_record *record = cuda->recorded;
    if (record->failed || cuda_synchronise(cuda)) // earlier works must have written the memory
        return;
    const struct device_kernel *kernel = device_kernel_of(cuda->gpu->device, entry);
    if (!timed_includes(cuda->options.recorded, kernel->name, kernel->launches + 1)) {
        record_end(cuda);
        return;
    }
    if (record->programs != cuda->program.links || record->layout != hash_layout(cuda) ||
        (is_shared(cuda) && record->shared != hash_shared(cuda)))
        record_end(cuda);
    if (!record->run)
        begin_run(cuda);
    if (!record->run)
        return;
    fprintf(record->run, "    - {kernel: '%s'", kernel->name);
    write_shape(record->run, "grid", launch->grid);
    write_shape(record->run, "block", launch->block);
    if (launch->cluster[0])
        write_shape(record->run, "cluster", launch->cluster);
    if (launch->shared)
        fprintf(record->run, ", shared: %" PRIu64, launch->shared);
    if (launch->cooperative)
        fputs(", cooperative: true", record->run);
    fputs(", args: [", record->run);
    for (uint32_t i = 0; i < entry->param_count; i++) {
        const struct program_parameter *parameter = &program->parameters.v[entry->params + i];
        fputs(i ? ", " : "", record->run);
        write_parameter(record->run, launch->parameters + parameter->offset, parameter->bytes);
    }
    fputs("]}\n", record->run);
}

void record_launched(struct cuda *cuda)
{
    struct launch_record *record = cuda->recorded;
    record->layout = hash_layout(cuda);
    if (record->run && is_shared(cuda) && !cuda_synchronise(cuda))
        record->shared = hash_shared(cuda);
}

void record_write(struct cuda *cuda)
{
    if (cuda->recorded->run && cuda->options.expects)
        cuda_synchronise(cuda); // the results are not there before
    record_end(cuda);
}

static void write_expected(struct cuda *cuda)
{
    struct launch_record *record = cuda->recorded;
    const char *head = "expect:\n";
    for (uint32_t i = 0; i < record->expected.n; i++) {
        const struct expected_memory *memory = &record->expected.v[i];
        const char *file = write_content(cuda, memory->data, memory->bytes);
        fprintf(record->run, "%s    - {buffer: %s, %s: %s}\n", head, memory->name,
                file ? "file" : "fill", file ? file : "zero");
        head = "";
    }
}

void record_end(struct cuda *cuda)
{
    struct launch_record *record = cuda->recorded;
    if (record->run && !cuda->host.open && !cuda->status.fault)
        write_expected(cuda);
    if (record->run && fclose(record->run))
        fail(cuda, record->folder);
    record->run = NULL;
}
