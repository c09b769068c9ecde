// Options for diagnostics and the names in them, which are the same in all commands.
#pragma once
#include "cli/tagger/arguments.h"

// A group of options, for structures that begin with struct arguments.
extern const struct option diagnostics_options[];

// Values of --locations.
extern const char *const location_names[];

// Returns the error if a document of --diagnostics is not alone on its stream, or NULL. `outputs`
// are the command's files; those that are not requested are NULL.
const char *diagnostics_conflict(const struct arguments *arguments, const char *const *outputs,
                                 size_t count);
