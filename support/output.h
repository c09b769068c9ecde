// Writing files so that each is there whole or not at all: to a temporary file beside the target,
// which takes the target's name when all of a run's outputs are complete.
//
// A pipe, a terminal or a device is written directly, as is standard output ("-").
#pragma once
#include "support/vec.h"
#include <stdio.h>

struct output_file {
    const char *path;      // as the user wrote it
    const char *target;    // `path` with symbolic links followed
    const char *temporary; // beside the target, while it exists; NULL: written directly
    FILE *to;              // NULL when closed
    int fd;
    int error; // errno of the first write that failed, or 0
    unsigned mode;
};

struct outputs {
    struct arena *arena;
    VEC(struct output_file *) list;
};

void outputs_init(struct outputs *outputs, struct arena *arena);

// Opens an output. Returns where to write, or NULL with `*error`: a sentence with the file's name.
// What goes wrong while writing is kept and told by outputs_commit.
FILE *output_open(struct outputs *outputs, const char *path, const char **error);

// Closes all outputs and gives them their names. Returns NULL, or what went wrong: then the
// temporary files are gone and files that were there before are as they were (unless a rename fails
// after another one succeeded).
const char *outputs_commit(struct outputs *outputs);

// Closes all that are open, and removes their temporary files.
void outputs_abandon(struct outputs *outputs);

// Removes the temporary files and does nothing else: it may be called in a signal handler at any
// time between outputs_init and the end of the arena.
void outputs_remove(const struct outputs *outputs);

// True if writing to both paths would leave one file, however they are written. Devices, pipes and
// terminals can be written to twice; standard output cannot.
bool output_same(struct arena *arena, const char *a, const char *b);

// Why a file must not be written whose name comes from a file that somebody else may have made, or
// NULL: a phrase about the path, in the arena. It must be a new or a regular file below the current
// folder when all links are followed.
const char *output_refusal(struct arena *arena, const char *path);

// True if the path names something that is there and is not a regular file.
bool output_is_special(const char *path);
