// Storage that full/empty bits add [001 §4.2].
#pragma once
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/schemes/full_empty/full_empty.h"

// Bits of a queued request without data: line (41), kind (2), trigger and action (4), number of the
// access (16), words.
enum { FE_REQUEST_BITS = 41 + 2 + 4 + 16 + PLANE_WORDS };

// Prints the storage in bytes, and the fraction of the DRAM that the bits use.
void fe_storage_print(const struct fe_config *config, const struct machine_config *machine,
                      FILE *to);
