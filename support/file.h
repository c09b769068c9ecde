// Files: reads and maps whole files, and replaces prefixes of their names.
#pragma once
#include "support/vec.h"

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

// A file in memory, mapped without a copy: libraries with GPU code can exceed half a gigabyte, of
// which only some pages are read.
struct file_map {
    const char *bytes; // `size` bytes, without a terminator
    size_t size;
    void *mapping; // NULL: the bytes are in the arena
};

// Maps a large regular file; reads a small file, a pipe, a device or standard input ("-") into the
// arena. Returns NULL, or why it cannot be read: a sentence without the file's name, in the arena.
// An empty file is an error. A mapped file must not be truncated until it is unmapped.
const char *file_map(struct arena *arena, const char *path, struct file_map *map);
// Unmaps the file; has no effect after a failure. Bytes in the arena are freed with it.
void file_unmap(struct file_map *map);

// Prefixes of file names that are replaced in outputs, so that outputs do not depend on the build
// folder.

struct prefix_pair {
    const char *from, *to; // `from` ends at the '=' before `to`
    size_t length;         // length of `from`
};

struct prefix_map {
    VEC(struct prefix_pair) list;
};

// Adds OLD=NEW; OLD ends at the first '='. Keeps a pointer to the argument. Returns NULL, or the
// error.
const char *prefix_map_add(struct prefix_map *map, struct arena *arena, const char *argument);
// Returns the name; if it starts with OLD, a copy with NEW instead. The last matching pair applies.
const char *prefix_map_name(const struct prefix_map *map, struct arena *arena, const char *name);
