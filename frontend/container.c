// Determines the kind of a file and finds its GPU code.
#include "frontend/container_internal.h"
#include "frontend/fatbin.h"
#include "frontend/object.h"
#include "include/ptxoffload/metadata.h"
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { MAX_FAULTS = 20 };

// Names of the sections for fatbins of linked and of relocatable code.
static const char *const fatbin_sections[] = {".nv_fatbin", "__nv_relfatbin"};

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

// Magic numbers.
static const struct {
    const char *bytes;
    size_t size;
    enum container_kind kind;
    const char *what; // description of a kind that is not supported
} magics[] = {
    {MAGIC(ELFMAG), CONTAINER_ELF, NULL},
    {MAGIC(FATBIN_MAGIC), CONTAINER_FATBIN, NULL},
    {MAGIC("!<arch>\n"), CONTAINER_ARCHIVE, NULL},
    {MAGIC("!<thin>\n"), CONTAINER_ARCHIVE, NULL},
    {MAGIC("\xed\x43\x4e\x7f"), CONTAINER_LTO_IR, NULL},
    {MAGIC("\xba\x55\xed\x50"), CONTAINER_UNKNOWN, "a fatbin of the other byte order"},
    {MAGIC("\x01\x5a\xe5\x1e"), CONTAINER_UNKNOWN, "a fatbin in the form used before CUDA 4"},
    {MAGIC("\xb1\x43\x62\x46"), CONTAINER_UNKNOWN, "the wrapper of a fatbin without the fatbin"},
    {MAGIC("BC\xc0\xde"), CONTAINER_UNKNOWN, "LLVM bitcode"},
    {MAGIC("MZ"), CONTAINER_UNKNOWN, "a Windows program, and only ELF files are read"},
    {MAGIC("\xcf\xfa\xed\xfe"), CONTAINER_UNKNOWN, "a macOS program, and only ELF files are read"},
    {MAGIC("\x1f\x8b"), CONTAINER_UNKNOWN, "compressed by gzip"},
    {MAGIC("\x28\xb5\x2f\xfd"), CONTAINER_UNKNOWN, "compressed by zstd"},
    {MAGIC("\xfd\x37zXZ"), CONTAINER_UNKNOWN, "compressed by xz"},
    {MAGIC("BZh"), CONTAINER_UNKNOWN, "compressed by bzip2"},
    {MAGIC("\x04\x22\x4d\x18"), CONTAINER_UNKNOWN, "compressed by lz4"},
    {MAGIC("PK\x03\x04"), CONTAINER_UNKNOWN, "a zip archive"},
    {MAGIC("\xff\xfe"), CONTAINER_UNKNOWN, "text in UTF-16"},
    {MAGIC("\xfe\xff"), CONTAINER_UNKNOWN, "text in UTF-16"},
};

void container_fault(struct container *container, struct container_location place, uint64_t offset,
                     const char *format, ...)
{
    if (container->faults++ >= MAX_FAULTS) {
        if (container->faults == MAX_FAULTS + 1)
            diag_add(container->diags, DIAG_NOTE, "container", NO_OFFSET, NO_OFFSET,
                     "further errors in this file are not reported");
        return;
    }
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(container->diags, DIAG_ERROR, "container", NO_OFFSET, NO_OFFSET, "%s: %s",
             container_where(container->arena, place, offset), text);
}

const char *container_where(struct arena *arena, struct container_location place, uint64_t offset)
{
    const char *member = "", *section = "";
    if (place.member)
        member = arena_printf(arena, "member '%.100s', ", place.member);
    if (place.section)
        section = arena_printf(arena, "section '%.60s', ", place.section);
    return arena_printf(arena, "%s%soffset 0x%" PRIx64, member, section, offset);
}

const char *container_printable(const struct container *container, const char *text, uint64_t size)
{
    enum { LONGEST = 4096 };
    const char *end = memchr(text, 0, size);
    if (end)
        size = (uint64_t)(end - text);
    char *copy = arena_strndup(container->arena, text, size < LONGEST ? size : LONGEST);
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
    return copy;
}

static bool begins_with(const char *bytes, uint64_t size, const char *magic, size_t length)
{
    return size >= length && !memcmp(bytes, magic, length);
}

// Returns the kind of contents that begin with these bytes. Sets `*what` if the kind is not
// supported.
static enum container_kind kind_of(const char *bytes, uint64_t size, const char **what)
{
    *what = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(magics); i++)
        if (begins_with(bytes, size, magics[i].bytes, magics[i].size)) {
            *what = magics[i].what;
            return magics[i].kind;
        }
    return CONTAINER_TEXT;
}

static void add_whole(struct container *container, struct container_location place, uint64_t begin,
                      uint64_t size, struct container_module module)
{
    module.member = place.member;
    module.offset = module.payload = begin;
    module.payload_size = module.size = size;
    vec_push(container->arena, &container->modules, module);
}

// Returns the architecture's suffix. Only ptxas' command line, which the cubin records, has it.
static char cubin_suffix(struct memory *memory, const char *image, uint64_t size, uint32_t arch)
{
    static const char option[] = "-arch ";
    struct object_part note;
    if (!object_find(memory, image, size, ".note.nv.tkinfo", &note))
        return 0;
    const char *end = image + note.begin + note.size;
    const char *at = memmem(image + note.begin, note.size, option, sizeof option - 1);
    uint32_t noted;
    char suffix;
    if (!at || !arch_read(at + sizeof option - 1, (size_t)(end - at) - (sizeof option - 1), &noted,
                          &suffix))
        return 0;
    return noted == arch ? suffix : 0;
}

static bool is_fatbin_section(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LENGTH(fatbin_sections); i++)
        if (!strcmp(name, fatbin_sections[i]))
            return true;
    return false;
}

static void add_text(struct container *container, struct container_location place, uint64_t begin,
                     uint64_t size)
{
    struct ptx_header header;
    ptx_header_read(&header, container->bytes + begin, size);
    struct container_module text = {
        .kind = MODULE_PTX,
        .section = place.section,
        .arch = header.arch,
        .suffix = header.suffix,
        .major = header.major,
        .minor = header.minor,
    };
    add_whole(container, place, begin, size, text);
}

static void read_part(struct container *container, struct container_location place, uint64_t begin,
                      const struct object_part *part)
{
    bool for_fatbins = is_fatbin_section(part->name);
    if (part->name)
        place.section = container_printable(container, part->name, strlen(part->name));
    if (part->is_lost) {
        if (for_fatbins || !part->name)
            container_fault(container, place, begin,
                            "%" PRIu64 " bytes at 0x%" PRIx64 " are claimed, but the file does not "
                            "have them",
                            part->size, part->begin);
        return;
    }
    // Overlapping sections would be read repeatedly.
    container->looked_at += part->size;
    if (container->looked_at / 2 > container->size) {
        container_fault(container, place, begin + part->begin, "the sections overlap");
        return;
    }
    uint64_t from = begin + part->begin;
    if (part->name && !strcmp(part->name, PTXOFFLOAD_SECTION_PTX)) {
        if (!place.member)
            container->kind = CONTAINER_METADATA;
        add_text(container, place, from, part->size);
    } else if (for_fatbins)
        container_read_fatbins(container, place, from, from + part->size);
    else if (part->is_loaded)
        container_search_fatbins(container, place, from, from + part->size);
}

static void read_object(struct container *container, struct container_location place,
                        uint64_t begin, uint64_t size)
{
    struct memory *memory = container->arena->memory;
    const char *image = container->bytes + begin;
    struct object object;
    if (!object_read(&object, memory, image, size)) {
        container_fault(container, place, begin, "the ELF header is damaged or truncated");
        return;
    }
    if (object.is_cubin) {
        if (!place.member)
            container->kind = CONTAINER_CUBIN;
        struct container_module cubin = {
            .kind = MODULE_CUBIN,
            .arch = object.arch,
            .suffix = cubin_suffix(memory, image, size, object.arch),
        };
        add_whole(container, place, begin, size, cubin);
        return;
    }
    if (object.fault)
        container_fault(container, place, begin, "%s", object.fault);
    struct object_part *parts = ARENA_ARRAY(container->arena, struct object_part, object.parts);
    uint32_t count = object_parts(memory, image, size, parts, object.parts);
    for (uint32_t i = 0; i < count; i++)
        read_part(container, place, begin, &parts[i]);
}

// Reads contents other than an archive. Returns false if their kind is not supported.
static bool read_one(struct container *container, struct container_location place,
                     enum container_kind kind, uint64_t begin, uint64_t size)
{
    switch (kind) {
    case CONTAINER_ELF: read_object(container, place, begin, size); return true;
    case CONTAINER_FATBIN:
        container_read_fatbins(container, place, begin, begin + size);
        return true;
    case CONTAINER_LTO_IR:
        add_whole(container, place, begin, size, (struct container_module){.kind = MODULE_LTO_IR});
        return true;
    case CONTAINER_TEXT: add_text(container, place, begin, size); return true;
    default: return false;
    }
}

static void read_member(struct container *container, const struct archive_member *member)
{
    const char *bytes = container->bytes + member->begin, *what;
    struct ptx_header header;
    struct container_location place = {
        .member = container_printable(container, member->name, member->name_size),
    };
    enum container_kind kind = kind_of(bytes, member->size, &what);
    if (kind == CONTAINER_TEXT && !ptx_header_read(&header, bytes, member->size))
        kind = CONTAINER_UNKNOWN;
    if (!read_one(container, place, kind, member->begin, member->size))
        diag_add(container->diags, DIAG_WARNING, "container", NO_OFFSET, NO_OFFSET,
                 "member '%s', offset 0x%" PRIx64 ", is skipped: it is %s", place.member,
                 member->begin,
                 kind == CONTAINER_ARCHIVE ? "an archive in an archive"
                 : what                    ? what
                 : member->size            ? "no object, fatbin or PTX text"
                                           : "empty");
}

static void read_archive(struct container *container)
{
    struct container_location whole = {0};
    if (archive_is_thin(container->bytes, container->size)) {
        container_fault(container, whole, 0,
                        "this is a thin archive, which only names its members; give the members, "
                        "or make an archive without 'T'");
        return;
    }
    struct archive archive;
    struct archive_member member;
    archive_open(&archive, container->bytes, container->size);
    while (archive_next(&archive, &member))
        read_member(container, &member);
    if (archive.fault)
        container_fault(container, whole, archive.at, "%s", archive.fault);
}

// Returns true, after reporting it, if the file has a NUL byte near its start, so that it is not
// text.
static bool is_binary(struct container *container)
{
    enum { LOOKED_AT = 512 };
    const char *zero =
        memchr(container->bytes, 0, container->size < LOOKED_AT ? container->size : LOOKED_AT);
    if (zero)
        container_fault(container, (struct container_location){0},
                        (uint64_t)(zero - container->bytes),
                        "this is neither PTX text nor a known container: it contains a NUL byte");
    return zero;
}

bool container_open(struct container *container, struct arena *arena, const char *name,
                    const char *bytes, size_t size, struct diags *diags)
{
    struct container_location whole = {0};
    const char *what;
    *container = (struct container){
        .arena = arena,
        .diags = diags,
        .name = name,
        .bytes = bytes,
        .size = size,
        .kind = kind_of(bytes, size, &what),
    };
    if (container->kind == CONTAINER_TEXT && is_binary(container))
        container->kind = CONTAINER_UNKNOWN;
    else if (!size)
        container_fault(container, whole, 0, "it is empty");
    else if (container->kind == CONTAINER_ARCHIVE)
        read_archive(container);
    else if (!read_one(container, whole, container->kind, 0, size))
        container_fault(container, whole, 0, "it is %s", what);
    return !container->faults;
}
