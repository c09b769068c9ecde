// Checks that the files that a command writes differ from each other and from those that it reads.
#pragma once
#include "cli/common/messages.h"

struct named_file {
    const char *path, *what; // the option that writes it, or what is read: "the configuration"
    bool written;
};

struct named_files {
    struct arena *arena;
    const struct messages *messages;
    VEC(struct named_file) list;
};

// Adds a file, unless the path is NULL. Add files that are read first.
void files_add(struct named_files *files, const char *path, const char *what, bool written);
// Adds the files that the command line's options write.
void files_add_outputs(struct named_files *files, const struct command *command,
                       const void *options);
// Returns false after reporting each file that would be overwritten or written twice.
bool files_check(struct named_files *files);
