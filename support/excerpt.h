// Prints the source line of a diagnostic with its range marked, for a terminal.
#pragma once
#include "support/source.h"
#include <stdio.h>

// Prints the line that contains `begin` and marks the range up to `end`, or to the end of the line.
// Lines that are too wide are cut around the range. Characters that a terminal does not display
// (control characters, invalid UTF-8) are printed as `<1b>` or `<U+202E>`.
void excerpt_print(const struct source *source, uint32_t begin, uint32_t end, FILE *to,
                   bool colour);
