// The sections of an object that is to be read: found by name, in the file, of the form that their
// contents need.
#pragma once
#include "backend/elf_rows.h"

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
    uint32_t next[ELF_PARTS]; // records that belong to others already
};

// Adds the fault to the reader's diagnostics; returns false.
bool elf_fault(struct elf_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Fills `parts`. Texts end with NUL and are UTF-8. Returns false if something is wrong, having said
// what.
bool elf_find_parts(struct elf_reader *r);

// Puts the notes together.
bool elf_read_notes(struct elf_reader *r, struct elf_notes *notes);
