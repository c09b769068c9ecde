// Maps a whole file into memory without a copy: libraries with GPU code can exceed half a gigabyte,
// of which only some pages are read.
#pragma once
#include "support/arena.h"

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
