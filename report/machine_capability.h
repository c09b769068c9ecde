// Capability of a machine, for the costs of the tagger.
#pragma once
#include "runtime-sim/gpu/machine/machine_config.h"

// Returns a text of capability keys with the machine's sizes of flits and headers, its shared
// memory and that of a service queue, and whether packets carry sectors. `resolved` is the
// machine's configuration.
const char *machine_capability(struct arena *arena, const struct machine_config *machine,
                               const struct config *resolved);
