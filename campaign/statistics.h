// Checks the names of statistics in expressions before anything is run.
#pragma once
#include "campaign/campaign.h"
#include "campaign/tools.h"

// Adds an error to the campaign's diagnostics for each statistic that no machine of its studies
// has. Starts ptxoffload-sim. Returns NULL, or why it did not answer.
const char *campaign_statistics_check(const struct campaign *campaign,
                                      const struct campaign_tools *tools);
