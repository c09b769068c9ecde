// Places of instructions in the language that was compiled, for reports.
#pragma once
#include "ir/loc.h"
#include "runtime-sim/run/session.h"

// Returns the place of an instruction of a program function, or NULL if the program has none.
const struct ir_loc *session_origin(struct session *session, uint32_t function, uint32_t inst);
// Adds it as a note to the report before it; nothing if the program has none.
void session_note_origin(struct session *session, const char *id, uint32_t function, uint32_t inst);
