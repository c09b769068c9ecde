// Static libraries: `ar` files in the forms of GNU and BSD. libelf reads them too, but reports
// neither the place of damage nor truncated members.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_member {
    const char *name; // in the archive, `name_size` bytes
    uint64_t name_size;
    uint64_t begin, size; // contents, in the file
};

struct archive {
    const char *bytes;
    uint64_t size;
    uint64_t at;                // the next member's header
    uint64_t names, names_size; // the table of long names
    const char *fault;          // NULL, or the error at `at`
};

// A thin archive contains the names of its members only.
bool archive_is_thin(const char *bytes, size_t size);

void archive_open(struct archive *archive, const char *bytes, size_t size);
// Returns the next member; the archive's own tables are skipped. Returns false at the end, or at
// damage. A truncated last member is returned as far as it is present.
bool archive_next(struct archive *archive, struct archive_member *member);
