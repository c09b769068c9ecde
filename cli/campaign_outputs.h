// Options in a campaign file that write files.
#pragma once
#include "cli/messages.h"
#include "campaign/campaign.h"

// False after telling which options of ptxoffload-sim or ptxoffload in the campaign name a file to
// write, or a response file, which could.
bool campaign_outputs_check(struct arena *arena, const struct messages *messages,
                            const struct campaign *campaign);
