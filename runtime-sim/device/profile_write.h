// Counts of each instruction of the kernels, as JSON.
#pragma once
#include "runtime-sim/device/device.h"

// Requires device->profiled.
void profile_write(const struct device *device, FILE *to);
