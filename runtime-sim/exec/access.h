// A warp's access to memory, in three steps: addresses and mask; the access itself, made by whoever
// owns the time; write-back.
#pragma once
#include "runtime-sim/exec/memory_ops.h"

// What a memory instruction says, decoded.
struct memory_code {
    uint16_t space;    // isa_word; W_UNKNOWN: generic
    uint16_t type;     // of one element in memory
    uint16_t order;    // isa_word of .volatile, .relaxed …, or W_weak
    uint16_t cache[4]; // cache operators and hints, W_UNKNOWN behind the last
    uint8_t bytes;     // of one element in memory
    uint8_t elements;
    uint8_t base_width; // of the address register; 0: none
    bool sign;          // a loaded element is extended by its sign
    bool in_frame;      // `offset` counts from the function's part of local memory
    uint32_t base;      // slot of the address register, SLOT_NONE
    int64_t offset;
};

enum { ACCESS_ELEMENTS = 8 };

// One instruction's access by the lanes of `mask`.
struct access {
    const struct code *code;
    uint32_t mask;
    uint32_t bytes; // of all elements of a lane
    bool writes;
    struct span span;            // of the addresses
    uint64_t address[LANES];     // as the space counts
    void *data[ACCESS_ELEMENTS]; // lanes that are read or written, per element
    uint8_t width[ACCESS_ELEMENTS];
};
