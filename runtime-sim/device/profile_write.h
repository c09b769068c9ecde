// Writes the counts of each instruction of the kernels as JSON.
#pragma once
#include "runtime-sim/device/device.h"

struct json;
// Adds members to the document.
typedef void profile_more(void *context, struct json *json);
// Writes the document. Requires device->profiled. `more` may be NULL.
void profile_write(const struct device *device, profile_more *more, void *context, FILE *to);
