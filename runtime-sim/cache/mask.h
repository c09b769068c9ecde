// A set of bytes of a line.
#pragma once
#include "support/bits.h"

enum { MASK_WORDS = 2, MASK_BYTES = 64 * MASK_WORDS };

struct mask {
    uint64_t w[MASK_WORDS];
};

// Returns the bytes [from, until).
static inline struct mask mask_range(uint32_t from, uint32_t until)
{
    struct mask m;
    for (uint32_t i = 0; i < MASK_WORDS; i++) {
        uint32_t low = from > 64 * i ? from - 64 * i : 0;
        uint32_t high = until > 64 * i ? until - 64 * i : 0;
        uint64_t below_high = high >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << high) - 1;
        uint64_t below_low = low >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << low) - 1;
        m.w[i] = below_high & ~below_low;
    }
    return m;
}

// Returns the union.
static inline struct mask mask_or(struct mask a, struct mask b)
{
    return (struct mask){{a.w[0] | b.w[0], a.w[1] | b.w[1]}};
}

// Returns the bytes of `a` that are not in `b`.
static inline struct mask mask_without(struct mask a, struct mask b)
{
    return (struct mask){{a.w[0] & ~b.w[0], a.w[1] & ~b.w[1]}};
}

// Returns true if the set is not empty.
static inline bool mask_any(struct mask m)
{
    return m.w[0] | m.w[1];
}

// Returns true if `part` is a subset of `whole`.
static inline bool mask_within(struct mask part, struct mask whole)
{
    return !mask_any(mask_without(part, whole));
}

// Returns true if the sets intersect.
static inline bool mask_intersects(struct mask a, struct mask b)
{
    return (a.w[0] & b.w[0]) | (a.w[1] & b.w[1]);
}

// Handles the usual cases, no bit or all bits set, separately.
static inline uint32_t mask_count_word(uint64_t word)
{
    if (!word || !~word)
        return word ? 64 : 0;
    return bits_count(word);
}

// Returns the number of bytes.
static inline uint32_t mask_count(struct mask m)
{
    return mask_count_word(m.w[0]) + mask_count_word(m.w[1]);
}

// Convert to a set of 4-byte words, one bit each, with the words whose bytes are all in the set,
// and back.
static inline uint32_t mask_to_words(struct mask m)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < MASK_BYTES / 4; i++)
        words |= (uint32_t)((m.w[i / 16] >> i % 16 * 4 & 15) == 15) << i;
    return words;
}

// Returns the bytes of a set of 4-byte words.
static inline struct mask mask_of_words(uint32_t words)
{
    struct mask m = {{0}};
    for (uint32_t rest = words; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(rest);
        m.w[i / 16] |= UINT64_C(15) << i % 16 * 4;
    }
    return m;
}
