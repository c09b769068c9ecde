// Dense sets of small integers as arrays of 64-bit words.
#pragma once
#include "support/arena.h"

// Returns the number of words of a set with `count` possible members.
static inline uint32_t bits_words(uint32_t count)
{
    return (count + 63) / 64;
}

// Returns an empty set with `count` possible members.
static inline uint64_t *bits_new(struct arena *arena, uint32_t count)
{
    return ARENA_ARRAY(arena, uint64_t, bits_words(count));
}

static inline bool bits_test(const uint64_t *bits, uint32_t index)
{
    return bits[index / 64] >> (index % 64) & 1;
}

static inline void bits_set(uint64_t *bits, uint32_t index)
{
    bits[index / 64] |= UINT64_C(1) << (index % 64);
}

static inline void bits_clear(uint64_t *bits, uint32_t index)
{
    bits[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

// Returns the first member at or after `from`, or `count` if no member follows.
static inline uint32_t bits_next(const uint64_t *bits, uint32_t from, uint32_t count)
{
    for (uint32_t word = from / 64; word < bits_words(count); word++) {
        uint64_t rest = bits[word];
        if (word == from / 64)
            rest &= ~UINT64_C(0) << (from % 64);
        if (rest)
            return word * 64 + (uint32_t)__builtin_ctzll(rest);
    }
    return count;
}

// Returns the number of set bits. Without a population-count instruction on the host,
// __builtin_popcountll would be a call.
static inline uint32_t bits_count(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (uint32_t)(word * 0x0101010101010101 >> 56);
}

#define BITS_EACH(index, bits, count)                                                              \
    for (uint32_t index = bits_next(bits, 0, count); index < (count);                              \
         index = bits_next(bits, index + 1, count))
