// ELF files: programs, objects, libraries and cubins, of 32 and 64 bits and either byte order. None
// of this takes memory from an arena, so that no failure of one can leave libelf's memory after.
#pragma once
#include "support/arena.h"

struct object {
    bool is_cubin;
    uint32_t arch;     // of a cubin: 80 for sm_80; 0: unknown
    uint32_t parts;    // number of parts of object_parts
    const char *fault; // NULL, or the error with the table of sections
};

// A section, or of a file without section headers a segment.
struct object_part {
    const char *name; // in the image, ends with NUL; NULL: a segment, or the name is damaged
    uint64_t begin, size;
    bool is_loaded; // data that the program has in memory, other than code
    bool is_lost;   // it does not are in the image; begin and size are what it claims
};

// libelf takes memory of its own. Where it gets none, control goes to the jump buffer of `memory`,
// as if an arena had got none; with NULL for `memory` the file then looks damaged.

// Reads the headers. Returns false if the image is no ELF file at all.
bool object_read(struct object *object, struct memory *memory, const char *image, size_t size);
// Writes the parts with contents into room for object->parts. Returns their number.
uint32_t object_parts(struct memory *memory, const char *image, size_t size,
                      struct object_part *parts, uint32_t room);
// Finds the first section of this name that is in the image.
bool object_find(struct memory *memory, const char *image, size_t size, const char *name,
                 struct object_part *part);
