// Formats text like the C library, but several times as fast for the formats used in reports and
// remarks.
#pragma once
#include <stdarg.h>
#include <stddef.h>

// Like vsnprintf: writes up to `room` bytes including the final NUL, and returns the length of the
// whole text. Handles %s, %u and %d of all lengths, and %g with up to 15 digits if six decimals
// represent the value; other formats are passed to vsnprintf.
__attribute__((format(printf, 3, 0))) size_t format_text(char *to, size_t room, const char *format,
                                                         va_list args);
