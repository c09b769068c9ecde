// Energy and arrays of full/empty bits, as struct scheme_ops has it.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

void fe_energy(const void *config, const struct machine_config *machine,
               struct energy_model *model);
