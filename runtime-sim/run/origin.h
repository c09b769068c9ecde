// Places of instructions in the language that was compiled, for reports.
#pragma once
#include "ir/loc.h"
#include "runtime-sim/run/session.h"

// Returns the place in the source of an instruction of a program function, or NULL without
// debugging information.
const struct ir_loc *session_origin(struct session *session, uint32_t function, uint32_t inst);
// Adds this place as a note to the report before it, if the program has one.
void session_note_origin(struct session *session, const char *id, uint32_t function, uint32_t inst);
