// --print-config-digests: the digests of many configurations in one process.
#pragma once
#include "support/arena.h"
#include <stdio.h>

// Reads lines from standard input, each with options of a machine, quoted as in response files.
// Writes a line of JSON for each: the SHA-256 of what --print-config prints with these options,
// that of the values that are not the initial ones of their keys, and the files that it read; or
// its messages. With --list-stats it has also the names of its statistics. With --version only the
// options are checked.
// Returns NULL, or the error of reading; `*good` is false if a line has an error.
const char *sim_digests_print(struct arena *arena, FILE *to, bool *good);
