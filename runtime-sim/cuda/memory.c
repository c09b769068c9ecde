#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/record.h"
#include "runtime-sim/cuda/threads.h"
#include "support/search.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

// Returns the index of the first allocation above the address.
static uint32_t find_above(const struct cuda *cuda, uint64_t address)
{
    return SEARCH(i, 0, cuda->heap.memories.n, cuda->heap.memories.v[i].address <= address);
}

struct cuda_memory *cuda_memory_at(struct cuda *cuda, uint64_t address)
{
    uint32_t above = find_above(cuda, address);
    struct cuda_memory *memory = above ? &cuda->heap.memories.v[above - 1] : NULL;
    return memory && address - memory->address < memory->bytes ? memory : NULL;
}

struct cuda_memory *cuda_memory_of_host(struct cuda *cuda, const void *host)
{
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        struct cuda_memory *memory = &cuda->heap.memories.v[i];
        if (memory->kind == KIND_REGISTERED &&
            (uintptr_t)host - (uintptr_t)memory->host < memory->bytes)
            return memory;
    }
    return NULL;
}

// Returns the device to whose part of the address space an address belongs.
static struct cuda_gpu *gpu_at(struct cuda *cuda, uint64_t address)
{
    uint64_t number = (address - GLOBAL_FIRST_64) / DEVICE_ROOM;
    return number < cuda->gpu_count ? &cuda->gpus[number] : cuda->gpu;
}

struct cuda_gpu *cuda_memory_gpu(struct cuda *cuda, uint64_t address)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, address);
    return !memory ? gpu_at(cuda, address) : memory->host ? cuda->gpu : &cuda->gpus[memory->gpu];
}

bool cuda_memory_is_device(struct cuda *cuda, const void *at)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)at);
    if (memory)
        return memory->kind != KIND_PINNED;
    return device_at(gpu_at(cuda, (uintptr_t)at)->device, (uintptr_t)at, 1);
}

bool cuda_memory_is_gone(struct cuda *cuda, const void *at)
{
    uint64_t address = (uintptr_t)at;
    const struct device *device = gpu_at(cuda, address)->device;
    return address >= device->first && address < device_next(device, 1, 1) &&
           !cuda_memory_at(cuda, address) && !cuda_memory_is_device(cuda, at);
}

static const char *name_of(struct cuda *cuda, enum cuda_memory_kind kind)
{
    static const char *const names[] = {
        [KIND_DEVICE] = "device memory", [KIND_MANAGED] = "managed memory",
        [KIND_PINNED] = "pinned memory", [KIND_REGISTERED] = "registered memory",
        [KIND_ARRAY] = "array",          [KIND_MAPPED] = "mapped memory"};
    return arena_printf(&cuda->arena, "%s %lu", names[kind],
                        (unsigned long)++cuda->heap.allocations);
}

void cuda_memory_show(struct cuda_gpu *gpu, const struct cuda_memory *memory)
{
    uint64_t address = memory->address - memory->slack, bytes = memory->bytes + 2 * memory->slack;
    bool is_remote = !memory->host && memory->gpu != gpu->number;
    if (address - gpu->device->first < DEVICE_ROOM)
        device_add(gpu->device, address, bytes, memory->data, memory->name);
    else
        device_add_remote(gpu->device, address, bytes, memory->data, memory->name, is_remote);
}

static void add_memory(struct cuda *cuda, struct cuda_memory memory, uint8_t *data)
{
    memory.data = data;
    memory.name = name_of(cuda, memory.kind);
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        if (peers_allow(&cuda->gpus[i], &memory))
            cuda_memory_show(&cuda->gpus[i], &memory);
    if (memory.kind == KIND_DEVICE)
        device_add_state(cuda->gpu->device, memory.address - memory.slack);
    memory.id = cuda->heap.allocations;
    vec_push(&cuda->arena, &cuda->heap.memories, memory);
    struct cuda_memory *list = cuda->heap.memories.v;
    for (uint32_t i = cuda->heap.memories.n - 1; i && list[i - 1].address > memory.address; i--) {
        list[i] = list[i - 1]; // the list stays sorted
        list[i - 1] = memory;
    }
}

static bool counts(enum cuda_memory_kind kind)
{
    return kind == KIND_DEVICE || kind == KIND_MANAGED || kind == KIND_ARRAY;
}

// Maps memory that host and device access at the same address. Returns NULL if the address is in
// use.
static void *map_at(uint64_t address, uint64_t bytes)
{
    void *at = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != MAP_FAILED && at != (void *)address) {
        munmap(at, bytes);
        at = MAP_FAILED;
    }
    return at == MAP_FAILED ? NULL : at;
}

int cuda_memory_allocate(struct cuda *cuda, enum cuda_memory_kind kind, uint64_t bytes,
                         uint64_t *address)
{
    int error = cuda_begin(cuda);
    *address = 0;
    if (error || !bytes)
        return error;
    if (counts(kind) && bytes > cuda->options.device_bytes - cuda->gpu->used_bytes)
        return cudaErrorMemoryAllocation;
    bool shared = kind == KIND_MANAGED || kind == KIND_PINNED;
    struct cuda_memory memory = {.bytes = bytes, .kind = kind, .gpu = cuda->gpu->number};
    if (!threads_is_calling())
        host_compute_all(&cuda->host); // the address must not depend on the time of launches
    memory.slack = kind == KIND_DEVICE ? cuda->options.slack : 0;
    memory.address = device_next(cuda->gpu->device, align_up(bytes + 2 * memory.slack, PAGE), PAGE);
    memory.address += memory.address ? memory.slack : 0;
    if (shared)
        memory.mapped = align_up(bytes, PAGE);
    uint8_t *data = !memory.address ? NULL
                    : shared        ? map_at(memory.address, memory.mapped)
                                    : calloc(1, bytes + 2 * memory.slack);
    if (!data)
        return cudaErrorMemoryAllocation;
    memory.host = shared ? data : NULL;
    if (!shared)
        memory.mapped = 0;
    add_memory(cuda, memory, data);
    // Skip to the next page: shared pages hold nothing else.
    if (shared)
        device_skip(cuda->gpu->device, memory.address + memory.mapped);
    if (counts(kind))
        cuda->gpu->used_bytes += bytes;
    *address = memory.address;
    return cudaSuccess;
}

static void release_one(struct cuda *cuda, const struct cuda_memory *memory)
{
    if (memory->mapped)
        munmap(memory->host, memory->mapped);
    else if (memory->kind != KIND_REGISTERED && memory->kind != KIND_MAPPED)
        free(memory->data);
    if (counts(memory->kind))
        cuda->gpus[memory->gpu].used_bytes -= memory->bytes;
}

// Frees an allocation. Requires that no work uses it.
static void free_now(struct cuda *cuda, uint64_t address)
{
    uint32_t above = find_above(cuda, address);
    struct cuda_memory memory = cuda->heap.memories.v[above - 1];
    if (cuda->recorded)
        record_end(cuda);
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        device_free(cuda->gpus[i].device, address - memory.slack);
    release_one(cuda, &memory);
    cuda->heap.memories.n--;
    memmove(&cuda->heap.memories.v[above - 1], &cuda->heap.memories.v[above],
            (cuda->heap.memories.n - (above - 1)) * sizeof *cuda->heap.memories.v);
}

void cuda_memory_remap(struct cuda *cuda, uint64_t first, uint64_t bytes, uint8_t *host,
                       const struct cuda_piece *pieces, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        device_remove(cuda->gpus[i].device, first, bytes);
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++)
        if (cuda->heap.memories.v[i].address - first >= bytes)
            cuda->heap.memories.v[kept++] = cuda->heap.memories.v[i];
    cuda->heap.memories.n = kept;
    for (uint32_t i = 0; i < count; i++) {
        struct cuda_memory memory = {.address = pieces[i].address,
                                     .bytes = pieces[i].bytes,
                                     .kind = KIND_MAPPED,
                                     .gpu = pieces[i].gpu,
                                     .access = pieces[i].access};
        add_memory(cuda, memory, host + (memory.address - first));
    }
}

int cuda_memory_free(struct cuda *cuda, uint64_t address, unsigned kinds)
{
    int error = cuda_begin(cuda);
    if (error || !address)
        return error;
    const struct cuda_memory *memory = cuda_memory_at(cuda, address);
    if (!memory || memory->address != address || !(kinds >> memory->kind & 1))
        return cudaErrorInvalidValue;
    if (memory->of_graph)
        return cudaSuccess;
    error = cuda_synchronise(cuda); // works may use it
    if (error != cudaErrorNotPermitted)
        free_now(cuda, address);
    return error;
}

int cuda_memory_free_later(struct cuda *cuda, uint64_t address)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, address);
    if (!memory || memory->address != address || memory->kind != KIND_DEVICE)
        return cudaErrorInvalidValue;
    if (!memory->of_graph)
        vec_push(&cuda->arena, &cuda->heap.to_free, address);
    return cudaSuccess;
}

void cuda_memory_free_ended(struct cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->heap.to_free.n; i++)
        free_now(cuda, cuda->heap.to_free.v[i]);
    cuda->heap.to_free.n = 0;
}

void cuda_memory_reset(struct cuda *cuda)
{
    cuda_memory_free_ended(cuda);
    for (uint32_t i = cuda->heap.memories.n; i--;) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        if (memory->gpu != cuda->gpu->number || memory->kind == KIND_MAPPED)
            continue;
        if (memory->pool)
            memory->pool->used -= memory->bytes;
        free_now(cuda, memory->address);
    }
}

int cuda_memory_register(struct cuda *cuda, void *host, uint64_t bytes)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (!host || !bytes)
        return cudaErrorInvalidValue;
    if (cuda_memory_of_host(cuda, host))
        return cudaErrorHostMemoryAlreadyRegistered;
    struct cuda_memory memory = {
        .bytes = bytes, .kind = KIND_REGISTERED, .gpu = cuda->gpu->number, .host = host};
    memory.address = device_next(cuda->gpu->device, bytes, PAGE);
    add_memory(cuda, memory, host);
    return cudaSuccess;
}

int cuda_memory_unregister(struct cuda *cuda, const void *host)
{
    struct cuda_memory *memory = cuda_memory_of_host(cuda, host);
    if (!memory || memory->host != host)
        return cudaErrorHostMemoryNotRegistered;
    return cuda_memory_free(cuda, memory->address, 1u << KIND_REGISTERED);
}

int cuda_memory_share_variables(struct cuda *cuda)
{
    const struct program *program = cuda->gpu->device->program;
    for (uint32_t i = 0; i < program->variables.n; i++) {
        uint64_t address = program->variables.v[i].address, bytes = program->variables.v[i].bytes;
        uint64_t first = address / PAGE * PAGE, end = align_up(address + bytes, PAGE);
        // Adjacent variables share pages, which are mapped once.
        if (cuda->heap.shared_until > first)
            first = cuda->heap.shared_until;
        if (end > first && !map_at(first, end - first))
            return cudaErrorMemoryAllocation;
        if (end > cuda->heap.shared_until)
            cuda->heap.shared_until = end;
        device_move(cuda->gpu->device, address, (uint8_t *)address);
    }
    if (cuda->heap.shared_until)
        device_skip(cuda->gpu->device, cuda->heap.shared_until);
    return cudaSuccess;
}

void cuda_memory_release(struct cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        if (!memory->mapped && memory->kind != KIND_REGISTERED && memory->kind != KIND_MAPPED)
            free(memory->data);
    }
    cuda->heap.memories.n = 0;
}
