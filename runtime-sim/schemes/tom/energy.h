// Energy and arrays of stacks and of offloaded blocks, as struct scheme_ops has them.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

void tom_stacks_energy(const void *config, const struct machine_config *machine,
                       struct energy_model *model);
void tom_blocks_energy(const void *config, const struct machine_config *machine,
                       struct energy_model *model);
