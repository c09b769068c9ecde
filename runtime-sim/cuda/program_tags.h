// The tags of modules, carried over to the program that they are linked into. A module's tags have
// the digest of the module alone, and the names of its functions may change.
#pragma once
#include "backend/tables/tables.h"
#include "support/source.h"

struct cuda;
struct cuda_binary;

// Takes the tags out of the module's PTX; those that belong to its text are kept in `tables`.
// Returns NULL, or why its tags cannot be used.
const char *program_take_tags(struct cuda *cuda, struct cuda_binary *binary);
// Puts the tags of all linked modules into the program. Without tags nothing changes.
void program_put_tags(struct cuda *cuda, struct source *program);
