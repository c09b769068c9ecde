// Input that an earlier run has written with --emit=elf: PTX together with what was decided.
#pragma once
#include "cli/messages.h"

// True if the file is such an object, and the arguments do not ask for its PTX alone with --module
// or --arch.
bool object_input_is(struct arena *arena, const struct arguments *arguments);

// Reads the object. False after saying what is wrong with it, or that the options of the analysis
// are others than those that it was made with.
bool object_input_read(const struct messages *messages, struct arena *arena, struct source *ptx,
                       struct tables *tables);
