// Input that contains PTX: programs, objects, libraries, fatbins, cubins.
#pragma once
#include "cli/common/messages.h"

// Returns true if the file begins as one of these; false if it cannot be read, which a later read
// reports.
bool container_input_is(const char *path);

// Prints the modules of the file, which may be PTX text as well. Returns false after reporting an
// error.
bool container_input_list(const struct messages *messages, struct arena *arena, const char *path,
                          bool as_json, FILE *to);

// Unpacks the one module that the arguments select. Returns false after reporting an error.
bool container_input_read(const struct messages *messages, struct arena *arena,
                          struct source *source);

// Takes one of several modules: its file name, without folder and suffix, and its PTX, or NULL
// after reporting that it cannot be unpacked. All data is in the arena and valid during the call.
typedef bool container_input_take(void *context, const char *name, const struct source *source);

// Passes each of the modules that the arguments select to `take`, in the order of their numbers,
// with an arena that is emptied in between. Returns false if one was not taken or cannot be read.
bool container_input_each(const struct messages *messages, struct arena *arena,
                          struct arena *of_module, container_input_take *take, void *context);
