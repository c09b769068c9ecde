// The inner loops of memory instructions. Compiled once per instruction set, like the lanes.
#pragma once
#include "runtime-sim/exec/decode/code.h"

// Minimum and maximum address of the lanes in `mask` (not 0), and the disjunction of all their
// bits.
struct span {
    uint64_t min, max, bits;
};

struct memory_ops {
    // Computes address = base + offset from lanes of 4 bytes, which wrap at 32 bits, or 8 bytes;
    // without a base from 0. Returns the span of the lanes in `mask`.
    struct span (*addresses)(uint64_t *address, const void *base, uint32_t base_width,
                             uint64_t offset, uint32_t mask);
    struct span (*span)(const uint64_t *address, uint32_t mask);
    // Returns true if each of the 32 addresses exceeds that of the previous lane by `bytes`.
    bool (*in_a_row)(const uint64_t *address, uint64_t bytes);
    // Loads lanes of `width` bytes from `bytes` bytes at host + address − least. Extends them by
    // sign or zero; narrower lanes get the low part.
    void (*load)(void *lanes, uint32_t width, const uint8_t *host, uint64_t min,
                 const uint64_t *address, uint32_t mask, uint32_t bytes, bool sign);
    // Stores the low `bytes` bytes of lanes of `width` bytes, in the order of the lanes; zeros for
    // bytes that the lane does not have.
    void (*store)(const void *lanes, uint32_t width, uint8_t *host, uint64_t min,
                  const uint64_t *address, uint32_t mask, uint32_t bytes);
    // Copies the lanes in `mask`.
    void (*blend)(void *to, const void *from, uint32_t mask, uint32_t width);
};
