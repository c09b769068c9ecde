// Formatted text as by the C library, but several times as fast for the formats of reports and
// remarks.
#pragma once
#include <stdarg.h>
#include <stddef.h>

// As vsnprintf: writes up to `room` bytes with the final 0, and returns the length of the whole
// text. Handles %s, %u and %d of all lengths, and %g of up to 15 digits if six decimals represent
// the value; other formats go to vsnprintf.
__attribute__((format(printf, 3, 0))) size_t format_text(char *to, size_t room, const char *format,
                                                         va_list args);
