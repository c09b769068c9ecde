// How an ELF file is linked with CUDA's libraries. Needs libelf only.
#pragma once
#include <gelf.h>
#include <stdbool.h>

enum { RUNTIME_UNKNOWN = -1, RUNTIME_NONE = 0 };

struct cuda_linkage {
    int runtime;           // version of the CUDA runtime library, or one of the above
    bool driver;           // linked with the driver's library
    bool has_device_code;  // it has fatbins
    bool fixed_path;       // has an RPATH, which is searched first
    bool is_program;       // it names a dynamic linker
    bool has_symbols;      // it has a symbol table
    bool contains_runtime; // linked statically with the CUDA runtime
    bool imports_runtime;  // its fatbins are registered with the runtime of another file
};

// Returns the section of this type, or NULL.
Elf_Scn *linkage_section(Elf *elf, unsigned type, GElf_Shdr *header);
// Reads an ELF file.
void linkage_read(struct cuda_linkage *linkage, Elf *elf);
// Returns why calls of the runtime in this file cannot be found, to follow the file's name, or
// NULL.
const char *linkage_fault(const struct cuda_linkage *linkage);
