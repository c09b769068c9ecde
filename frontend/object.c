#include "frontend/object.h"
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

enum {
    MACHINE_CUDA = 190,
    ABI_NEW = 8, // EI_ABIVERSION of cubins since CUDA 13, in which the architecture is one byte
                 // further up
};

// libelf does not modify an image that is opened in this way.
static Elf *open_image(const char *image, size_t size)
{
    errno = 0;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    Elf *elf = elf_memory((char *)(uintptr_t)image, size);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        return elf;
    elf_end(elf);
    return NULL;
}

// Closes the image. libelf's functions do not distinguish a lack of memory from a damaged file, but
// errno does.
static void close_image(Elf *elf, struct memory *memory)
{
    bool ran_out = errno == ENOMEM;
    elf_end(elf);
    if (ran_out && memory)
        longjmp(memory->on_failure, 1);
}

static uint32_t cubin_arch(const GElf_Ehdr *header)
{
    return header->e_ident[EI_ABIVERSION] >= ABI_NEW ? header->e_flags >> 8 & 0xff
                                                     : header->e_flags & 0xff;
}

static bool lies_within(const struct object_part *part, size_t size)
{
    return part->begin <= size && part->size <= size - part->begin;
}

// Returns a NUL-terminated name in the image, or NULL.
static const char *name_at(const char *image, const struct object_part *names, uint64_t offset)
{
    if (offset >= names->size)
        return NULL;
    const char *name = image + names->begin + offset;
    return memchr(name, 0, names->size - offset) ? name : NULL;
}

// Returns the section with the section names; its size is 0 if the file has no such section.
static struct object_part names_of(Elf *elf, size_t size)
{
    size_t index;
    GElf_Shdr header;
    Elf_Scn *section;
    if (elf_getshdrstrndx(elf, &index) || !(section = elf_getscn(elf, index)) ||
        !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
        return (struct object_part){0};
    struct object_part names = {.begin = header.sh_offset, .size = header.sh_size};
    return lies_within(&names, size) ? names : (struct object_part){0};
}

struct listing {
    Elf *elf;
    const char *image;
    size_t size;
    struct object_part *parts;
    uint32_t room, count;
};

// Adds a part to the list; if the list is full, only counts it.
static void list_part(struct listing *list, struct object_part part)
{
    part.is_lost = !lies_within(&part, list->size);
    if (list->count < list->room)
        list->parts[list->count] = part;
    list->count++;
}

static void list_sections(struct listing *list)
{
    struct object_part names = names_of(list->elf, list->size);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(list->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NULL ||
            header.sh_type == SHT_NOBITS || !header.sh_size)
            continue;
        list_part(list,
                  (struct object_part){
                      .name = name_at(list->image, &names, header.sh_name),
                      .begin = header.sh_offset,
                      .size = header.sh_size,
                      .is_loaded = header.sh_type == SHT_PROGBITS && header.sh_flags & SHF_ALLOC &&
                                   !(header.sh_flags & SHF_EXECINSTR),
                  });
    }
}

static void list_segments(struct listing *list)
{
    size_t count;
    if (elf_getphdrnum(list->elf, &count))
        return;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(list->elf, (int)i, &header) && header.p_type == PT_LOAD && header.p_filesz)
            list_part(list, (struct object_part){
                                .begin = header.p_offset,
                                .size = header.p_filesz,
                                .is_loaded = true,
                            });
    }
}

static bool has_sections(Elf *elf)
{
    size_t count;
    return !elf_getshdrnum(elf, &count) && count;
}

static uint32_t list_parts(Elf *elf, const char *image, size_t size, struct object_part *parts,
                           uint32_t room)
{
    struct listing list = {elf, image, size, parts, room, 0};
    if (has_sections(elf))
        list_sections(&list);
    else
        list_segments(&list);
    return list.count;
}

// Returns the fault of the section table. A truncated file lacks the section headers, which are at
// its end.
static const char *table_fault(Elf *elf, const GElf_Ehdr *header, size_t size)
{
    if (!header->e_shoff)
        return NULL;
    if (header->e_shoff >= size)
        return "it is truncated: its section table would be after its end";
    size_t each = gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);
    if (header->e_shentsize != each)
        return "its section table is damaged";
    if (!has_sections(elf) || header->e_shnum > (size - header->e_shoff) / each)
        return "its section table is truncated";
    return NULL;
}

bool object_read(struct object *object, struct memory *memory, const char *image, size_t size)
{
    *object = (struct object){0};
    Elf *elf = open_image(image, size);
    GElf_Ehdr header;
    bool is_object = elf && gelf_getehdr(elf, &header);
    if (is_object) {
        object->is_cubin = header.e_machine == MACHINE_CUDA;
        object->arch = object->is_cubin ? cubin_arch(&header) : 0;
        object->parts = list_parts(elf, image, size, NULL, 0);
        object->fault = table_fault(elf, &header, size);
    }
    close_image(elf, memory);
    return is_object;
}

uint32_t object_parts(struct memory *memory, const char *image, size_t size,
                      struct object_part *parts, uint32_t room)
{
    Elf *elf = open_image(image, size);
    uint32_t count = elf ? list_parts(elf, image, size, parts, room) : 0;
    close_image(elf, memory);
    return count < room ? count : room;
}

bool object_find(struct memory *memory, const char *image, size_t size, const char *name,
                 struct object_part *part)
{
    Elf *elf = open_image(image, size);
    if (!elf) {
        close_image(elf, memory);
        return false;
    }
    struct object_part names = names_of(elf, size);
    bool found = false;
    for (Elf_Scn *section = NULL; !found && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        *part = (struct object_part){
            .name = name_at(image, &names, header.sh_name),
            .begin = header.sh_offset,
            .size = header.sh_size,
        };
        found = part->name && !strcmp(part->name, name) && lies_within(part, size);
    }
    close_image(elf, memory);
    return found;
}

// Registers
//
// The section .nv.info has a list of attributes: a byte for the format, one for the attribute, two
// for the value or, in one format, for the size of the value that follows.

enum { FORMAT_SIZED = 4, ATTRIBUTE_REGISTERS = 0x2f };

static GElf_Shdr header_of(Elf_Scn *section)
{
    GElf_Shdr header;
    return gelf_getshdr(section, &header) ? header : (GElf_Shdr){.sh_type = SHT_NULL};
}

// Returns the section's bytes; its size is 0 if they lie outside the image.
static struct object_part part_of(Elf_Scn *section, size_t size)
{
    GElf_Shdr header = header_of(section);
    struct object_part part = {.begin = header.sh_offset, .size = header.sh_size};
    bool has_bytes = header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS;
    return has_bytes && lies_within(&part, size) ? part : (struct object_part){0};
}

static Elf_Scn *symbols_of(Elf *elf)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) && header_of(section).sh_type != SHT_SYMTAB)
        continue;
    return section;
}

struct kernel_list {
    Elf *elf;
    Elf_Scn *symbols;
    const char *image;
    struct object_part names; // of the symbols
    struct object_kernel *kernels;
    uint32_t room, count;
};

static uint32_t word_at(const char *bytes)
{
    const uint8_t *of = (const uint8_t *)bytes;
    return of[0] | of[1] << 8 | of[2] << 16 | (uint32_t)of[3] << 24;
}

static void list_registers(struct kernel_list *list, uint32_t index, uint32_t registers)
{
    GElf_Sym symbol;
    const char *name = NULL;
    if (index <= INT32_MAX && gelf_getsym(elf_getdata(list->symbols, NULL), (int)index, &symbol))
        name = name_at(list->image, &list->names, symbol.st_name);
    if (!name || !registers)
        return;
    if (list->count < list->room)
        list->kernels[list->count] = (struct object_kernel){name, registers};
    list->count++;
}

static void list_kernels(struct kernel_list *list, const char *at, const char *end)
{
    while (end - at >= 4) {
        uint32_t word = word_at(at);
        uint32_t size = (word & 0xff) == FORMAT_SIZED ? word >> 16 : 0;
        at += 4;
        if (size > end - at)
            return;
        if ((word >> 8 & 0xff) == ATTRIBUTE_REGISTERS && size >= 8)
            list_registers(list, word_at(at), word_at(at + 4));
        at += size;
    }
}

uint32_t object_registers(struct memory *memory, const char *image, size_t size,
                          struct object_kernel *kernels, uint32_t room)
{
    struct object_part info;
    struct object object;
    if (!object_read(&object, memory, image, size) || !object.is_cubin ||
        !object_find(memory, image, size, ".nv.info", &info))
        return 0;
    struct kernel_list list = {
        .elf = open_image(image, size), .image = image, .kernels = kernels, .room = room};
    list.symbols = list.elf ? symbols_of(list.elf) : NULL;
    if (list.symbols) {
        list.names = part_of(elf_getscn(list.elf, header_of(list.symbols).sh_link), size);
        list_kernels(&list, image + info.begin, image + info.begin + info.size);
    }
    close_image(list.elf, memory);
    return list.count;
}
