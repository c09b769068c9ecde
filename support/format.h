// Text by format, as the C library writes it, but several times as fast for what reports and
// remarks are made of.
#pragma once
#include <stdarg.h>
#include <stddef.h>

// As vsnprintf: writes up to `room` bytes, the 0 at the end included, and returns how many
// characters the whole text has. %s, %u and %d of all lengths are done here, and %g of up to 15
// digits where six decimals say the value; a format that has anything else goes to vsnprintf.
__attribute__((format(printf, 3, 0))) size_t format_text(char *to, size_t room, const char *format,
                                                         va_list args);
