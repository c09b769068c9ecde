#include "cli/run/linkage.h"
#include <stdlib.h>
#include <string.h>

// The function that every file with device code calls before main.
static const char registration[] = "__cudaRegisterFatBinary";

static void read_needed(struct cuda_linkage *linkage, const char *name)
{
    static const char runtime[] = "libcudart.so";
    if (!strcmp(name, "libcuda.so.1") || !strcmp(name, "libcuda.so"))
        linkage->driver = true;
    if (strncmp(name, runtime, sizeof runtime - 1))
        return;
    const char *version = name + sizeof runtime - 1;
    linkage->runtime = *version == '.' ? atoi(version + 1) : RUNTIME_UNKNOWN;
}

static size_t entries_of(Elf_Data *data, const GElf_Shdr *header)
{
    return data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
}

static void read_dynamic(struct cuda_linkage *linkage, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = entries_of(data, header);
    for (size_t i = 0; i < count; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry))
            return;
        const char *text =
            entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;
        linkage->fixed_path |= entry.d_tag == DT_RPATH;
        if (text)
            read_needed(linkage, text);
    }
}

// Sets *symbol to the symbol of the registration. Returns false if the table lacks it.
static bool find_registration(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, GElf_Sym *symbol)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = entries_of(data, header);
    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, symbol); i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol->st_name);
        if (name && !strcmp(name, registration))
            return true;
    }
    return false;
}

Elf_Scn *linkage_section(Elf *elf, unsigned type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, header) && header->sh_type == type)
            return section;
    return NULL;
}

// A shared library without device code that exports the registration takes the place of NVIDIA's,
// such as a profiler or one of ours. NVIDIA's static runtime is hidden.
static void read_symbols(struct cuda_linkage *linkage, Elf *elf)
{
    GElf_Shdr header, own;
    GElf_Sym symbol;
    Elf_Scn *exported = linkage_section(elf, SHT_DYNSYM, &header);
    Elf_Scn *all = linkage_section(elf, SHT_SYMTAB, &own);
    bool exports = false;
    linkage->has_symbols = all;
    if (!all && !linkage->has_device_code)
        return; // most files
    if (exported && find_registration(elf, exported, &header, &symbol)) {
        exports = symbol.st_shndx != SHN_UNDEF && !linkage->is_program && !linkage->has_device_code;
        linkage->imports_runtime = symbol.st_shndx == SHN_UNDEF;
    }
    linkage->contains_runtime = all && !exports && !linkage->imports_runtime &&
                                find_registration(elf, all, &own, &symbol) &&
                                symbol.st_shndx != SHN_UNDEF;
}

void linkage_read(struct cuda_linkage *linkage, Elf *elf)
{
    size_t names, segments;
    *linkage = (struct cuda_linkage){0};
    if (elf_getphdrnum(elf, &segments) || elf_getshdrstrndx(elf, &names))
        return;
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr segment;
        linkage->is_program |= gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP;
    }
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        linkage->has_device_code |= name && !strcmp(name, ".nv_fatbin");
        if (header.sh_type == SHT_DYNAMIC)
            read_dynamic(linkage, elf, section, &header);
    }
    read_symbols(linkage, elf);
}

const char *linkage_fault(const struct cuda_linkage *linkage)
{
    bool is_static = linkage->has_device_code && !linkage->runtime && !linkage->driver &&
                     !linkage->imports_runtime;
    return is_static && !linkage->has_symbols
               ? "is linked statically with the CUDA runtime and has no symbol table, so the "
                 "runtime's functions cannot be found: do not strip it, or link it with nvcc "
                 "-cudart shared"
               : NULL;
}
