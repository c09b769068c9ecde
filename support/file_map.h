// A whole file in memory without a copy: libraries with GPU code in them have half a gigabyte and
// more, of which only some pages are looked at.
#pragma once
#include "support/arena.h"

struct file_map {
    const char *bytes; // `size` bytes, with nothing behind them
    size_t size;
    void *mapping; // NULL: the bytes lie in the arena
};

// Maps a large regular file; reads what is small, a pipe, a device or standard input ("-") into the
// arena. Returns NULL, or why it cannot be read: a sentence without the file's name, in the arena.
// An empty file is an error. A mapped file must not be cut short by others until it is unmapped.
const char *file_map(struct arena *arena, const char *path, struct file_map *map);
// Also after a failure. The bytes of a map without a mapping go with the arena.
void file_unmap(struct file_map *map);
