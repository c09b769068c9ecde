#include "backend/elf/elf_rows.h"
#include "backend/elf/elf_tables.h"
#include "frontend/object.h"
#include "include/ptxoffload/metadata.h"
#include "support/json.h"
#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdarg.h>
#include <string.h>

bool elf_fault(struct elf_reader *r, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(r->diags, DIAG_ERROR, "metadata", NO_OFFSET, NO_OFFSET, "%s", text);
    return false;
}

// The file's header

static bool check_header(struct elf_reader *r)
{
    const unsigned char *ident = (const unsigned char *)r->bytes;
    struct object object;
    Elf64_Ehdr header;
    if (r->size < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG))
        return elf_fault(r, "this is not an ELF file");
    if (ident[EI_CLASS] != ELFCLASS64)
        return elf_fault(r, "this is not a 64-bit ELF object, as metadata require");
    if (ident[EI_DATA] != ELFDATA2LSB)
        return elf_fault(r, "this is not a little-endian ELF object, as metadata require");
    if (r->size < sizeof header || !object_read(&object, r->arena->memory, r->bytes, r->size))
        return elf_fault(r, "the ELF header is damaged or truncated");
    if (object.fault)
        return elf_fault(r, "%s", object.fault);
    memcpy(&header, r->bytes, sizeof header);
    if (elf_get((const char *)&header.e_type, 2) != ET_REL)
        return elf_fault(r, "the ELF file is not a relocatable object, as metadata require");
    if (elf_get((const char *)&header.e_machine, 2) != EM_NONE)
        return elf_fault(r, "the ELF object has a machine; metadata have none");
    return true;
}

// Finding

// Copies of libelf's results: its memory is freed before the arena allocates.
struct found {
    uint32_t times[ELF_PARTS];
    GElf_Shdr headers[ELF_PARTS];
};

static enum elf_part part_of(const char *name)
{
    enum elf_part part = 0;
    while (part < ELF_PARTS && (!name || strcmp(name, elf_parts[part].name)))
        part++;
    return part;
}

static bool find_sections(struct elf_reader *r, struct found *found)
{
    size_t names;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    Elf *elf = elf_memory((char *)(uintptr_t)r->bytes, r->size);
    bool good = elf && !elf_getshdrstrndx(elf, &names);
    for (Elf_Scn *section = NULL; good && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        enum elf_part part = part_of(elf_strptr(elf, names, header.sh_name));
        if (part < ELF_PARTS && !found->times[part]++)
            found->headers[part] = header;
    }
    elf_end(elf);
    return good;
}

// Checks a section's records; sets their size and number.
static bool check_records(struct elf_reader *r, enum elf_part part, const GElf_Shdr *header)
{
    const struct elf_part_info *info = &elf_parts[part];
    if (header->sh_entsize < info->record_size || header->sh_entsize % info->align)
        return elf_fault(r, "section '%s': its records have %" PRIu64 " bytes, expected %u",
                         info->name, header->sh_entsize, info->record_size);
    if (header->sh_size % header->sh_entsize)
        return elf_fault(r, "section '%s': its last record is truncated", info->name);
    if (header->sh_size / header->sh_entsize > INT32_MAX || header->sh_entsize > INT32_MAX)
        return elf_fault(r, "section '%s': it is too large", info->name);
    r->parts[part].step = (uint32_t)header->sh_entsize;
    r->parts[part].count = (uint32_t)(header->sh_size / header->sh_entsize);
    return true;
}

static bool check_section(struct elf_reader *r, enum elf_part part, const struct found *found)
{
    const struct elf_part_info *info = &elf_parts[part];
    const GElf_Shdr *header = &found->headers[part];
    if (found->times[part] != 1)
        return elf_fault(r, "section '%s': it is %s", info->name,
                         found->times[part] ? "given more than once" : "missing");
    if (header->sh_type != info->type)
        return elf_fault(r, "section '%s': its type is %u, expected %u", info->name,
                         header->sh_type, info->type);
    if (header->sh_flags & SHF_COMPRESSED)
        return elf_fault(r, "section '%s': it is compressed, which is not supported", info->name);
    if (header->sh_offset > r->size || header->sh_size > r->size - header->sh_offset)
        return elf_fault(r, "section '%s': it is outside the file", info->name);
    if (header->sh_offset % info->align)
        return elf_fault(r, "section '%s': its offset 0x%" PRIx64 " is not a multiple of %u",
                         info->name, header->sh_offset, info->align);
    if (header->sh_size > INT32_MAX)
        return elf_fault(r, "section '%s': it is too large", info->name);
    r->parts[part].begin = header->sh_offset;
    r->parts[part].size = header->sh_size;
    r->parts[part].bytes = r->bytes + header->sh_offset;
    return !info->record_size || check_records(r, part, header);
}

// Overlaps

struct section_extent {
    const char *name;
    uint64_t begin, size;
};

static bool check_overlaps(struct elf_reader *r)
{
    Elf64_Ehdr header;
    struct section_extent extents[ELF_PARTS + 2];
    memcpy(&header, r->bytes, sizeof header);
    uint64_t table = elf_get((const char *)&header.e_shoff, 8);
    uint64_t count = elf_get((const char *)&header.e_shnum, 2);
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        extents[part] = (struct section_extent){elf_parts[part].name, r->parts[part].begin,
                                                r->parts[part].size};
    extents[ELF_PARTS] = (struct section_extent){"the ELF header", 0, sizeof header};
    extents[ELF_PARTS + 1] =
        (struct section_extent){"the section table", table, count * sizeof(Elf64_Shdr)};
    for (int i = 0; i < ELF_PARTS; i++)
        for (int j = i + 1; j < ELF_PARTS + 2; j++) {
            const struct section_extent *a = &extents[i], *b = &extents[j];
            if (a->size && b->size && a->begin < b->begin + b->size &&
                b->begin < a->begin + a->size)
                return elf_fault(r, "section '%s': it overlaps with %s", a->name, b->name);
        }
    return true;
}

// Strings

static bool check_strings(struct elf_reader *r)
{
    const struct elf_part_bytes *strings = &r->parts[ELF_STRINGS];
    if (!strings->size || strings->bytes[0] || strings->bytes[strings->size - 1])
        return elf_fault(r, "section '%s': it does not begin and end with a NUL byte",
                         PTXOFFLOAD_SECTION_STRINGS);
    for (uint64_t at = 0; at < strings->size;) {
        size_t length = json_utf8_length(strings->bytes + at, strings->size - at);
        if (!length)
            return elf_fault(r, "section '%s': byte %" PRIu64 " is not UTF-8",
                             PTXOFFLOAD_SECTION_STRINGS, at);
        at += length;
    }
    return true;
}

bool elf_find_parts(struct elf_reader *r)
{
    struct found found = {0};
    if (!check_header(r))
        return false;
    if (!find_sections(r, &found))
        return elf_fault(r, "the section table is damaged");
    bool good = true;
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        good &= check_section(r, part, &found);
    return good && check_overlaps(r) && check_strings(r);
}

bool tables_is_elf(const char *bytes, size_t size)
{
    struct object_part note;
    return size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG) &&
           object_find(NULL, bytes, size, PTXOFFLOAD_SECTION_NOTE, &note);
}

const struct elf_part_info elf_parts[ELF_PARTS] = {
#define SECTION(ID, NAME, TYPE, ALIGN, ...)                                                        \
    {.name = PTXOFFLOAD_SECTION_##ID, .type = TYPE, .align = ALIGN},
#define RECORDS(ID, NAME, STRUCT, ROWS, ...)                                                       \
    {.name = PTXOFFLOAD_SECTION_##ID,                                                              \
     .type = SHT_PROGBITS,                                                                         \
     .align = _Alignof(struct STRUCT),                                                             \
     .record_size = sizeof(struct STRUCT),                                                         \
     .fields = rows_##ROWS},
#include "backend/tables/metadata.def"
};

enum elf_part elf_list(const struct record_field *field)
{
    if (field->kind == FIELD_TEXTS)
        return ELF_REGISTERS;
    enum elf_part part = 0;
    while (part < ELF_PARTS && (field->kind != FIELD_LIST || elf_parts[part].fields != field->rows))
        part++;
    return part;
}

void elf_record_fields_init(struct elf_record_fields *slots, struct arena *arena)
{
    *slots = (struct elf_record_fields){0};
    slots->of[ELF_NOTE] = fields_of(arena, rows_document, ELF_NOTE);
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        if (elf_parts[part].fields)
            slots->of[part] = fields_of(arena, elf_parts[part].fields, part);
}
