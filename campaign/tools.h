// The programs that a campaign starts, and what they read, by digests.
#pragma once
#include "backend/build.h"
#include "support/vec.h"

struct campaign_tools {
    const char *tagger, *sim; // paths of ptxoffload and ptxoffload-sim
    char tagger_digest[SHA256_HEX + 1], sim_digest[SHA256_HEX + 1];
};

struct campaign_argv {
    VEC(const char *) list; // ends in NULL when it is started
};

struct campaign_output {
    int status;            // as waitpid has it
    const char *out, *err; // what it has written
};

// Both in this folder. NULL, or why not.
const char *campaign_tools_find(struct campaign_tools *tools, struct arena *arena,
                                const char *folder);
// NULL, or why the file cannot be read.
const char *campaign_digest(struct arena *arena, char digest[SHA256_HEX + 1], const char *path);

void campaign_push(struct arena *arena, struct campaign_argv *argv, const char *word);
// Starts the program, standard output and error to these descriptors; it ends with this process.
// Returns its process, or -1 with errno.
int campaign_start(struct arena *arena, struct campaign_argv *argv, int out, int err);
// Runs it to its end. NULL, or why it cannot be started.
const char *campaign_capture(struct arena *arena, struct campaign_argv *argv,
                             struct campaign_output *output);
// "exit code 1", "killed by signal 9"
const char *campaign_status_text(struct arena *arena, int status);
// Makes the text one that JSON takes: what is no letter becomes a question mark.
void campaign_clean(char *text, size_t length);
// The last line of a text that says an error, or else that is not empty.
const char *campaign_last_line(struct arena *arena, const char *text);
