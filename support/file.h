// Reading a whole file.
#pragma once
#include "support/arena.h"

enum { FILE_LIMIT = INT32_MAX }; // bytes; offsets are 32 bits, and some are signed on the path

struct file_text {
    const char *text; // `length` bytes, then two NUL bytes
    uint32_t length;
};

// Returns true for the name of standard input or output.
bool file_is_standard(const char *path);

// Returns true if the path leads to something that is not a folder. Where a name may be that of a
// file or of something built in, a folder of that name is neither.
bool file_is_there(const char *path);

// Reads a regular file, a pipe, a device or standard input ("-") to its end, at most FILE_LIMIT
// bytes. Returns NULL, or the reason why it cannot be read: a sentence without the file's name, in
// the arena. An empty file is an error. If memory is exhausted the file stays open.
const char *file_read(struct arena *arena, const char *path, struct file_text *file);
