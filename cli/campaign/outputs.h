// Checks the options in a campaign file for those that write files.
#pragma once
#include "cli/common/messages.h"
#include "campaign/campaign.h"

// Returns false after reporting the options of ptxoffload-sim or ptxoffload in the campaign that
// name an output file or a response file.
bool campaign_outputs_check(struct arena *arena, const struct messages *messages,
                            const struct campaign *campaign);
