// Reads the input file, and names its format if it is not PTX text.
#pragma once
#include "support/source.h"

// Reads the file into `source`. Returns NULL, or one sentence with the file's name, and in `*id`
// the rule.
const char *input_read(struct source *source, struct arena *arena, const char *path,
                       const char **id);

// Opens closed standard descriptors, so that no other file takes their place. Call it before any
// file is opened. Ends the process with 1 if that is not possible.
void input_open_standard(void);
