// Inputs: PTX text, containers of PTX (programs, objects, libraries, fatbins, cubins), and objects
// with tables from an earlier run with --emit=elf.
#pragma once
#include "backend/tables/tables.h"
#include "cli/common/messages.h"

// Reads a PTX text. Returns false after reporting an error, which names the format of a file that
// is not PTX.
bool input_text(const struct messages *messages, struct arena *arena, const char *path,
                struct source *source);
// Reads the input that the options name: a text, the one module that they select in a container, or
// an object. For an object, unless --module or --arch is given, `*is_object` is set and its tables
// are read. Returns false after reporting an error.
bool input_read(const struct messages *messages, struct arena *arena, struct source *source,
                struct tables *tables, bool *is_object);

// Returns true if the file starts like a container; false if it cannot be read, which a later read
// reports.
bool container_input_is(const char *path);
// Prints the modules of the file, which may be PTX text as well. Returns false after reporting an
// error.
bool container_input_list(const struct messages *messages, struct arena *arena, const char *path,
                          bool as_json, FILE *to);

// Receives one of several modules: its file name, without folder and suffix, and its PTX, or NULL
// after reporting that it cannot be unpacked. All data is in the arena and valid during the call.
typedef bool container_input_fn(void *context, const char *name, const struct source *source);

// Passes each module that the options select to `take`, in the order of their numbers, with an
// arena that is emptied after each. Returns false if a module was not accepted or cannot be read.
bool container_input_each(const struct messages *messages, struct arena *arena,
                          struct arena *of_module, container_input_fn *take, void *context);
