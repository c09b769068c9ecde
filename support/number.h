// Numbers as text.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT = 40 };

// The decimal digits, not terminated. Returns how many.
size_t number_uint(char text[NUMBER_TEXT], uint64_t value);
// The same as number_shortest for whole numbers below 10^15, and for values from 10^-4 to 10^9 that
// six decimals say exactly enough to read them back. False, and the text is undefined: of others.
bool number_decimal(char text[NUMBER_TEXT], double value);
// The shortest decimal that reads back as the same value; whole numbers below 10^15 without an
// exponent. Not for infinities and NaN.
void number_shortest(char text[NUMBER_TEXT], double value);
