// Input from an earlier run with --emit=elf: PTX together with its decisions.
#pragma once
#include "cli/common/messages.h"

// Returns true if the file is such an object, and the arguments do not request its PTX alone by
// --module or --arch.
bool object_input_is(struct arena *arena, const struct arguments *arguments);

// Reads the object. Returns false after reporting a fault, or options of the analysis that differ
// from those of the object.
bool object_input_read(const struct messages *messages, struct arena *arena, struct source *ptx,
                       struct tables *tables);
