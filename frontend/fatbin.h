// The fatbin format, which NVIDIA does not document. This description was derived from the output
// of the CUDA toolkit 13.0 and from its libraries. All numbers are little-endian, and nothing is
// aligned. A fatbin is a header, then entries, one after the other up to the header's size; an
// entry is a header, then its payload: the code for one architecture. Fatbins follow each other in
// a section, with zeros between them, or are anywhere in a program's data.
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
    FATBIN_LINUX = 1 << 4, // made on
    FATBIN_MAC = 1 << 5,
    FATBIN_WINDOWS = 1 << 6,
    FATBIN_PACKED_OLD = 1 << 12,
    FATBIN_PACKED_LZ4 = 1 << 13,
    FATBIN_PACKED_ZSTD = 1 << 15,
    FATBIN_ENCRYPTED = 1 << 16,       // LTO IR
    FATBIN_ARCH_SPECIFIC = 1 << 20,   // sm_90a
    FATBIN_FAMILY_SPECIFIC = 1 << 21, // sm_100f
    FATBIN_BINARY_OPTIONS = 1 << 24,  // cubins from sm_100 on: the options are not text
};

struct fatbin_entry {
    uint16_t kind;          //  0
    uint16_t version;       //  2: 0x0101
    uint32_t header_size;   //  4: header with what is in it: identifier, options
    uint64_t payload_size;  //  8: a multiple of 8; the next entry follows
    uint32_t packed_size;   // 16: size of the payload without padding; 0: not packed
    uint32_t options;       // 20: offset of two u32 in the header: offset and size of the options
    uint16_t minor, major;  // 24: version of PTX, of LTO IR, or of the cubin's form
    uint32_t arch;          // 28: 80 for sm_80
    uint32_t name;          // 32: offset of the identifier in the header: a source file's name
    uint32_t name_size;     // 36
    uint64_t flags;         // 40
    uint64_t key;           // 48: LTO IR: a number that is also in the IR's own header; else 0
    uint64_t unpacked_size; // 56: 0: not packed

    uint64_t begin, payload, end;         // offsets in the file
    uint64_t options_begin, options_size; // of the text; size 0: no options, or binary
};

// Returns true if a plausible fatbin, up to its first entry, begins at bytes[at].
bool fatbin_is_at(const char *bytes, uint64_t at, uint64_t limit);

// Reads the fatbin that begins at bytes[at] and ends before `limit`. Returns NULL, or the fault as
// a sentence in the arena.
const char *fatbin_read(struct fatbin *fatbin, struct arena *arena, const char *bytes, uint64_t at,
                        uint64_t limit);
// The same for an entry; `limit` is the fatbin's end. Afterwards all its offsets and sizes lie
// within the file, and there is at least one byte between entry->begin and entry->end.
const char *fatbin_read_entry(struct fatbin_entry *entry, struct arena *arena, const char *bytes,
                              uint64_t at, uint64_t limit);
