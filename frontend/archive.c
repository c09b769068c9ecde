#include "frontend/archive.h"
#include <ar.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char thin_magic[] = "!<thin>\n";

static bool begins_with(const char *bytes, size_t size, const char *magic)
{
    return size >= strlen(magic) && !memcmp(bytes, magic, strlen(magic));
}

bool archive_is_thin(const char *bytes, size_t size)
{
    return begins_with(bytes, size, thin_magic);
}

bool archive_is(const char *bytes, size_t size)
{
    return begins_with(bytes, size, ARMAG);
}

// Symbol tables and long names.
static bool is_own_table(const char *name)
{
    return !strcmp(name, "/") || !strcmp(name, "//") || !strcmp(name, "/SYM64/") ||
           !strcmp(name, "__.SYMDEF") || !strcmp(name, "__.SYMDEF SORTED");
}

static struct archive_member describe(Elf *member, const Elf_Arhdr *header)
{
    struct archive_member found = {
        .begin = (uint64_t)elf_getbase(member),
        .size = header->ar_size > 0 ? (uint64_t)header->ar_size : 0,
    };
    snprintf(found.name, sizeof found.name, "%s", header->ar_name);
    return found;
}

// libelf gives a member that is cut short the size that is there, so the header is asked.
static bool is_cut(const char *bytes, const struct archive_member *member)
{
    char digits[sizeof(((struct ar_hdr *)NULL)->ar_size) + 1] = {0};
    const char *header = bytes + member->begin - sizeof(struct ar_hdr);
    memcpy(digits, header + offsetof(struct ar_hdr, ar_size), sizeof digits - 1);
    return strtoull(digits, NULL, 10) > member->size;
}

// Takes the member that libelf stands at. Returns false if it is the last one to be read.
static bool take_member(struct archive *archive, const char *bytes, Elf *member,
                        struct archive_member *members, uint32_t room)
{
    const Elf_Arhdr *header = elf_getarhdr(member);
    if (!header)
        return false;
    struct archive_member found = describe(member, header);
    if (!is_own_table(found.name)) {
        if (archive->members < room)
            members[archive->members] = found;
        archive->members++;
    }
    // The next one begins at an even place.
    archive->end = found.begin + found.size;
    if (is_cut(bytes, &found))
        archive->fault = "the archive is cut short in its last member";
    else
        archive->end += archive->end & 1;
    return !archive->fault;
}

void archive_read(struct archive *archive, const char *bytes, size_t size,
                  struct archive_member *members, uint32_t room)
{
    *archive = (struct archive){.end = SARMAG};
    Elf *elf = NULL;
    if (elf_version(EV_CURRENT) != EV_NONE)
        elf = elf_memory((char *)(uintptr_t)bytes, size);
    Elf_Cmd next = ELF_C_READ_MMAP; // what elf_memory itself does
    while (elf && next != ELF_C_NULL) {
        Elf *member = elf_begin(-1, next, elf);
        next = member && take_member(archive, bytes, member, members, room) ? elf_next(member)
                                                                            : ELF_C_NULL;
        elf_end(member);
    }
    elf_end(elf);
    if (!archive->fault && archive->end < size)
        archive->fault = "no member's header stands here";
}
