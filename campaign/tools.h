// The programs that a campaign runs, and digests of files.
#pragma once
#include "backend/tables/build.h"
#include "support/vec.h"

struct campaign_tool {
    const char *path;
    const char *stamp; // file identity, size and times; equal stamps imply equal digests
    char digest[SHA256_HEX + 1];
};

struct campaign_tools {
    struct campaign_tool tagger, sim; // ptxoffload and ptxoffload-sim
};

struct campaign_argv {
    VEC(const char *) list; // NULL-terminated when the program is started
};

struct campaign_output {
    int status;            // as returned by waitpid
    const char *out, *err; // captured output
};

// Finds both programs in this folder. Returns NULL, or the error.
const char *campaign_tools_find(struct campaign_tools *tools, struct arena *arena,
                                const char *folder);
// Checks that a program still has its digest; the file is read only if its stamp differs. Returns
// NULL, or the error.
const char *campaign_tool_check(struct arena *arena, const struct campaign_tool *tool);
// Computes the SHA-256 of a file. Returns NULL, or why the file cannot be read.
const char *campaign_digest(struct arena *arena, char digest[SHA256_HEX + 1], const char *path);

// Appends a word to a command line.
void campaign_push(struct arena *arena, struct campaign_argv *argv, const char *word);
// Starts a program with these descriptors as standard input, output and error. It is killed when
// this process ends. `in` is -1 for no input. Returns its process ID, or -1 with errno.
int campaign_start(struct arena *arena, struct campaign_argv *argv, int in, int out, int err);
// Runs a program to its end with the text as standard input. Returns NULL, or why it cannot be
// started.
const char *campaign_capture(struct arena *arena, struct campaign_argv *argv, const char *input,
                             size_t length, struct campaign_output *output);
// Describes a status of waitpid: "exit code 1" or "killed by signal 9".
const char *campaign_status_text(struct arena *arena, int status);
// Makes the text valid for JSON: replaces invalid characters by question marks.
void campaign_clean(char *text, size_t length);
// Returns the last line that contains an error, or else the last line that is not empty.
const char *campaign_last_line(struct arena *arena, const char *text);
