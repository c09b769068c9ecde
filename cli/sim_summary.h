// The summary that a run without a file of results prints: the counts of each kernel, as a table.
#pragma once
#include "runtime-sim/device/timed.h"
#include <stdio.h>

// Writes a row for each kernel that was launched, and a total if there are several. `timed`: NULL
// after a run without cycles. The columns of cycles count timed launches only.
void sim_summary_write(const struct device *device, const struct timed *timed, FILE *to);
