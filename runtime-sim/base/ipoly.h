// Hashes by the residue of a number modulo an irreducible polynomial over GF(2) [Rau,
// "Pseudo-randomly interleaved memory", 1991].
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { IPOLY_DEGREES = 21 };

// Irreducible polynomials by degree, without their highest term. Bit i is the coefficient of x^i.
static const uint16_t ipoly_terms[IPOLY_DEGREES] = {
    0, 1, 3, 3, 3, 5, 3, 3, 0x1b, 0x11, 9, 5, 0x53, 0x1b, 0x443, 3, 0x100b, 9, 0x81, 0x27, 9,
};

// Returns the residue of a number, below 2^degree. Requires a degree below IPOLY_DEGREES.
static inline uint32_t ipoly_residue(uint32_t degree, uint64_t number)
{
    uint64_t low = (UINT64_C(1) << degree) - 1;
    if (!degree)
        return 0;
    while (number > low) { // x^degree is congruent to the lower terms
        uint64_t high = number >> degree;
        number &= low;
        for (uint32_t terms = ipoly_terms[degree]; terms; terms &= terms - 1)
            number ^= high << __builtin_ctz(terms);
    }
    return (uint32_t)number;
}

// Distributes numbers over `count` places, at most 2^20. Of the numbers with the same quotient by
// `count`, each place gets one. For a power of two the place is the residue of the number; else it
// is the number plus the residue of the quotient, modulo `count`.
static inline uint32_t ipoly_place(uint32_t count, uint64_t number)
{
    bool is_power = !(count & (count - 1));
    uint32_t degree = count > 1 ? 32 - (uint32_t)__builtin_clz(count - 1) : 0;
    if (is_power)
        return ipoly_residue(degree, number);
    return (uint32_t)((number % count + ipoly_residue(degree, number / count)) % count);
}

// Returns the lowest part of the number with this place and quotient: its remainder by `count`.
static inline uint32_t ipoly_remainder(uint32_t count, uint32_t place, uint64_t quotient)
{
    bool is_power = !(count & (count - 1));
    uint32_t shift = ipoly_place(count, quotient * count);
    return is_power ? place ^ shift : (place + count - shift) % count;
}
