// Writes ELF objects with any sections: ELF64, little-endian, relocatable, without a machine.
#pragma once
#include "backend/elf/elf_tables.h"

struct elf_section {
    const char *name;
    uint32_t type;
    uint32_t align;
    uint32_t entry_size;
    uint32_t link, info; // link: number of another section of the list, from 1; 0: none
    const char *bytes;
    uint32_t size;
};

// Writes the sections in this order, followed by the table of their names, to memory of the arena.
// Returns NULL, or the reason why that failed.
const char *elf_object_write(struct elf_image *image, struct arena *arena,
                             const struct elf_section *sections, uint32_t count);
