// Energy and arrays of the spatial mode.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

// Implements `energy` of struct scheme_report.
void spatial_energy_add(const void *config, const struct machine_config *machine,
                        struct energy_model *model);
