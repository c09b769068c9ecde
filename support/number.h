// Converts numbers to text, and formats text. printf has no conversion to the shortest decimal that
// reads back as the same value.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT = 40 };

// Writes the decimal digits without a terminator. Returns their number.
size_t number_uint(char text[NUMBER_TEXT], uint64_t value);
// Writes the same text as number_shortest for whole numbers below 10^15, and for values from 10^-4
// to 10^9 that have up to six decimals, or up to twelve if few binary digits represent them.
// Returns false for other values, with `text` undefined.
bool number_decimal(char text[NUMBER_TEXT], double value);
// Writes the shortest decimal that reads back as the same value; whole numbers below 10^15 without
// an exponent. Requires a finite value.
void number_shortest(char text[NUMBER_TEXT], double value);

// Like vsnprintf, but several times as fast for the formats used in reports and remarks. Writes up
// to `room` bytes including the final NUL, and returns the length of the whole text. Handles %s, %u
// and %d of all lengths, with a precision as %.8s or %.*s, and %g with up to 15 digits if
// number_decimal takes it; other formats are passed to vsnprintf.
__attribute__((format(printf, 3, 0))) size_t format_text(char *to, size_t room, const char *format,
                                                         va_list args);
