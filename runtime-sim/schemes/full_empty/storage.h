// Storage that full/empty bits add [001 §4.2].
#pragma once
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/schemes/full_empty/full_empty.h"

// A request in a queue, without data: line (41) and kind (2), trigger and action (4), number of
// the access (16), its words.
enum { FE_REQUEST_BITS = 41 + 2 + 4 + 16 + PLANE_WORDS };

void fe_storage_print(const struct fe_config *config, const struct machine_config *machine,
                      FILE *to);
