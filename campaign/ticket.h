// A ticket: all that a process needs to run a job, as JSON. It needs neither the plan nor the files
// that the plan was made from, so that it can run on another host.
#pragma once
#include "campaign/store.h"

// Returns the ticket, which the caller releases: key, name, campaign, quick, names, commands, tools
// (digest and stamp of each command's program), ingredients.
struct json_t *campaign_ticket_make(const struct campaign_store *store,
                                    const struct campaign_plan *plan,
                                    const struct campaign_job *job);
// Runs the commands, and writes the result. Writes nothing if a program is not that of the plan.
// With an `owner`, a text, the folder running/KEY has a file of this name with this text: the
// result is written only if it is still so at the end. Returns NULL, or why there is no result.
const char *campaign_ticket_run(const struct campaign_store *store, struct json_t *ticket,
                                const char *owner);
// Writes the result of a job that has failed without one. Returns NULL, or the error.
const char *campaign_ticket_fail(const struct campaign_store *store, struct json_t *ticket,
                                 const char *failure);
