// Unsigned minimum and maximum, rounding up, and array lengths.
#pragma once
#include <stdint.h>

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof *(array))

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Returns a / b, rounded up. Requires that a + b - 1 does not overflow.
static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

// Returns the smallest multiple of `to` that is at least `value`.
static inline uint64_t align_up(uint64_t value, uint64_t to)
{
    return divide_up(value, to) * to;
}

// Returns the greatest common divisor; that of a and 0 is a.
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
