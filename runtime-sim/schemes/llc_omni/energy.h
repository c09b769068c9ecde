// Energy and arrays of offloading.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

// Implements `energy` of struct scheme_report.
void llc_omni_energy(const void *config, const struct machine_config *machine,
                     struct energy_model *model);
