#include "frontend/container_internal.h"
#include <ar.h>
#include <string.h>

static const char thin_magic[] = "!<thin>\n";
static const char bsd_name[] = "#1/"; // then the length of the name, which precedes the contents

static bool begins_with(const char *bytes, uint64_t size, const char *word)
{
    return size >= strlen(word) && !memcmp(bytes, word, strlen(word));
}

bool archive_is_thin(const char *bytes, size_t size)
{
    return begins_with(bytes, size, thin_magic);
}

void archive_open(struct archive *archive, const char *bytes, size_t size)
{
    *archive = (struct archive){.bytes = bytes, .size = size, .at = SARMAG};
}

// Reads a decimal number that is padded with blanks to the field's end.
static bool read_number(const char *field, uint64_t size, uint64_t *number)
{
    uint64_t digits = 0;
    *number = 0;
    for (; digits < size && field[digits] >= '0' && field[digits] <= '9'; digits++)
        *number = *number * 10 + (uint64_t)(field[digits] - '0');
    for (uint64_t i = digits; i < size; i++)
        if (field[i] != ' ')
            return false;
    return digits;
}

// Reads the header at archive->at and moves past the contents.
static bool read_header(struct archive *archive, struct archive_member *member)
{
    struct ar_hdr header;
    if (archive->size - archive->at < sizeof header) {
        archive->fault = "the archive is truncated in a member's header";
        return false;
    }
    memcpy(&header, archive->bytes + archive->at, sizeof header);
    if (memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) ||
        !read_number(header.ar_size, sizeof header.ar_size, &member->size)) {
        archive->fault = "expected the header of a member";
        return false;
    }
    member->name = archive->bytes + archive->at;
    member->name_size = sizeof header.ar_name;
    while (member->name_size && member->name[member->name_size - 1] == ' ')
        member->name_size--;
    member->begin = archive->at + sizeof header;
    uint64_t left = archive->size - member->begin;
    if (member->size > left) {
        archive->fault = "this member is truncated";
        member->size = left;
        return true;
    }
    // The next header is at an even offset; the padding byte may be missing at the end of the file.
    archive->at = member->begin + member->size + member->size % 2;
    if (archive->at > archive->size)
        archive->at = archive->size;
    return true;
}

static bool is_named(const struct archive_member *member, const char *name)
{
    return member->name_size == strlen(name) && !memcmp(member->name, name, member->name_size);
}

static bool is_own_table(const struct archive_member *member)
{
    return is_named(member, "/") || is_named(member, "/SYM64/") || is_named(member, "__.SYMDEF") ||
           is_named(member, "__.SYMDEF SORTED");
}

// Resolves "/12": the name begins at byte 12 of the table and ends with a slash and a line feed.
static void find_long_name(const struct archive *archive, struct archive_member *member)
{
    uint64_t at;
    if (!read_number(member->name + 1, member->name_size - 1, &at) || at >= archive->names_size)
        return;
    const char *name = archive->bytes + archive->names + at;
    uint64_t left = archive->names_size - at;
    const char *end = memchr(name, '\n', left);
    member->name = name;
    member->name_size = end ? (uint64_t)(end - name) : left;
}

static void find_name(const struct archive *archive, struct archive_member *member)
{
    uint64_t size;
    if (member->name_size > 1 && member->name[0] == '/')
        find_long_name(archive, member);
    else if (begins_with(member->name, member->name_size, bsd_name) &&
             read_number(member->name + 3, member->name_size - 3, &size) && size <= member->size) {
        member->name = archive->bytes + member->begin;
        member->name_size = strnlen(member->name, size);
        member->begin += size;
        member->size -= size;
    }
    if (member->name_size > 1 && member->name[member->name_size - 1] == '/')
        member->name_size--;
}

bool archive_next(struct archive *archive, struct archive_member *member)
{
    while (!archive->fault && archive->at < archive->size && read_header(archive, member)) {
        if (is_named(member, "//")) {
            archive->names = member->begin;
            archive->names_size = member->size;
            continue;
        }
        if (is_own_table(member))
            continue;
        find_name(archive, member);
        if (!is_own_table(member))
            return true;
    }
    return false;
}
