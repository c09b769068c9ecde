// Carries the tags of modules over to the program that they are linked into. Tags contain the
// digest of their module alone, and linking may rename functions.
#pragma once
#include "backend/tables/tables.h"
#include "support/source.h"

struct cuda;
struct cuda_binary;

// Removes the tags from the PTX of a binary's modules and keeps them in their `tables`. Returns
// NULL, or why the tags cannot be used.
const char *program_read_tags(struct cuda *cuda, struct cuda_binary *binary);
// Adds the tags of all linked modules to the program. A program without tags is unchanged.
void program_put_tags(struct cuda *cuda, struct source *program);
