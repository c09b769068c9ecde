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
