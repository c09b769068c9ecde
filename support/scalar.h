// Types of single values, named as in PTX, and conversion of numbers to such values. Compilers have
// no bf16 type on all hosts.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scalar_class { SCALAR_UNSIGNED, SCALAR_SIGNED, SCALAR_FLOAT };

struct scalar {
    const char *name; // "u32"
    enum scalar_class class;
    uint32_t bytes;
    char npy; // letter in a .npy header; .npy has no bf16: stored as raw bits
};

extern const struct scalar scalars[]; // ends with a name of NULL

// Addresses (of buffers) and handles (of textures) cannot be operands of expressions.
enum host_number_kind { NUMBER_INTEGER, NUMBER_REAL, NUMBER_ADDRESS, NUMBER_HANDLE };

// A value of the host. Integer arithmetic is modulo 2^64.
struct host_number {
    enum host_number_kind kind;
    int64_t integer; // the value; also of an address or a handle
    double real;
    bool wrapped; // the exact value or an intermediate one exceeded 64 bits
};

// Returns the type with this name, or NULL.
const struct scalar *scalar_find(const char *name, size_t length);
// Returns the name of the most similar type, for "did you mean", or NULL.
const char *scalar_nearest(const char *name, size_t length);

// Reads a value of this type.
struct host_number scalar_load(const struct scalar *type, const void *from);
// Stores the number as this type, rounded to nearest even. Returns NULL, or why the type cannot
// hold it.
const char *scalar_store(const struct scalar *type, const struct host_number *number, void *to);

// Returns true for an address or a handle.
static inline bool number_is_reference(const struct host_number *number)
{
    return number->kind == NUMBER_ADDRESS || number->kind == NUMBER_HANDLE;
}

// Returns true for the types that can hold a texture's handle: integers of 64 bits.
static inline bool scalar_holds_handle(const struct scalar *type)
{
    return type->class != SCALAR_FLOAT && type->bytes == 8;
}

// Returns the number as a double.
double number_real(const struct host_number *number);
// Converts a number to an integer. Returns false if it is a fraction or exceeds 64 bits.
bool number_integer(const struct host_number *number, int64_t *integer);
