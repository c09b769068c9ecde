#include "support/number.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t number_uint(char text[NUMBER_TEXT], uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(text, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

static bool whole(char text[NUMBER_TEXT], double value)
{
    if (fabs(value) >= 1e15 || value != trunc(value))
        return false;
    text[0] = '-';
    size_t at = value < 0;
    at += number_uint(text + at, (uint64_t)fabs(value));
    text[at] = 0;
    return true;
}

// Writes values with few decimals, which most are. The quotient of two integers below 2^53 is
// rounded in the same way as the decimal that it represents, and no two decimals of up to 15 digits
// have the same value.
static bool few_decimals(char text[NUMBER_TEXT], double value)
{
    enum { MOST = 6 };
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    double size = fabs(value);
    if (!(size >= 1e-4 && size < 1e9)) // also false for NaN
        return false;
    for (int decimals = 1; decimals <= MOST; decimals++) {
        uint64_t scaled = (uint64_t)(size * powers[decimals] + 0.5);
        if ((double)scaled / powers[decimals] != size)
            continue;
        size_t at = value < 0;
        text[0] = '-';
        at += number_uint(text + at, scaled / powers[decimals]);
        // The leading 1 preserves leading zeros and is overwritten by the point.
        size_t digits = number_uint(text + at, powers[decimals] + scaled % powers[decimals]);
        text[at] = '.';
        text[at + digits] = 0;
        return true;
    }
    return false;
}

bool number_decimal(char text[NUMBER_TEXT], double value)
{
    return whole(text, value) || few_decimals(text, value);
}

void number_shortest(char text[NUMBER_TEXT], double value)
{
    if (number_decimal(text, value))
        return;
    // Decimals of up to DBL_DIG digits survive a conversion to double, and %g omits trailing zeros,
    // so a value with fewer digits is already shortest with DBL_DIG.
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}
