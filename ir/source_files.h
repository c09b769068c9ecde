// The text of the files that .file names: the source that was compiled to PTX, shown beside it.
#pragma once
#include "support/file.h"
#include "support/source.h"
#include "support/vec.h"

// Reads the sources of the program. A file is searched beside the program, by its whole name and by
// its last part, and in the current folder.
struct source_files {
    struct arena *arena;
    const char *program;
    VEC(struct source_file {
        const char *name;
        const struct source *source; // NULL: not found
    })
    list;
};
// Returns the file that .file names, or NULL if it is not found.
const struct source *source_find(struct source_files *files, const char *name);
// Returns the line's text; an empty one beyond the end.
struct file_text source_text(const struct source *source, uint32_t line);
