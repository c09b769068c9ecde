// The input file: reads it and says what it is if it is no PTX text.
#pragma once
#include "support/source.h"

// Reads the file into `source`. Returns NULL, or one sentence with the file's name and in `*id` the
// rule that it breaks.
const char *input_read(struct source *source, struct arena *arena, const char *path,
                       const char **id);

// Opens standard descriptors that are closed, or the next file that is opened would take their
// place. To be called before any other is opened; ends the process with 1 if that is not possible.
void input_open_standard(void);
