// Storage that full/empty bits add [001 §4.2].
#pragma once
#include "runtime-sim/schemes/full_empty/full_empty.h"

void fe_storage_print(const struct fe_config *config, const struct machine_config *machine,
                      FILE *to);
