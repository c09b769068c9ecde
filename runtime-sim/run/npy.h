// .npy files, formats 1.0 and 2.0: one array, little endian, in C order.
#pragma once
#include "support/scalar.h"
#include "support/arena.h"
#include <stdio.h>

enum { NPY_DIMENSIONS = 32 };

struct npy {
    char letter;    // i, u, f …
    uint32_t bytes; // bytes of an element
    uint64_t shape[NPY_DIMENSIONS];
    uint32_t dimensions;
    uint64_t count; // number of elements
    const char *data;
};

// Returns true if the bytes start as a .npy file.
bool npy_is(const char *bytes, size_t size);
// Returns true if the bytes start as a .npy file that npy_write marked.
bool npy_is_marked(const char *bytes, size_t size);
// Reads the header. `data` points into `bytes`. Returns NULL, or the error and its byte as a
// sentence in the arena.
const char *npy_read(struct npy *npy, struct arena *arena, const char *bytes, size_t size);
// Returns true if the elements are values of this type. A bit type (b32) accepts any element of its
// size.
bool npy_fits(const struct npy *npy, const struct scalar *type);
// Returns the element type for messages, such as "int32".
const char *npy_type(const struct npy *npy, struct arena *arena);
// Writes format 1.0, as numpy does. The shape is given outermost dimension first; without
// dimensions it is (count,). With `marked` the header has one more blank, by which npy_is_marked
// recognises it.
void npy_write(FILE *to, const struct scalar *type, const uint64_t *shape, uint32_t dimensions,
               const void *data, uint64_t count, bool marked);
