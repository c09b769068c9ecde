// .npy files, formats 1.0 and 2.0: one array, little endian, in C order.
#pragma once
#include "support/scalar.h"
#include "support/arena.h"
#include <stdio.h>

enum { NPY_DIMENSIONS = 32 };

struct npy {
    char letter;    // i, u, f …
    uint32_t bytes; // of an element
    uint64_t shape[NPY_DIMENSIONS];
    uint32_t dimensions;
    uint64_t count; // elements
    const char *data;
};

// Returns true if the bytes begin as such a file.
bool npy_is(const char *bytes, size_t size);
// True if the bytes begin as such a file that npy_write has marked.
bool npy_is_marked(const char *bytes, size_t size);
// Reads the header; the data are not moved. Returns NULL, or the fault and its byte as a sentence
// in the arena.
const char *npy_read(struct npy *npy, struct arena *arena, const char *bytes, size_t size);
// True if the elements are values of this type. Types of bits (b32) take all of their size.
bool npy_fits(const struct npy *npy, const struct scalar *type);
// "int32", for messages.
const char *npy_type(const struct npy *npy, struct arena *arena);
// Writes format 1.0, as numpy does. The shape is given outermost first; without dimensions it is
// (count,). With `marked` the header has one blank more, by which npy_write's files are recognised.
void npy_write(FILE *to, const struct scalar *type, const uint64_t *shape, uint32_t dimensions,
               const void *data, uint64_t count, bool marked);
