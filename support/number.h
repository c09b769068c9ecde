// Numbers as text.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT = 40 };

// The decimal digits, not terminated. Returns how many.
size_t number_uint(char text[NUMBER_TEXT], uint64_t value);
// The shortest decimal that reads back as the same value; whole numbers below 10^15 without an
// exponent. Not for infinities and NaN.
void number_shortest(char text[NUMBER_TEXT], double value);
