// ELF objects in general: ELF64, little-endian, relocatable, without a machine. The caller defines
// the contents of the sections.
#pragma once
#include "backend/elf/elf_tables.h"

struct elf_section {
    const char *name;
    uint32_t type;
    uint32_t align;
    uint32_t entry_size;
    uint32_t link, info; // link: the place of another section in the list, from 1; 0: none
    const char *bytes;
    uint32_t size;
};

// Lays out the sections in this order, with the table of their names after them. Returns NULL, or
// the reason why that is not possible.
const char *elf_object_write(struct elf_image *image, struct arena *arena,
                             const struct elf_section *sections, uint32_t count);
