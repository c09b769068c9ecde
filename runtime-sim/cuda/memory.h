// Memory that the program has allocated on the device and on the host.
//
// Device memory has addresses of the simulator, and its bytes are elsewhere in this process. The
// bytes of managed and pinned memory, which the host and kernels share, are at the same addresses.
#pragma once
#include "runtime-sim/cuda/cuda.h"

// Allocates memory. Returns an error. *address is 0 for 0 bytes.
int cuda_memory_allocate(struct cuda *cuda, enum cuda_memory_kind kind, uint64_t bytes,
                         uint64_t *address);
// Frees the allocation that starts at the address, after waiting for all works. Its kind must be in
// `kinds`, one bit for each. Returns an error.
int cuda_memory_free(struct cuda *cuda, uint64_t address, unsigned kinds);
// Frees an allocation when all works issued so far have ended. Returns an error.
int cuda_memory_free_later(struct cuda *cuda, uint64_t address);
// Frees the allocations of cuda_memory_free_later. Requires that no work is open.
void cuda_memory_free_ended(struct cuda *cuda);
// Make host memory accessible to kernels, at an address of its own, and undo this. Return an error.
int cuda_memory_register(struct cuda *cuda, void *host, uint64_t bytes);
int cuda_memory_unregister(struct cuda *cuda, const void *host);
// Returns the allocation that contains the address, or NULL.
struct cuda_memory *cuda_memory_at(struct cuda *cuda, uint64_t address);
// Returns the registered memory that contains the host's address, or NULL.
struct cuda_memory *cuda_memory_of_host(struct cuda *cuda, const void *host);
// Returns the device with the memory at this address. Memory that all devices share counts as that
// of the current device.
struct cuda_gpu *cuda_memory_gpu(struct cuda *cuda, uint64_t address);
// Makes an allocation known to a device whose kernels may access it.
void cuda_memory_show(struct cuda_gpu *gpu, const struct cuda_memory *memory);
// Returns true if copies treat this address as device memory.
bool cuda_memory_is_device(struct cuda *cuda, const void *at);
// Returns true if the address is in the simulator's range but in no allocation, as after a release.
bool cuda_memory_is_gone(struct cuda *cuda, const void *at);
// Moves the program's variables to memory that the host can access at the same addresses. Returns
// an error.
int cuda_memory_share_variables(struct cuda *cuda);
// Replaces the mapped memory of a range of addresses by these pieces, in ascending order, whose
// bytes are at `host` + address - `first`. Requires that no work uses the range.
struct cuda_piece {
    uint64_t address, bytes;
    uint32_t gpu, access; // as in struct cuda_memory
};
void cuda_memory_remap(struct cuda *cuda, uint64_t first, uint64_t bytes, uint8_t *host,
                       const struct cuda_piece *pieces, uint32_t count);
// Frees all memory and addresses of virtual memory management of the current device. Requires that
// no work is open.
void cuda_virtual_reset(struct cuda *cuda);
// Frees all allocations of the current device. Requires that no work is open.
void cuda_memory_reset(struct cuda *cuda);
// Returns all memory to the system.
void cuda_memory_release(struct cuda *cuda);
