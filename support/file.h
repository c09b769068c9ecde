// Reads whole files.
#pragma once
#include "support/arena.h"

enum { FILE_LIMIT = INT32_MAX }; // bytes; offsets are 32 bits, and some code uses signed ones

struct file_text {
    const char *text; // `length` bytes, then two NUL bytes
    uint32_t length;
};

// Returns true for "-", standard input or output.
bool file_is_standard(const char *path);

// Returns true if the path refers to something other than a folder. For names that are either a
// file or something built in, a folder is neither.
bool file_is_there(const char *path);

// Reads a regular file, a pipe, a device or standard input ("-") to its end, at most FILE_LIMIT
// bytes. Returns NULL, or why it cannot be read: a sentence without the file's name, in the arena.
// An empty file is an error. If memory runs out the file stays open.
const char *file_read(struct arena *arena, const char *path, struct file_text *file);
