// Response files: `@FILE` on a command line is replaced by the arguments in the file.
#pragma once
#include "support/vec.h"

struct response_line {
    VEC(char *) arguments; // the command's name first
    const char *error;     // one sentence, or NULL
};

// Replaces each `@FILE` by the contents of the file, quoted as in gcc: white space separates
// arguments; ' and " quote; a backslash escapes the next character, also within quotes. Files may
// name files. A file that cannot be read or that includes itself is an error.
struct response_line response_expand(struct arena *arena, int argc, char *const *argv);
