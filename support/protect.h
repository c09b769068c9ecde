// The files that a command reads or runs, which its outputs must not replace. A file is known by
// device and inode, so that all its names and links count. file_read and file_map note what they
// read; outputs ask.
#pragma once
#include "support/arena.h"

// Notes a regular file that the command reads or runs. Other paths are ignored.
void protect_file(struct memory *memory, const char *path);
// The same for an open file.
void protect_open(struct memory *memory, int file);
// Notes all files in the folder, not those in folders below it.
void protect_folder(struct memory *memory, const char *path);
// Lets outputs replace the file.
void protect_release(struct memory *memory, const char *path);
// Returns true if the path leads to a file that is protected.
bool protect_has(const struct memory *memory, const char *path);
