// Response files: `@FILE` on a command line is replaced by the arguments in the file.
#pragma once
#include "support/vec.h"

struct response_line {
    VEC(char *) arguments; // the command's name first
    const char *error;     // one sentence, or NULL
};

// Replaces each `@FILE` by the contents of the file, quoted as in gcc: white space separates
// arguments; ' and " quote; a backslash escapes the next character, also within quotes. Files may
// name files. A file that cannot be read or that includes itself is an error, and so are files that
// together exceed a limit of number, depth, bytes or arguments.
struct response_line response_expand(struct arena *arena, int argc, char *const *argv);
// Appends the words of the first line of the text, with the same quotes, and moves `text` past the
// line. Changes the text. A line ends at a line break that is not quoted.
void response_next_line(struct arena *arena, char **text, struct response_line *line);
