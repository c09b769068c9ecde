// Round-robin selection of bits in masks.
#pragma once
#include <stdint.h>

#define MASK_EACH(index, mask)                                                                     \
    for (uint64_t left_##index = (mask), index;                                                    \
         left_##index && (index = (uint64_t)__builtin_ctzll(left_##index), 1);                     \
         left_##index &= left_##index - 1)

// Returns the first set bit at or after `from`, else the first set bit. Requires a non-empty mask.
static inline uint32_t mask_turn(uint64_t mask, uint32_t from)
{
    uint64_t above = mask & ~UINT64_C(0) << (from & 63);
    return (uint32_t)__builtin_ctzll(above ? above : mask);
}

// Returns the result of mask_turn for a mask of several words.
static inline uint32_t mask_turn_words(const uint64_t *mask, uint32_t words, uint32_t from)
{
    if (words == 1)
        return mask_turn(*mask, from);
    uint32_t word = from / 64 < words ? from / 64 : 0;
    uint64_t rest = mask[word] & ~UINT64_C(0) << (from & 63);
    for (uint32_t i = 0; !rest; i++) {
        word = word + 1 < words ? word + 1 : 0;
        rest = mask[word];
        if (i > words)
            return 0;
    }
    return word * 64 + (uint32_t)__builtin_ctzll(rest);
}

// Sets a bit of a mask of several words.
static inline void mask_set(uint64_t *mask, uint32_t index)
{
    mask[index / 64] |= UINT64_C(1) << index % 64;
}

// Clears a bit of a mask of several words.
static inline void mask_clear(uint64_t *mask, uint32_t index)
{
    mask[index / 64] &= ~(UINT64_C(1) << index % 64);
}
