// Energy and arrays of offloading, as struct scheme_ops has it.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

void llc_omni_energy(const void *config, const struct machine_config *machine,
                     struct energy_model *model);
