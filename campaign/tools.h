// The programs that a campaign starts, and the digests of their inputs.
#pragma once
#include "backend/tables/build.h"
#include "support/vec.h"

struct campaign_tool {
    const char *path;
    const char *stamp; // of the file; the same stamp has the same digest
    char digest[SHA256_HEX + 1];
};

struct campaign_tools {
    struct campaign_tool tagger, sim; // ptxoffload and ptxoffload-sim
};

struct campaign_argv {
    VEC(const char *) list; // ends in NULL when it is started
};

struct campaign_output {
    int status;            // as returned by waitpid
    const char *out, *err; // its output
};

// Finds both programs in this folder. Returns NULL, or the error.
const char *campaign_tools_find(struct campaign_tools *tools, struct arena *arena,
                                const char *folder);
// Returns NULL if the program still has its digest, or the error. Reads it if the stamp differs.
const char *campaign_tool_check(struct arena *arena, const struct campaign_tool *tool);
// Returns NULL, or the reason why the file cannot be read.
const char *campaign_digest(struct arena *arena, char digest[SHA256_HEX + 1], const char *path);

void campaign_push(struct arena *arena, struct campaign_argv *argv, const char *word);
// Starts the program with these descriptors as standard input, output and error; it ends with this
// process. Without input, `in` is -1. Returns its process, or -1 with errno.
int campaign_start(struct arena *arena, struct campaign_argv *argv, int in, int out, int err);
// Runs it to its end with the text as standard input. Returns NULL, or the reason why it cannot be
// started.
const char *campaign_capture(struct arena *arena, struct campaign_argv *argv, const char *input,
                             size_t length, struct campaign_output *output);
// "exit code 1", "killed by signal 9"
const char *campaign_status_text(struct arena *arena, int status);
// Makes the text valid in JSON: replaces invalid characters by question marks.
void campaign_clean(char *text, size_t length);
// Returns the last line of a text with an error, or else the last one that is not empty.
const char *campaign_last_line(struct arena *arena, const char *text);
