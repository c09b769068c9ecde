// Checks the names of statistics in expressions before any job is run.
#pragma once
#include "campaign/campaign.h"
#include "campaign/tools.h"

// Adds an error to the campaign's diagnostics for each statistic that no machine of its studies
// has. Runs ptxoffload-sim. Returns NULL, or why ptxoffload-sim failed.
const char *campaign_statistics_check(const struct campaign *campaign,
                                      const struct campaign_tools *tools);
