// Where instructions come from, for what is told of them.
#pragma once
#include "ir/loc.h"
#include "runtime-sim/run/session.h"

// The place of an instruction of a program function in the language that was compiled; NULL: the
// program does not say.
const struct ir_loc *session_origin(struct session *session, uint32_t function, uint32_t inst);
// A note of it behind what was told of the instruction; nothing if the program does not say.
void session_tell_origin(struct session *session, const char *id, uint32_t function, uint32_t inst);
