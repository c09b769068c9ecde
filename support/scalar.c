#include "support/scalar.h"
#include "support/nearest.h"
#include <math.h>
#include <string.h>

const struct scalar scalars[] = {
#define SCALAR(name, class, bytes, npy) {#name, SCALAR_##class, bytes, npy},
#include "support/scalars.def"
#undef SCALAR
    {0},
};

const struct scalar *scalar_find(const char *name, size_t length)
{
    for (const struct scalar *type = scalars; type->name; type++)
        if (strlen(type->name) == length && !memcmp(type->name, name, length))
            return type;
    return NULL;
}

const char *scalar_nearest(const char *name, size_t length)
{
    struct nearest nearest;
    nearest_init(&nearest, name, length);
    for (const struct scalar *type = scalars; type->name; type++)
        nearest_offer(&nearest, type->name, strlen(type->name));
    return nearest.best;
}

double number_real(const struct host_number *number)
{
    return number->kind == NUMBER_REAL ? number->real : (double)number->integer;
}

bool number_integer(const struct host_number *number, int64_t *integer)
{
    *integer = number->integer;
    if (number->kind != NUMBER_REAL)
        return true;
    if (!(fabs(number->real) < 0x1p63) || number->real != nearbyint(number->real))
        return false;
    *integer = (int64_t)number->real;
    return true;
}

// Formats of 16 bits

struct scalar_format {
    int mantissa, bias;
    uint32_t infinity;
};

static const struct scalar_format half = {10, 15, 0x7c00}, bfloat = {7, 127, 0x7f80};

static const struct scalar_format *format_of(const struct scalar *type)
{
    return type->npy == 'f' ? &half : &bfloat;
}

static uint16_t narrow(const struct scalar_format *f, double value)
{
    uint32_t sign = signbit(value) ? 0x8000 : 0, bits;
    int exponent;
    if (isnan(value))
        return 0x7fff;
    value = fabs(value);
    if (isinf(value) || value == 0)
        return (uint16_t)(sign | (value == 0 ? 0 : f->infinity));
    frexp(value, &exponent);
    exponent = exponent - 1 + f->bias; // biased exponent, from 1 for normal numbers
    if (exponent > 3 * f->bias)
        return (uint16_t)(sign | f->infinity);
    if (exponent < 1)
        exponent = 1;
    // Rounds to units in the last place; a carry increments the exponent.
    bits = (uint32_t)nearbyint(ldexp(value, f->mantissa + f->bias - exponent));
    bits += (uint32_t)(exponent - 1) << f->mantissa;
    return (uint16_t)(sign | (bits < f->infinity ? bits : f->infinity));
}

static double widen(const struct scalar_format *f, uint16_t bits)
{
    uint32_t magnitude = bits & 0x7fff, fraction = magnitude & ((1u << f->mantissa) - 1);
    int exponent = (int)(magnitude >> f->mantissa);
    double value;
    if (magnitude >= f->infinity)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent)
        value = ldexp(fraction + ldexp(1, f->mantissa), exponent - f->bias - f->mantissa);
    else
        value = ldexp(fraction, 1 - f->bias - f->mantissa);
    return bits & 0x8000 ? -value : value;
}

// Values

static struct host_number load_float(const struct scalar *type, const void *from)
{
    struct host_number number = {.kind = NUMBER_REAL};
    uint16_t bits;
    float single;
    if (type->bytes == 8) {
        memcpy(&number.real, from, 8);
    } else if (type->bytes == 4) {
        memcpy(&single, from, 4);
        number.real = (double)single;
    } else {
        memcpy(&bits, from, 2);
        number.real = widen(format_of(type), bits);
    }
    return number;
}

struct host_number scalar_load(const struct scalar *type, const void *from)
{
    if (type->class == SCALAR_FLOAT)
        return load_float(type, from);
    struct host_number number = {.kind = NUMBER_INTEGER};
    uint64_t bits = 0;
    memcpy(&bits, from, type->bytes); // all supported hosts are little endian
    int shift = 64 - 8 * (int)type->bytes;
    number.integer =
        type->class == SCALAR_SIGNED ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
    return number;
}

static void store_float(const struct scalar *type, double real, void *to)
{
    float single = (float)real;
    uint16_t bits;
    if (type->bytes == 8) {
        memcpy(to, &real, 8);
    } else if (type->bytes == 4) {
        memcpy(to, &single, 4);
    } else {
        bits = narrow(format_of(type), real);
        memcpy(to, &bits, 2);
    }
}

static bool holds(const struct scalar *type, int64_t integer)
{
    int bits = 8 * (int)type->bytes;
    if (bits == 64)
        return true;
    if (type->class == SCALAR_SIGNED)
        return integer >= -(INT64_C(1) << (bits - 1)) && integer < INT64_C(1) << (bits - 1);
    return integer >= 0 && integer < INT64_C(1) << bits;
}

const char *scalar_store(const struct scalar *type, const struct host_number *number, void *to)
{
    int64_t integer;
    if (type->class == SCALAR_FLOAT) {
        store_float(type, number_real(number), to);
        return NULL;
    }
    if (!number_integer(number, &integer))
        return "it is not an integer";
    if (!holds(type, integer))
        return "it is out of range";
    memcpy(to, &integer, type->bytes);
    return NULL;
}
