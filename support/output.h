// Writes files atomically: each output is written to a temporary file beside its target, and
// renamed when all outputs of a run are complete.
//
// Pipes, terminals, devices and standard output ("-") are written directly.
//
// A file that the command reads or runs (support/protect.h) is never replaced, whether it is read
// before or after the output is opened.
#pragma once
#include "support/vec.h"
#include <stdio.h>

enum { OUTPUT_IS_INPUT = -1 }; // instead of an errno

struct output_file {
    const char *path;      // as given by the user
    const char *target;    // `path` with symbolic links followed
    const char *temporary; // existing temporary file beside the target; NULL: written directly
    FILE *to;              // NULL when closed
    int fd;
    int error;         // errno of the first failed write, OUTPUT_IS_INPUT, or 0
    bool is_truncated; // written directly, and the earlier content was truncated
    const struct memory *memory;
    unsigned mode;
};

struct outputs {
    struct arena *arena;
    VEC(struct output_file *) list;
};

// Initialises an empty list of outputs.
void outputs_init(struct outputs *outputs, struct arena *arena);

// Opens an output. Returns the stream, or NULL with `*error`, a sentence with the file's name.
// Errors of later writes are reported by outputs_commit.
FILE *output_open(struct outputs *outputs, const char *path, const char **error);

// Closes and renames all outputs. Returns NULL, or the error; the temporary files are then removed
// and previous files are unchanged (unless a rename fails after another succeeded).
const char *outputs_commit(struct outputs *outputs);

// Closes all open outputs and removes their temporary files.
void outputs_abandon(struct outputs *outputs);

// Only removes the temporary files. May be called in a signal handler at any time between
// outputs_init and the end of the arena.
void outputs_remove(const struct outputs *outputs);

// Returns true if the path refers to a file that the command has read or to a program that it runs,
// which outputs do not replace.
bool output_is_protected(const struct memory *memory, const char *path);

// Returns true if both paths name the same file. Devices, pipes and terminals can be written to
// twice; standard output cannot.
bool output_same(struct arena *arena, const char *a, const char *b);

// Checks an output path that is given in an input file. Returns NULL if it may be written: a new or
// regular file below the current folder after following all links. Otherwise returns a phrase about
// the path, in the arena.
const char *output_refusal(struct arena *arena, const char *path);

// Returns true if the path exists and is not a regular file.
bool output_is_special(const char *path);
