// Finds the sections of an object by name. Checks that they are inside the file and have the type,
// alignment and size of records that their contents need.
#pragma once
#include "backend/elf/elf_rows.h"

struct elf_part_bytes {
    const char *bytes;
    uint64_t begin, size; // in the file
    uint32_t step, count; // size and number of the records
};

struct elf_reader {
    struct arena *arena;
    struct diags *diags;
    const char *bytes;
    size_t size;
    struct elf_part_bytes parts[ELF_PARTS];
    struct elf_slots slots;
    uint32_t next[ELF_PARTS]; // number of records that lists have claimed so far
};

// Adds a fault (id "metadata") to the reader's diagnostics. Returns false.
bool elf_fault(struct elf_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Fills `parts`, with strings that are UTF-8 and end with NUL. Returns false after adding a fault.
bool elf_find_parts(struct elf_reader *r);

// Reads the notes. Requires `parts`. Returns false after adding a fault.
bool elf_read_notes(struct elf_reader *r, struct elf_notes *notes);
