// Energy and arrays of the spatial mode, as struct scheme_ops has it.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

void spatial_energy_add(const void *config, const struct machine_config *machine,
                        struct energy_model *model);
