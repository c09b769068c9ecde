// A warp's access to memory, in three steps: addresses and mask; the access itself, made by the
// functional executor or by the machine; write-back.
#pragma once
#include "frontend/isa.h"
#include "runtime-sim/exec/decode/code.h"
#include "runtime-sim/exec/lanes/memory_ops.h"

// The decoded address of a memory instruction.
struct memory_code {
    uint16_t space;    // isa_word: W_global, W_shared, W_local; W_UNKNOWN: generic; W_param: the
                       // space of a kernel's parameter address or of a call's argument
    uint16_t type;     // type of one element in memory
    uint16_t order;    // isa_word of .volatile, .relaxed …, or W_weak
    uint16_t scope;    // isa_word of .cta, .gpu …, or W_UNKNOWN
    uint16_t cache[4]; // cache operators and hints, terminated by W_UNKNOWN
    uint32_t policy;   // slot of the cache policy, or REG_SLOT_NONE
    uint8_t bytes;     // bytes of one element in memory
    uint8_t elements;
    uint8_t base_width; // width of the address register; 0: no register
    bool sign;          // a loaded element is sign-extended
    bool in_frame;      // `offset` is relative to the function's part of local memory
    bool parameter;     // a parameter of a function or call, written by the caller
    uint32_t base;      // slot of the address register, or REG_SLOT_NONE
    int64_t offset;
};

enum { ACCESS_ELEMENTS = 8 };

// The access of one instruction by the lanes in `mask`.
struct access {
    const struct code *code;
    const struct memory_code *memory;
    uint32_t mask;
    uint32_t bytes; // bytes of all elements per lane
    bool reads, writes;
    bool atomic;                 // read and write are indivisible
    bool discards;               // neither reads nor writes; its bytes are no longer needed
    bool plain;                  // ld, st: `data` is read or written directly
    struct span span;            // span of the addresses
    uint32_t local, local_end;   // start and end of the function's part of local memory
    uint32_t function;           // program function
    uint64_t address[LANES];     // address in the space
    void *data[ACCESS_ELEMENTS]; // per element: the lanes that are read or written
    uint8_t width[ACCESS_ELEMENTS];
};

struct cta;
struct path;
struct warp;

// The memory that a lane's address refers to.
struct spot {
    uint16_t space;   // W_global, W_shared, W_local
    uint64_t address; // address in this space
    struct cta *cta;  // the CTA that owns the shared memory
    uint8_t *host;    // address in the host's memory
};

// Computes the addresses of `memory` for the lanes in `mask`. Each lane accesses `bytes` bytes.
void access_addresses(struct warp *warp, const struct path *path, const struct code *code,
                      const struct memory_code *memory, uint32_t mask, uint32_t bytes,
                      struct access *access);
// Describes the location of an address in global or shared memory; "" for other spaces.
void access_describe(const struct warp *warp, uint16_t space, uint64_t address, char *to,
                     size_t size);
// Resolves a generic or parameter address to its space and the address in that space.
void access_settle(const struct cta *cta, struct spot *spot);
// Finds `bytes` bytes of one lane. They must be in one live allocation and aligned to the smallest
// power of two that holds them, or to `align`. Returns false and sets warp->fault if they are not.
bool access_find(struct warp *warp, const struct access *access, uint32_t lane, uint64_t bytes,
                 uint32_t align, struct spot *spot);

// Accesses by steps that access memory themselves, for a machine that models their time.

// Addresses from SHARED_STRIDE on are in the shared memory of other CTAs of the cluster.
enum touched_space { TOUCHED_GLOBAL, TOUCHED_SHARED, TOUCHED_LOCAL, TOUCHED_TEXTURE };

// Discarded bytes are no longer needed.
enum touched_use { TOUCHED_READ, TOUCHED_WRITTEN, TOUCHED_DISCARDED };

// One access per lane in `mask`.
struct touched_part {
    uint8_t space; // touched_space
    uint8_t use;   // touched_use
    uint32_t mask;
    uint32_t bytes[LANES];
    uint64_t address[LANES];
};

// Maximum per step: the texels around a position in two levels of a mipmap, with those of other
// faces at the corners of a cube; a copy has a source, a destination and an mbarrier.
enum { TOUCHED_PARTS = 16 };

struct touched {
    uint32_t count;
    struct touched_part *parts;
};

// Returns the touched_space of a state space.
static inline enum touched_space touched_space(uint16_t space)
{
    return space == W_shared ? TOUCHED_SHARED : space == W_local ? TOUCHED_LOCAL : TOUCHED_GLOBAL;
}

// Adds an access of a lane. Its n-th access of a kind is in the n-th part of that kind.
void touched_add(struct touched *touched, enum touched_space space, enum touched_use use,
                 uint32_t lane, uint64_t address, uint32_t bytes);
