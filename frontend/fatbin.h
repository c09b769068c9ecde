// The fatbin format, which NVIDIA does not document. This description was derived from the output
// and the libraries of CUDA toolkit 13.0. All numbers are little-endian and unaligned. A fatbin is
// a header followed by entries, whose total size is in the header. An entry is a header followed by
// its payload, the code for one architecture. Fatbins follow each other in a section, with zeros
// between them, or lie anywhere in a program's data.
#pragma once
#include "support/arena.h"

#define FATBIN_MAGIC "\x50\xed\x55\xba"

enum { FATBIN_MAGIC_SIZE = 4, FATBIN_HEADER_SIZE = 16, FATBIN_ENTRY_SIZE = 64 };

//   0  u32  magic 0xba55ed50
//   4  u16  version: 1
//   6  u16  size of this header: 16
//   8  u64  size of all entries
struct fatbin {
    uint64_t begin, entries, end; // offsets in the file
};

// Kinds of payloads.
enum fatbin_kind {
    FATBIN_PTX = 1,
    FATBIN_CUBIN = 2,
    FATBIN_OLD_CUBIN = 4, // text, from before CUDA 4
    FATBIN_LTO_IR = 8,    // for link-time optimisation; NVVM IR, encrypted
    FATBIN_RELOC = 64,    // PTX that only the device linker reads
};

enum fatbin_flag {
    FATBIN_64BIT = 1 << 0,
    FATBIN_DEBUG = 1 << 1, // nvcc -G
    FATBIN_CUDA = 1 << 2,  // no longer written
    FATBIN_OPENCL = 1 << 3,
    FATBIN_LINUX = 1 << 4, // host system: Linux
    FATBIN_MAC = 1 << 5,
    FATBIN_WINDOWS = 1 << 6,
    FATBIN_PACKED_OLD = 1 << 12,
    FATBIN_PACKED_LZ4 = 1 << 13,
    FATBIN_PACKED_ZSTD = 1 << 15,
    FATBIN_ENCRYPTED = 1 << 16,       // LTO IR
    FATBIN_ARCH_SPECIFIC = 1 << 20,   // sm_90a
    FATBIN_FAMILY_SPECIFIC = 1 << 21, // sm_100f
    FATBIN_BINARY_OPTIONS = 1 << 24,  // cubins for sm_100 and later: the options are not text
};

struct fatbin_entry {
    uint16_t kind;          //  0
    uint16_t version;       //  2: 0x0101
    uint32_t header_size;   // size of the header with the identifier and the options in it
    uint64_t payload_size;  // size of the payload, a multiple of 8; the next entry follows
    uint32_t packed_size;   // size of the payload without padding; 0: not packed
    uint32_t options;       // offset in the header of two u32: offset and size of the options
    uint16_t minor, major;  // version of PTX, of LTO IR, or of the cubin format
    uint32_t arch;          // 28: 80 for sm_80
    uint32_t name;          // offset in the header of the identifier, a source file's name
    uint32_t name_size;     // 36
    uint64_t flags;         // 40
    uint64_t key;           // for LTO IR, a number that is also in the IR's own header; else 0
    uint64_t unpacked_size; // 56: 0: not packed

    uint64_t begin, payload, end;         // offsets in the file
    uint64_t options_begin, options_size; // of the options' text; size 0: no options, or binary
                                          // ones
};

// Returns true if bytes[at] is the start of a plausible fatbin. Checks up to its first entry.
bool fatbin_is_at(const char *bytes, uint64_t at, uint64_t limit);

// Reads the fatbin that begins at bytes[at] and ends before `limit`. Returns NULL, or a sentence in
// the arena that describes the fault.
const char *fatbin_read(struct fatbin *fatbin, struct arena *arena, const char *bytes, uint64_t at,
                        uint64_t limit);
// Reads a fatbin entry; `limit` is the end of its fatbin. Returns as fatbin_read does. On success
// all offsets and sizes lie within the file, and the entry is not empty.
const char *fatbin_read_entry(struct fatbin_entry *entry, struct arena *arena, const char *bytes,
                              uint64_t at, uint64_t limit);
