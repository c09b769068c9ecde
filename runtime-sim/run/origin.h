// Source places of instructions in the compiled language (CUDA C++), for reports.
#pragma once
#include "ir/loc.h"
#include "runtime-sim/run/session.h"

// Returns the source place of an instruction of a program function, or NULL without debugging
// information.
const struct ir_loc *session_origin(struct session *session, uint32_t function, uint32_t inst);
// Adds the source place of an instruction as a note to the last diagnostic, if the program has
// debugging information.
void session_note_origin(struct session *session, const char *id, uint32_t function, uint32_t inst);
