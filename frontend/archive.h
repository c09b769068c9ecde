// Static libraries: files of `ar` in the forms of GNU and BSD. libelf reads them too, but says
// neither where one is damaged nor that a member is cut short.
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

// A thin archive names its members, and they lie elsewhere.
bool archive_is_thin(const char *bytes, size_t size);

void archive_open(struct archive *archive, const char *bytes, size_t size);
// Gives the next member; the archive's own tables are none. Returns false at the end, or where the
// archive is damaged. A last member that is cut short is given as far as it is there.
bool archive_next(struct archive *archive, struct archive_member *member);
