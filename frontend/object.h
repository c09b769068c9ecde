// ELF files: programs, objects, libraries and cubins, 32 or 64 bits, in either byte order. These
// functions allocate nothing in an arena, so a failed arena allocation cannot leak libelf's memory.
#pragma once
#include "support/arena.h"

struct object {
    bool is_cubin;
    uint32_t arch;     // architecture of a cubin: 80 for sm_80; 0: unknown
    uint32_t parts;    // number of parts that object_parts lists
    const char *fault; // NULL, or the fault of the section table
};

// A section, or a segment if the file has no section headers.
struct object_part {
    const char *name; // NUL-terminated, in the image; NULL: a segment, or a damaged name
    uint64_t begin, size;
    bool is_loaded; // data, not code, that is loaded into the program's memory
    bool is_lost;   // lies outside the image; begin and size are as the header states them
};

// libelf allocates memory of its own. If it fails to, control jumps to the jump buffer of `memory`,
// as for an arena that runs out of memory. If `memory` is NULL, the file is reported as damaged.

// Reads the headers. Returns false if the image is not an ELF file.
bool object_read(struct object *object, struct memory *memory, const char *image, size_t size);
// Writes up to `room` parts that have contents. Returns their total number.
uint32_t object_parts(struct memory *memory, const char *image, size_t size,
                      struct object_part *parts, uint32_t room);
// Finds the first section with this name in the image. Returns false if it does not exist.
bool object_find(struct memory *memory, const char *image, size_t size, const char *name,
                 struct object_part *part);

// A kernel of a cubin, with the registers of a thread that the assembler has allocated.
struct object_kernel {
    const char *name; // NUL-terminated, in the image
    uint32_t registers;
};

// Writes up to `room` kernels and device functions of a cubin with their registers. Returns their
// total number, 0 for other files.
uint32_t object_registers(struct memory *memory, const char *image, size_t size,
                          struct object_kernel *kernels, uint32_t room);
