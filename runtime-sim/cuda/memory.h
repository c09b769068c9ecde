// Memory of the device and of the host as the program has allocated it.
//
// Device memory has addresses of the simulator and bytes elsewhere in this process. Managed and
// pinned memory, which host and kernels share, has its bytes at the same addresses.
#pragma once
#include "runtime-sim/cuda/cuda.h"

// Allocates memory. Returns an error; *address is 0 for 0 bytes.
int cuda_memory_allocate(struct cuda *cuda, enum cuda_memory_kind kind, uint64_t bytes,
                         uint64_t *address);
// Frees the allocation that begins there, which must be of one of the kinds, given as bits.
int cuda_memory_free(struct cuda *cuda, uint64_t address, unsigned kinds);
// The same, when the works that were issued have run.
int cuda_memory_free_later(struct cuda *cuda, uint64_t address);
void cuda_memory_free_ended(struct cuda *cuda);
// Makes host memory accessible to kernels, at an address of its own.
int cuda_memory_register(struct cuda *cuda, void *host, uint64_t bytes);
int cuda_memory_unregister(struct cuda *cuda, const void *host);
// Returns the allocation that contains the address, or NULL.
struct cuda_memory *cuda_memory_at(struct cuda *cuda, uint64_t address);
// Returns the registered memory that contains the host's address, or NULL.
struct cuda_memory *cuda_memory_of_host(struct cuda *cuda, const void *host);
// Returns true if copies from or to this address are those of device memory.
bool cuda_memory_is_device(struct cuda *cuda, const void *at);
// Returns true if the address is one of the simulator's, but in no allocation.
bool cuda_memory_is_gone(struct cuda *cuda, const void *at);
// Moves the variables of the program to memory that the host accesses at the same addresses.
int cuda_memory_share_variables(struct cuda *cuda);
// Returns all memory to the system.
void cuda_memory_release(struct cuda *cuda);
