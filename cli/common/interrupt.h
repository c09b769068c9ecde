// Removes temporary files when a signal ends the program.
#pragma once
#include "support/output.h"
#include <signal.h>
#include <stdatomic.h>

// Makes signals that end the program by default remove the temporary files of both lists first. The
// lists must stay valid until the program ends. For programs, not for libraries: a process has one
// pair.
void interrupt_remove(const struct outputs *outputs, const struct outputs *others);
// Returns true for the handler that interrupt_remove installs.
bool interrupt_is_ours(const struct sigaction *action);
// Adds the outputs of a third list, which only some programs have.
void interrupt_remove_too(const struct outputs *outputs);
// Makes the first SIGINT, SIGTERM, SIGHUP or SIGXCPU only store its number in `stop`; the next one
// ends the program. With NULL, the first one ends it.
void interrupt_defer(atomic_int *stop);
// Ends the program as this signal does by default.
void interrupt_end(int signal_number);
