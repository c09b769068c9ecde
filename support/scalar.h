// Types of single values, as PTX names them, and numbers that become such values.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scalar_class { SCALAR_UNSIGNED, SCALAR_SIGNED, SCALAR_FLOAT };

struct scalar {
    const char *name; // "u32"
    enum scalar_class class;
    uint32_t bytes;
    char npy; // letter in a .npy header; bf16, which .npy has not, is stored as its bits
};

extern const struct scalar scalars[]; // up to a name of NULL

// An address is a buffer's, a handle a texture's: they are no operands.
enum run_number_kind { NUMBER_INTEGER, NUMBER_REAL, NUMBER_ADDRESS, NUMBER_HANDLE };

// A value on the host's side. Integers are taken modulo 2^64.
struct run_number {
    enum run_number_kind kind;
    int64_t integer; // also of an address or a handle
    double real;
    bool wrapped; // the exact value, or an intermediate one, has more bits
};

const struct scalar *scalar_find(const char *name, size_t length);
// "did you mean": the nearest name, or NULL.
const char *scalar_nearest(const char *name, size_t length);

struct run_number scalar_load(const struct scalar *type, const void *from);
// Writes the number, rounded to nearest even. Returns NULL, or the reason why the type does not
// hold it.
const char *scalar_store(const struct scalar *type, const struct run_number *number, void *to);

static inline bool number_is_place(const struct run_number *number)
{
    return number->kind == NUMBER_ADDRESS || number->kind == NUMBER_HANDLE;
}

static inline bool scalar_holds_handle(const struct scalar *type)
{
    return type->class != SCALAR_FLOAT && type->bytes == 8;
}

double number_real(const struct run_number *number);
// Returns false if the number is a fraction or has more than 64 bits.
bool number_integer(const struct run_number *number, int64_t *integer);
