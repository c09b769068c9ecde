// Counts of each instruction of the kernels, as JSON.
#pragma once
#include "runtime-sim/device/device.h"

// Adds members to the document.
struct json;
typedef void profile_more(void *context, struct json *json);
// Requires device->profiled. `more` may be NULL.
void profile_write(const struct device *device, profile_more *more, void *context, FILE *to);
