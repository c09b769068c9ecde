// Sections of an object to be read: found by name, inside the file, in the form that their contents
// need.
#pragma once
#include "backend/elf/elf_rows.h"

struct elf_part_bytes {
    const char *bytes;
    uint64_t begin, size; // in the file
    uint32_t step, count; // of records
};

struct elf_reader {
    struct arena *arena;
    struct diags *diags;
    const char *bytes;
    size_t size;
    struct elf_part_bytes parts[ELF_PARTS];
    struct elf_slots slots;
    uint32_t next[ELF_PARTS]; // number of records that are referenced already
};

// Adds the fault to the reader's diagnostics. Returns false.
bool elf_fault(struct elf_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Fills `parts`. Strings end with NUL and are UTF-8. Returns false after adding a fault.
bool elf_find_parts(struct elf_reader *r);

// Reads the notes.
bool elf_read_notes(struct elf_reader *r, struct elf_notes *notes);
