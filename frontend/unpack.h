// Undoes what packs the code in a fatbin.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum packing {
    PACKING_NONE,
    PACKING_LZ4,  // one LZ4 block without a frame
    PACKING_ZSTD, // zstd frames
    PACKING_OLD,  // what CUDA 5 and 6 used; not unpacked
    PACKINGS,
};

const char *packing_name(enum packing packing);

// Returns the largest size of unpacked bytes: the limit of the format, and at most 1000 bytes for
// each packed one, so that a small file cannot use all memory.
uint64_t unpack_most(enum packing packing, uint64_t packed);

// Unpacks into exactly `size` bytes; `packed` and `size` are below 2 GiB. Returns NULL, or what is
// wrong: the end of a sentence about the packed bytes.
const char *unpack(enum packing packing, const char *from, size_t packed, char *to, size_t size);
