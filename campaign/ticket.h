// A ticket is all that a process needs to run a job, as JSON. It requires neither the plan nor the
// files from which the plan was made, so that a job can run on another host.
#pragma once
#include "campaign/store.h"

// Returns the ticket, which the caller releases. Members: key, name, campaign, quick, names,
// commands, tools (digest and stamp of each command's program), ingredients.
struct json_t *campaign_ticket_make(const struct campaign_store *store,
                                    const struct campaign_plan *plan,
                                    const struct campaign_job *job);
// Runs the commands and writes the result, unless a program differs from that of the plan. With an
// `owner`, the file running/KEY/owner must still contain this text at the end, or the result is not
// written. Returns NULL, or why there is no result.
const char *campaign_ticket_run(const struct campaign_store *store, struct json_t *ticket,
                                const char *owner);
// Writes a failed result for a job that ended without one. Returns NULL, or the error.
const char *campaign_ticket_fail(const struct campaign_store *store, struct json_t *ticket,
                                 const char *failure);
