// Converts numbers to text.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT = 40 };

// Writes the decimal digits without a terminator. Returns their number.
size_t number_uint(char text[NUMBER_TEXT], uint64_t value);
// Writes the same text as number_shortest for whole numbers below 10^15, and for values from 10^-4
// to 10^9 that read back from six decimals. Returns false for other values, with `text` undefined.
bool number_decimal(char text[NUMBER_TEXT], double value);
// Writes the shortest decimal that reads back as the same value; whole numbers below 10^15 without
// an exponent. Requires a finite value.
void number_shortest(char text[NUMBER_TEXT], double value);
