// Unpacks compressed code of fatbins.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum packing {
    PACKING_NONE,
    PACKING_LZ4,  // one LZ4 block without a frame
    PACKING_ZSTD, // zstd frames
    PACKING_OLD,  // used by CUDA 5 and 6; not supported
    PACKINGS,
};

// Returns the packing's name, for messages and lists.
const char *packing_name(enum packing packing);

// Returns the largest accepted size of the unpacked bytes: the limit of the format, and at most
// 1000 bytes per packed byte, so that a small file cannot use all memory.
uint64_t unpack_most(enum packing packing, uint64_t packed);

// Unpacks into exactly `size` bytes. Requires `packed` and `size` below 2 GiB. Returns NULL, or the
// fault as the end of a sentence about the packed bytes.
const char *unpack(enum packing packing, const char *from, size_t packed, char *to, size_t size);
