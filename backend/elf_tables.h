// The tables and the tagged PTX as an ELF object. include/ptxoffload/metadata.h is its layout, for
// readers without this library; docs/metadata.md describes it.
#pragma once
#include "backend/tables.h"

struct elf_image {
    const char *bytes;
    size_t size;
};

// Makes the object in the arena. `ptx` is the text whose digest is the tables' output. The same
// tables and text give the same bytes. Returns NULL, or why the object cannot be made: a sentence.
const char *tables_write_elf(struct elf_image *image, struct arena *arena,
                             const struct tables *tables, const char *ptx, uint32_t length);

// True if the bytes are an ELF file, of whatever class and byte order, that has our note.
bool tables_is_elf(const char *bytes, size_t size);

// Reads the object. `ptx` becomes its text under this name, copied. Whatever the bytes are, nothing
// behind them is read. Faults are added to `diags` (id "metadata"), with the section, the record
// and the entry. Returns false, with `tables` and `ptx` in no useful state, if there are any.
bool tables_read_elf(struct tables *tables, struct source *ptx, struct arena *arena,
                     const char *name, const char *bytes, size_t size, struct diags *diags);
