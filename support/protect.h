// The files that a command reads or runs, which its outputs must not replace. Files are identified
// by device and inode, so all names and links of a file count. file_read and file_map register what
// they read; outputs check it.
#pragma once
#include "support/arena.h"

// Registers a regular file that the command reads or runs. Other paths are ignored.
void protect_file(struct memory *memory, const char *path);
// Registers an open file in the same way.
void protect_open(struct memory *memory, int file);
// Registers all files in the folder, but not those in its subfolders.
void protect_folder(struct memory *memory, const char *path);
// Allows outputs to replace the file.
void protect_release(struct memory *memory, const char *path);
// Returns true if the path refers to a registered file.
bool protect_has(const struct memory *memory, const char *path);
