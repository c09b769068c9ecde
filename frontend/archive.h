// Static libraries: `ar` files in the GNU and BSD formats. libelf also reads them, but it reports
// neither the position of damage nor truncated members.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_member {
    const char *name; // not terminated; `name_size` bytes in the archive
    uint64_t name_size;
    uint64_t begin, size; // the contents, as offsets in the file
};

struct archive {
    const char *bytes;
    uint64_t size;
    uint64_t at;                // offset of the next member's header
    uint64_t names, names_size; // the table of long names
    const char *fault;          // NULL, or the error found at `at`
};

// Returns true for a thin archive, which contains only the names of its members.
bool archive_is_thin(const char *bytes, size_t size);

// Prepares to read the archive's members. The bytes are not copied.
void archive_open(struct archive *archive, const char *bytes, size_t size);
// Reads the next member and skips the archive's own tables. Returns false at the end or at damage,
// which sets `fault`. A truncated last member is returned as far as it is present.
bool archive_next(struct archive *archive, struct archive_member *member);
