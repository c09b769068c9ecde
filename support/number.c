#include "support/number.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

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

static const uint64_t powers[] = {1,           10,           100,          1000,      10000,
                                  100000,      1000000,      10000000,     100000000, 1000000000,
                                  10000000000, 100000000000, 1000000000000};

// Writes the decimal scaled / power.
static void put_scaled(char *text, uint64_t scaled, uint64_t power)
{
    size_t at = number_uint(text, scaled / power);
    // The leading 1 preserves leading zeros and is overwritten by the point.
    size_t digits = number_uint(text + at, power + scaled % power);
    text[at] = '.';
    text[at + digits] = 0;
}

// Writes multiples of a negative power of two, such as means of small counts: those with n binary
// digits after the point have n decimals. The product is exact, because it is a whole number below
// 2^53, and no two decimals of up to 15 digits have the same value, so that no shorter one exists.
static bool dyadic(char text[NUMBER_TEXT], double value)
{
    enum { LIMIT = 12, MANTISSA = 52, BIAS = 1023 };
    double size = fabs(value);
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    int exponent = (int)(bits >> MANTISSA) - BIAS;
    uint64_t mantissa = (bits & ((1ull << MANTISSA) - 1)) | 1ull << MANTISSA;
    int decimals = MANTISSA - exponent - __builtin_ctzll(mantissa);
    if (!(size >= 1e-4 && size < 1e9) || decimals < 1 || decimals > LIMIT)
        return false;
    double scaled = size * (double)powers[decimals];
    if (scaled >= 1e15)
        return false;
    text[0] = '-';
    put_scaled(text + (value < 0), (uint64_t)scaled, powers[decimals]);
    return true;
}

// Writes other values with few decimals. The quotient of two integers below 2^53 is
// rounded in the same way as the decimal that it represents, and no two decimals of up to 15 digits
// have the same value.
static bool few_decimals(char text[NUMBER_TEXT], double value)
{
    enum { LIMIT = 6 };
    double size = fabs(value);
    if (!(size >= 1e-4 && size < 1e9)) // also false for NaN
        return false;
    for (int decimals = 1; decimals <= LIMIT; decimals++) {
        double power = (double)powers[decimals];
        uint64_t scaled = (uint64_t)(size * power + 0.5);
        if ((double)scaled / power != size)
            continue;
        text[0] = '-';
        put_scaled(text + (value < 0), scaled, powers[decimals]);
        return true;
    }
    return false;
}

bool number_decimal(char text[NUMBER_TEXT], double value)
{
    return whole(text, value) || dyadic(text, value) || few_decimals(text, value);
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

// Output of which the first `room` characters are kept.
struct line {
    char *to;
    size_t room, length;
};

// The part of a conversion between % and its letter.
struct conversion {
    bool plus;
    int precision; // -1: not given
    char size;     // 'l', 'z', 'L' for ll, or 0
};

static void add(struct line *line, const char *text, size_t length)
{
    if (line->length < line->room) {
        size_t left = line->room - line->length;
        memcpy(line->to + line->length, text, length < left ? length : left);
    }
    line->length += length;
}

static const char *read_conversion(const char *at, struct conversion *to, va_list *args)
{
    *to = (struct conversion){.precision = -1};
    to->plus = *at == '+';
    at += to->plus;
    if (*at == '.') {
        to->precision = 0;
        at++;
        if (*at == '*') {
            to->precision = va_arg(*args, int); // below 0: as if not given
            at++;
        }
        for (; *at >= '0' && *at <= '9' && to->precision < 100; at++)
            to->precision = 10 * to->precision + *at - '0';
    }
    if (*at == 'l' || *at == 'z')
        to->size = *at++;
    if (*at == 'l' && to->size == 'l') {
        to->size = 'L';
        at++;
    }
    return at;
}

// Counts digits from the first nonzero one on.
static int count_digits(const char *text)
{
    int count = 0;
    for (; *text; text++)
        if (*text >= '0' && *text <= '9' && (count || *text != '0'))
            count++;
    return count;
}

// Adds a double for %g. Returns false unless the value needs no rounding and no exponent.
static bool add_double(struct line *line, const struct conversion *conversion, double value)
{
    enum { DEFAULT = 6, LIMIT = 15 };
    char text[NUMBER_TEXT];
    int precision = conversion->precision < 0 ? DEFAULT : conversion->precision;
    if (precision > LIMIT || conversion->size || signbit(value) != (value < 0) ||
        !number_decimal(text, value) || count_digits(text) > precision)
        return false;
    if (conversion->plus && value >= 0)
        add(line, "+", 1);
    add(line, text, strlen(text));
    return true;
}

static uint64_t read_unsigned(char size, va_list *args)
{
    switch (size) {
    case 'l': return va_arg(*args, unsigned long);
    case 'L': return va_arg(*args, unsigned long long);
    case 'z': return va_arg(*args, size_t);
    default: return va_arg(*args, unsigned);
    }
}

static int64_t read_signed(char size, va_list *args)
{
    switch (size) {
    case 'l': return va_arg(*args, long);
    case 'L': return va_arg(*args, long long);
    case 'z': return va_arg(*args, ssize_t);
    default: return va_arg(*args, int);
    }
}

static bool add_integer(struct line *line, const struct conversion *conversion, char letter,
                        va_list *args)
{
    if (conversion->plus || conversion->precision >= 0)
        return false;
    int64_t value = 0;
    uint64_t size;
    if (letter == 'u') {
        size = read_unsigned(conversion->size, args);
    } else {
        value = read_signed(conversion->size, args);
        size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    }
    char digits[NUMBER_TEXT];
    if (value < 0)
        add(line, "-", 1);
    add(line, digits, number_uint(digits, size));
    return true;
}

static bool add_text(struct line *line, const struct conversion *conversion, va_list *args)
{
    const char *text = va_arg(*args, const char *);
    if (conversion->plus || conversion->size || !text)
        return false;
    bool all = conversion->precision < 0;
    add(line, text, all ? strlen(text) : strnlen(text, (size_t)conversion->precision));
    return true;
}

static bool add_argument(struct line *line, const struct conversion *conversion, char letter,
                         va_list *args)
{
    switch (letter) {
    case 's': return add_text(line, conversion, args);
    case 'u':
    case 'd': return add_integer(line, conversion, letter, args);
    case 'g': return add_double(line, conversion, va_arg(*args, double));
    default: return false;
    }
}

static bool add_all(struct line *line, const char *format, va_list *args)
{
    for (const char *at = format;;) {
        const char *percent = strchrnul(at, '%');
        struct conversion conversion;
        add(line, at, (size_t)(percent - at));
        if (!*percent)
            return true;
        const char *letter = read_conversion(percent + 1, &conversion, args);
        if (!add_argument(line, &conversion, *letter, args))
            return false;
        at = letter + 1;
    }
}

size_t format_text(char *to, size_t room, const char *format, va_list args)
{
    struct line line = {to, room ? room - 1 : 0, 0};
    va_list again;
    va_copy(again, args);
    bool done = add_all(&line, format, &again);
    va_end(again);
    if (!done)
        return (size_t)vsnprintf(to, room, format, args);
    if (room)
        to[line.length < room ? line.length : room - 1] = 0;
    return line.length;
}
