// The inner loops of memory instructions, compiled for each instruction set like the lanes.
#pragma once
#include "runtime-sim/exec/decode/code.h"

// Least and most address of the lanes in `mask` (not 0), and all their bits together.
struct span {
    uint64_t least, most, bits;
};

struct memory_ops {
    // address = base + offset, from lanes of 4 bytes (which wrap at 32 bits) or 8; none: all 0.
    // Returns the span of the lanes in `mask`.
    struct span (*addresses)(uint64_t *address, const void *base, uint32_t base_width,
                             uint64_t offset, uint32_t mask);
    struct span (*span)(const uint64_t *address, uint32_t mask);
    // Returns true if each of the 32 addresses is `bytes` above that of the lane before.
    bool (*in_a_row)(const uint64_t *address, uint64_t bytes);
    // Lanes of `width` bytes from `bytes` bytes at host + address − least, extended by sign or
    // zero; a narrower lane takes the low part.
    void (*load)(void *lanes, uint32_t width, const uint8_t *host, uint64_t least,
                 const uint64_t *address, uint32_t mask, uint32_t bytes, bool sign);
    // The low `bytes` bytes of lanes of `width` bytes, in the order of the lanes; zeros where the
    // lane is narrower.
    void (*store)(const void *lanes, uint32_t width, uint8_t *host, uint64_t least,
                  const uint64_t *address, uint32_t mask, uint32_t bytes);
    // to = from in the lanes of `mask`.
    void (*blend)(void *to, const void *from, uint32_t mask, uint32_t width);
};
