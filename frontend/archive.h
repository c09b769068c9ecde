// Static libraries: files of `ar`. As with objects, no memory is taken from an arena.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARCHIVE_NAME = 256 };

struct archive_member {
    char name[ARCHIVE_NAME]; // cut if it is longer
    uint64_t begin, size;    // in the file
};

struct archive {
    uint32_t members;  // without the archive's own tables
    const char *fault; // NULL, or why the members end at `end`
    uint64_t end;
};

bool archive_is(const char *bytes, size_t size);
// A thin archive names its members, and they lie elsewhere.
bool archive_is_thin(const char *bytes, size_t size);

// Describes as many members as there is room for, and counts all.
void archive_read(struct archive *archive, const char *bytes, size_t size,
                  struct archive_member *members, uint32_t room);
