// What the kernels of a run have done, instruction by instruction, as JSON.
#pragma once
#include "runtime-sim/run/session.h"

// Needs a session that had a profile.
void profile_write(const struct session *session, FILE *to);
