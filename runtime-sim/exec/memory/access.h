// A warp's access to memory, in three steps: addresses and mask; the access itself, made by whoever
// owns the time; write-back.
#pragma once
#include "runtime-sim/exec/lanes/memory_ops.h"

// What a memory instruction says of one of its addresses, decoded.
struct memory_code {
    uint16_t space;    // isa_word: W_global, W_shared, W_local; W_UNKNOWN: generic; W_param: what a
                       // kernel's address of a parameter or of a call's argument lies in
    uint16_t type;     // of one element in memory
    uint16_t order;    // isa_word of .volatile, .relaxed …, or W_weak
    uint16_t scope;    // isa_word of .cta, .gpu …, or W_UNKNOWN
    uint16_t cache[4]; // cache operators and hints, W_UNKNOWN behind the last
    uint32_t policy;   // slot of the cache policy, SLOT_NONE
    uint8_t bytes;     // of one element in memory
    uint8_t elements;
    uint8_t base_width; // of the address register; 0: none
    bool sign;          // a loaded element is extended by its sign
    bool in_frame;      // `offset` counts from the function's part of local memory
    bool parameter;     // of a function or a call: written by those who call
    uint32_t base;      // slot of the address register, SLOT_NONE
    int64_t offset;
};

enum { ACCESS_ELEMENTS = 8 };

// One instruction's access by the lanes of `mask`.
struct access {
    const struct code *code;
    const struct memory_code *memory;
    uint32_t mask;
    uint32_t bytes; // of all elements of a lane
    bool reads, writes;
    bool atomic;                 // nothing comes between the reading and the writing
    bool plain;                  // ld, st: `data` is what is read or written
    struct span span;            // of the addresses
    uint32_t local, local_end;   // the function's part of local memory; nothing lies behind
    uint32_t function;           // program function
    uint64_t address[LANES];     // as the space counts
    void *data[ACCESS_ELEMENTS]; // lanes that are read or written, per element
    uint8_t width[ACCESS_ELEMENTS];
};

struct cta;
struct path;
struct warp;

// Where one lane's address leads to.
struct spot {
    uint16_t space;   // W_global, W_shared, W_local
    uint64_t address; // in it
    struct cta *cta;  // whose shared memory
    uint8_t *host;    // in this machine's memory
};

// Addresses of `memory` for the lanes of `mask`; `bytes` of each are to be accessed.
void access_addresses(struct warp *warp, const struct path *path, const struct code *code,
                      const struct memory_code *memory, uint32_t mask, uint32_t bytes,
                      struct access *access);
// Where an address of global or shared memory lies, in words; "" for other spaces.
void access_describe(const struct warp *warp, uint16_t space, uint64_t address, char *to,
                     size_t size);
// Where an address leads that is generic or of a parameter: its space, and the address in that.
void access_settle(const struct cta *cta, struct spot *spot);
// Finds `bytes` bytes of one lane, which must lie in one live allocation, aligned to the least
// power of two that holds them, or to `align`. False: warp->fault says why not.
bool access_find(struct warp *warp, const struct access *access, uint32_t lane, uint64_t bytes,
                 uint32_t align, struct spot *spot);
