// The tables and the tagged PTX as an ELF object. include/ptxoffload/metadata.h is its layout, for
// readers without this library; docs/reference/metadata.md describes it.
#pragma once
#include "backend/tables/tables.h"

struct elf_image {
    const char *bytes;
    size_t size;
};

// Makes the object in the arena. `ptx` is the text whose digest is the tables' output. Equal tables
// and texts give equal bytes. Returns NULL, or why the object cannot be made, as a sentence.
const char *tables_write_elf(struct elf_image *image, struct arena *arena,
                             const struct tables *tables, const char *ptx, uint32_t length);

// Returns true if the bytes are an ELF file, of any class and byte order, with our note.
bool tables_is_elf(const char *bytes, size_t size);

// Reads the object. `ptx` becomes a copy of its text with this name. Never reads outside the bytes.
// Adds faults to `diags` (id "metadata"), with section, record and entry. Returns false if there
// are faults; `tables` and `ptx` are then undefined.
bool tables_read_elf(struct tables *tables, struct source *ptx, struct arena *arena,
                     const char *name, const char *bytes, size_t size, struct diags *diags);
