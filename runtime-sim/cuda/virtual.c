// Virtual memory management of the driver: addresses are reserved, memory is created, and mapped to
// addresses. Memory is a file in this process's memory, so that a mapping is one of the operating
// system, and two mappings of the same memory have the same bytes. Kernels can access what is
// mapped and accessible; adjacent pieces are one allocation.
#include "runtime-sim/cuda/memory.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULE = 2 << 20, ACCESS_NONE = 0 };

struct cuda_physical {
    int file;
    uint32_t gpu; // number of the device that has it
    uint64_t bytes;
    uint32_t references; // of the program's handle, and of mappings
    struct driver_physical properties;
};

struct virtual_mapping {
    uint64_t address, bytes;
    struct cuda_physical *physical;
    uint8_t access[HOST_GPUS]; // by device
};

struct cuda_reservation {
    uint64_t address, bytes;
    uint8_t *host;
    VEC(struct virtual_mapping) mappings; // by address
};

static struct cuda_reservation *reservation_at(struct cuda *cuda, uint64_t address, uint64_t bytes)
{
    for (uint32_t i = 0; i < cuda->virtual.reservations.n; i++) {
        struct cuda_reservation *at = cuda->virtual.reservations.v[i];
        uint64_t offset = address - at->address;
        if (offset < at->bytes && bytes <= at->bytes - offset)
            return at;
    }
    return NULL;
}

static struct cuda_physical *physical_of(struct cuda *cuda, uint64_t handle)
{
    for (uint32_t i = 0; i < cuda->virtual.physicals.n; i++)
        if ((uintptr_t)cuda->virtual.physicals.v[i] == handle)
            return cuda->virtual.physicals.v[i];
    return NULL;
}

CUDA_API(cuMemGetAllocationGranularity, size_t *bytes, const struct driver_physical *properties,
         int which)
{
    CUDA_NEEDS(bytes && properties);
    (void)which;
    *bytes = GRANULE;
    return CUDA_DO(cudaSuccess);
}

static int reserve(struct cuda *cuda, uint64_t *to, uint64_t bytes, uint64_t align)
{
    int error = cuda_begin(cuda);
    if (error || !bytes || bytes % GRANULE || align & (align - 1))
        return error ? error : cudaErrorInvalidValue;
    uint64_t address = device_next(cuda->gpu->device, bytes, align > GRANULE ? align : GRANULE);
    void *host =
        address ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                : MAP_FAILED;
    if (host == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    struct cuda_reservation *made = ARENA_NEW(&cuda->arena, struct cuda_reservation);
    *made = (struct cuda_reservation){.address = address, .bytes = bytes, .host = host};
    vec_push(&cuda->arena, &cuda->virtual.reservations, made);
    device_skip(cuda->gpu->device, address + bytes);
    *to = address;
    return cudaSuccess;
}

// The requested address is a hint, which the manual allows to ignore.
CUDA_API(cuMemAddressReserve, uint64_t *to, size_t bytes, size_t align, uint64_t requested,
         unsigned long long flags)
{
    CUDA_NEEDS(to);
    (void)requested;
    (void)flags;
    return CUDA_DO(reserve(cuda, to, bytes, align));
}

static int release_addresses(struct cuda *cuda, uint64_t address, uint64_t bytes)
{
    for (uint32_t i = 0; i < cuda->virtual.reservations.n; i++) {
        struct cuda_reservation *at = cuda->virtual.reservations.v[i];
        if (at->address != address || at->bytes != bytes || at->mappings.n)
            continue;
        munmap(at->host, at->bytes);
        cuda->virtual.reservations.v[i] = cuda->virtual.reservations
                                              .v[--cuda->virtual.reservations.n];
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

CUDA_API(cuMemAddressFree, uint64_t address, size_t bytes)
{
    return CUDA_DO(release_addresses(cuda, address, bytes));
}

static int create(struct cuda *cuda, uint64_t *to, uint64_t bytes,
                  const struct driver_physical *properties)
{
    int error = cuda_begin(cuda);
    if (error || !bytes || bytes % GRANULE)
        return error ? error : cudaErrorInvalidValue;
    if (properties->location.id < 0 || (uint32_t)properties->location.id >= cuda->gpu_count)
        return cudaErrorInvalidDevice;
    struct cuda_gpu *gpu = &cuda->gpus[properties->location.id];
    if (bytes > cuda->options.device_bytes - gpu->used_bytes)
        return cudaErrorMemoryAllocation;
    int file = memfd_create("device memory", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)bytes)) {
        close(file);
        file = -1;
    }
    if (file < 0)
        return cudaErrorMemoryAllocation;
    struct cuda_physical *made = ARENA_NEW(&cuda->arena, struct cuda_physical);
    *made = (struct cuda_physical){file, gpu->number, bytes, 1, *properties};
    vec_push(&cuda->arena, &cuda->virtual.physicals, made);
    gpu->used_bytes += bytes;
    *to = (uintptr_t)made;
    return cudaSuccess;
}

CUDA_API(cuMemCreate, uint64_t *handle, size_t bytes, const struct driver_physical *properties,
         unsigned long long flags)
{
    CUDA_NEEDS(handle && properties);
    (void)flags;
    return CUDA_DO(create(cuda, handle, bytes, properties));
}

// Memory ends with its last mapping.
static int drop(struct cuda *cuda, struct cuda_physical *physical)
{
    if (!physical)
        return cudaErrorInvalidValue;
    if (--physical->references)
        return cudaSuccess;
    close(physical->file);
    cuda->gpus[physical->gpu].used_bytes -= physical->bytes;
    for (uint32_t i = 0; i < cuda->virtual.physicals.n; i++)
        if (cuda->virtual.physicals.v[i] == physical)
            cuda->virtual.physicals.v[i] = cuda->virtual.physicals.v[--cuda->virtual.physicals.n];
    return cudaSuccess;
}

// Frees the program's handles of the current device's memory, which is kept while other devices'
// addresses are mapped to it.
static void drop_handles(struct cuda *cuda)
{
    for (uint32_t i = cuda->virtual.physicals.n; i--;) {
        struct cuda_physical *physical = cuda->virtual.physicals.v[i];
        if (physical->gpu != cuda->gpu->number)
            continue;
        physical->references = 1;
        for (uint32_t k = 0; k < cuda->virtual.reservations.n; k++) {
            const struct cuda_reservation *at = cuda->virtual.reservations.v[k];
            for (uint32_t m = 0; m < at->mappings.n; m++)
                physical->references += at->mappings.v[m].physical == physical;
        }
        drop(cuda, physical);
    }
}

void cuda_virtual_reset(struct cuda *cuda)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cuda->virtual.reservations.n; i++) {
        struct cuda_reservation *at = cuda->virtual.reservations.v[i];
        if (at->address - cuda->gpu->device->first >= DEVICE_ROOM) {
            cuda->virtual.reservations.v[kept++] = at;
            continue;
        }
        cuda_memory_remap(cuda, at->address, at->bytes, at->host, NULL, 0);
        munmap(at->host, at->bytes);
        for (uint32_t k = 0; k < at->mappings.n; k++)
            drop(cuda, at->mappings.v[k].physical);
    }
    cuda->virtual.reservations.n = kept;
    drop_handles(cuda);
}

CUDA_API(cuMemRelease, uint64_t handle)
{
    return CUDA_DO(drop(cuda, physical_of(cuda, handle)));
}

static uint32_t access_set(const struct virtual_mapping *mapping)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < HOST_GPUS; i++)
        set |= (uint32_t)(mapping->access[i] != ACCESS_NONE) << i;
    return set;
}

// Makes the accessible mappings known to the simulator.
static void publish(struct cuda *cuda, struct cuda_reservation *at)
{
    struct cuda_piece *pieces = ARENA_ARRAY(&cuda->arena, struct cuda_piece, at->mappings.n + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < at->mappings.n; i++) {
        const struct virtual_mapping *mapping = &at->mappings.v[i];
        struct cuda_piece *last = count ? &pieces[count - 1] : NULL;
        uint32_t access = access_set(mapping);
        if (!access)
            continue;
        if (last && last->address + last->bytes == mapping->address && last->access == access &&
            last->gpu == mapping->physical->gpu)
            last->bytes += mapping->bytes;
        else
            pieces[count++] = (struct cuda_piece){mapping->address, mapping->bytes,
                                                  mapping->physical->gpu, access};
    }
    cuda_memory_remap(cuda, at->address, at->bytes, at->host, pieces, count);
}

static bool is_free(const struct cuda_reservation *at, uint64_t address, uint64_t bytes)
{
    for (uint32_t i = 0; i < at->mappings.n; i++)
        if (address < at->mappings.v[i].address + at->mappings.v[i].bytes &&
            at->mappings.v[i].address < address + bytes)
            return false;
    return true;
}

static void insert(struct cuda *cuda, struct cuda_reservation *at, struct virtual_mapping mapping)
{
    vec_push(&cuda->arena, &at->mappings, mapping);
    uint32_t i = at->mappings.n - 1;
    for (; i && at->mappings.v[i - 1].address > mapping.address; i--)
        at->mappings.v[i] = at->mappings.v[i - 1];
    at->mappings.v[i] = mapping;
}

static int map(struct cuda *cuda, uint64_t address, uint64_t bytes, uint64_t offset,
               uint64_t handle)
{
    struct cuda_reservation *at = reservation_at(cuda, address, bytes);
    struct cuda_physical *physical = physical_of(cuda, handle);
    if (!at || !physical || !bytes || (address | bytes | offset) % GRANULE ||
        offset > physical->bytes || bytes > physical->bytes - offset ||
        !is_free(at, address, bytes))
        return cudaErrorInvalidValue;
    uint8_t *host = at->host + (address - at->address);
    if (mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file,
             (off_t)offset) == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    physical->references++;
    insert(cuda, at, (struct virtual_mapping){address, bytes, physical, {ACCESS_NONE}});
    return cudaSuccess;
}

CUDA_API(cuMemMap, uint64_t address, size_t bytes, size_t offset, uint64_t handle,
         unsigned long long flags)
{
    (void)flags;
    return CUDA_DO(map(cuda, address, bytes, offset, handle));
}

// Returns true if mappings cover the range, each wholly or not at all. Sets *first and *count.
static bool find_mappings(const struct cuda_reservation *at, uint64_t address, uint64_t bytes,
                          uint32_t *first, uint32_t *count)
{
    uint64_t next = address;
    *count = 0;
    for (uint32_t i = 0; i < at->mappings.n && next < address + bytes; i++) {
        if (at->mappings.v[i].address < address)
            continue;
        if (at->mappings.v[i].address != next)
            return false;
        *first = *count ? *first : i;
        *count += 1;
        next += at->mappings.v[i].bytes;
    }
    return *count && next == address + bytes;
}

static int unmap(struct cuda *cuda, uint64_t address, uint64_t bytes)
{
    struct cuda_reservation *at = reservation_at(cuda, address, bytes);
    uint32_t first, count;
    if (!at || !find_mappings(at, address, bytes, &first, &count))
        return cudaErrorInvalidValue;
    int error = cuda_synchronise(cuda); // works may use it
    mmap(at->host + (address - at->address), bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    for (uint32_t i = first; i < first + count; i++)
        drop(cuda, at->mappings.v[i].physical);
    at->mappings.n -= count;
    memmove(&at->mappings.v[first], &at->mappings.v[first + count],
            (at->mappings.n - first) * sizeof *at->mappings.v);
    publish(cuda, at);
    return error;
}

CUDA_API(cuMemUnmap, uint64_t address, size_t bytes)
{
    return CUDA_DO(unmap(cuda, address, bytes));
}

static int set_access(struct cuda *cuda, uint64_t address, uint64_t bytes,
                      const struct cuda_access *list, size_t accesses)
{
    struct cuda_reservation *at = reservation_at(cuda, address, bytes);
    uint32_t first, count;
    if (!at || !find_mappings(at, address, bytes, &first, &count))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < accesses; i++)
        if (list[i].location.id < 0 || (uint32_t)list[i].location.id >= cuda->gpu_count)
            return cudaErrorInvalidDevice;
    int error = cuda_synchronise(cuda);
    for (size_t i = 0; i < accesses; i++)
        for (uint32_t k = first; k < first + count; k++)
            at->mappings.v[k].access[list[i].location.id] = (uint8_t)list[i].flags;
    publish(cuda, at);
    return error;
}

// Memory that kernels may only read is writable here.
CUDA_API(cuMemSetAccess, uint64_t address, size_t bytes, const struct cuda_access *list,
         size_t count)
{
    CUDA_NEEDS(list);
    return CUDA_DO(set_access(cuda, address, bytes, list, count));
}

static const struct virtual_mapping *mapping_at(struct cuda *cuda, uint64_t address)
{
    const struct cuda_reservation *at = reservation_at(cuda, address, 1);
    for (uint32_t i = 0; at && i < at->mappings.n; i++)
        if (address - at->mappings.v[i].address < at->mappings.v[i].bytes)
            return &at->mappings.v[i];
    return NULL;
}

static int get_access(struct cuda *cuda, unsigned long long *flags, uint64_t address,
                      const struct cuda_location *location)
{
    const struct virtual_mapping *mapping = mapping_at(cuda, address);
    if (!mapping || location->id < 0 || (uint32_t)location->id >= cuda->gpu_count)
        return cudaErrorInvalidValue;
    *flags = mapping->access[location->id];
    return cudaSuccess;
}

CUDA_API(cuMemGetAccess, unsigned long long *flags, const struct cuda_location *location,
         uint64_t address)
{
    CUDA_NEEDS(flags && location);
    return CUDA_DO(get_access(cuda, flags, address, location));
}

static int retain(struct cuda *cuda, uint64_t *handle, uint64_t address)
{
    const struct virtual_mapping *mapping = mapping_at(cuda, address);
    if (!mapping)
        return cudaErrorInvalidValue;
    mapping->physical->references++;
    *handle = (uintptr_t)mapping->physical;
    return cudaSuccess;
}

CUDA_API(cuMemRetainAllocationHandle, uint64_t *handle, void *address)
{
    CUDA_NEEDS(handle);
    return CUDA_DO(retain(cuda, handle, (uintptr_t)address));
}

static int get_properties(struct cuda *cuda, struct driver_physical *to, uint64_t handle)
{
    const struct cuda_physical *physical = physical_of(cuda, handle);
    if (!physical)
        return cudaErrorInvalidValue;
    *to = physical->properties;
    return cudaSuccess;
}

CUDA_API(cuMemGetAllocationPropertiesFromHandle, struct driver_physical *to, uint64_t handle)
{
    CUDA_NEEDS(to);
    return CUDA_DO(get_properties(cuda, to, handle));
}
