// Response files: `@FILE` on a command line stands for the arguments in the file.
#pragma once
#include "support/vec.h"

struct response_line {
    VEC(char *) arguments; // the command's name first
    const char *error;     // one sentence, or NULL
};

// Replaces each `@FILE` by what is in the file, quoted as gcc has it: white space divides
// arguments; ' and " hold together what is between them; a backslash takes the next character as it
// is, also within quotes. Files may name files. A file that cannot be read or that includes itself
// is an error.
struct response_line response_expand(struct arena *arena, int argc, char *const *argv);
