// Input that is not PTX text itself but holds some: programs, objects, libraries, fatbins, cubins.
#pragma once
#include "cli/messages.h"

// True if the file begins as one of these. A file that cannot be read is not: reading it says why.
bool container_input_is(const char *path);

// Prints the modules of the file, which may be PTX text as well. False after saying what is wrong.
bool container_input_list(const struct messages *messages, struct arena *arena, const char *path,
                          bool as_json, FILE *to);

// Unpacks the one module that the arguments choose. False after saying what is wrong.
bool container_input_read(const struct messages *messages, struct arena *arena,
                          struct source *source);

// Takes one of several modules: its file name, without folder and suffix, and its PTX, or NULL if
// that cannot be unpacked, which has been said. All of it is in the arena and may go afterwards.
typedef bool container_input_take(void *context, const char *name, const struct source *source);

// Gives each of the modules that the arguments choose to `take`, in the order of their numbers,
// with an arena that is emptied in between. False if one was not taken or cannot be read.
bool container_input_each(const struct messages *messages, struct arena *arena,
                          struct arena *of_module, container_input_take *take, void *context);
