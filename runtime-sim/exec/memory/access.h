// A warp's access to memory, in three steps: addresses and mask; the access itself, made by the
// functional executor or by the machine; write-back.
#pragma once
#include "runtime-sim/exec/lanes/memory_ops.h"

// A decoded address of a memory instruction.
struct memory_code {
    uint16_t space;    // isa_word: W_global, W_shared, W_local; W_UNKNOWN: generic; W_param: the
                       // space of a kernel's parameter address or of a call's argument
    uint16_t type;     // of one element in memory
    uint16_t order;    // isa_word of .volatile, .relaxed …, or W_weak
    uint16_t scope;    // isa_word of .cta, .gpu …, or W_UNKNOWN
    uint16_t cache[4]; // cache operators and hints, then W_UNKNOWN
    uint32_t policy;   // slot of the cache policy, SLOT_NONE
    uint8_t bytes;     // of one element in memory
    uint8_t elements;
    uint8_t base_width; // of the address register; 0: no register
    bool sign;          // a loaded element is sign-extended
    bool in_frame;      // `offset` is relative to the function's part of local memory
    bool parameter;     // a parameter of a function or a call, which the caller writes
    uint32_t base;      // slot of the address register, SLOT_NONE
    int64_t offset;
};

enum { ACCESS_ELEMENTS = 8 };

// One instruction's access by the lanes of `mask`.
struct access {
    const struct code *code;
    const struct memory_code *memory;
    uint32_t mask;
    uint32_t bytes; // bytes of all elements of a lane
    bool reads, writes;
    bool atomic;                 // read and write are indivisible
    bool discards;               // neither read nor written: its bytes are not needed any more
    bool plain;                  // ld, st: `data` is read or written directly
    struct span span;            // span of the addresses
    uint32_t local, local_end;   // the function's part of local memory; its end
    uint32_t function;           // program function
    uint64_t address[LANES];     // address in the space
    void *data[ACCESS_ELEMENTS]; // lanes that are read or written, by element
    uint8_t width[ACCESS_ELEMENTS];
};

struct cta;
struct path;
struct warp;

// The target of one lane's address.
struct spot {
    uint16_t space;   // W_global, W_shared, W_local
    uint64_t address; // address in this space
    struct cta *cta;  // CTA that owns the shared memory
    uint8_t *host;    // address in the host's memory
};

// Computes the addresses of `memory` for the lanes of `mask`; each accesses `bytes` bytes.
void access_addresses(struct warp *warp, const struct path *path, const struct code *code,
                      const struct memory_code *memory, uint32_t mask, uint32_t bytes,
                      struct access *access);
// Describes the place of an address of global or shared memory; "" for other spaces.
void access_describe(const struct warp *warp, uint16_t space, uint64_t address, char *to,
                     size_t size);
// Resolves an address that is generic or of a parameter to its space, and the address in that.
void access_settle(const struct cta *cta, struct spot *spot);
// Finds `bytes` bytes of one lane, which must lie in one live allocation, aligned to the smallest
// power of two that holds them, or to `align`. Returns false with the reason in warp->fault.
bool access_find(struct warp *warp, const struct access *access, uint32_t lane, uint64_t bytes,
                 uint32_t align, struct spot *spot);
