// Atomic output of files: each is written to a temporary file beside the target and renamed when
// all outputs of a run are complete.
//
// A pipe, a terminal or a device is written directly, as is standard output ("-").
//
// A file that the command reads or runs (support/protect.h) is never replaced, whether it is read
// before or after the output is opened.
#pragma once
#include "support/vec.h"
#include <stdio.h>

enum { OUTPUT_IS_INPUT = -1 }; // instead of an errno

struct output_file {
    const char *path;      // as the user wrote it
    const char *target;    // `path` with symbolic links followed
    const char *temporary; // beside the target, while it exists; NULL: written directly
    FILE *to;              // NULL when closed
    int fd;
    int error;         // errno of the first write that failed, OUTPUT_IS_INPUT, or 0
    bool is_truncated; // written directly: its earlier content is gone
    const struct memory *memory;
    unsigned mode;
};

struct outputs {
    struct arena *arena;
    VEC(struct output_file *) list;
};

void outputs_init(struct outputs *outputs, struct arena *arena);

// Opens an output. Returns the stream, or NULL with `*error`, a sentence with the file's name.
// outputs_commit reports errors of later writes.
FILE *output_open(struct outputs *outputs, const char *path, const char **error);

// Closes all outputs and renames them. Returns NULL, or the error: then the temporary files are
// removed and previous files are unchanged (unless a rename fails after another one succeeded).
const char *outputs_commit(struct outputs *outputs);

// Closes all open outputs and removes their temporary files.
void outputs_abandon(struct outputs *outputs);

// Removes the temporary files and does nothing else. It may be called in a signal handler at any
// time between outputs_init and the end of the arena.
void outputs_remove(const struct outputs *outputs);

// Returns true if the path leads to a file that the command has read, or to a program that it runs:
// outputs do not replace it.
bool output_is_protected(const struct memory *memory, const char *path);

// Returns true if both paths name the same file. Devices, pipes and terminals can be written to
// twice; standard output cannot.
bool output_same(struct arena *arena, const char *a, const char *b);

// Checks a path from a file of another person. Returns NULL if it may be written: a new or a
// regular file below the current folder when all links are followed. Else returns a phrase about
// the path, in the arena.
const char *output_refusal(struct arena *arena, const char *path);

// Returns true if the path exists and is not a regular file.
bool output_is_special(const char *path);
