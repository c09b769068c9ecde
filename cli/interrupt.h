// Leaves no temporary file behind when a signal ends the program.
#pragma once
#include "support/output.h"
#include <stdatomic.h>

// From now on a signal that ends the program removes the temporary files of both first, which must
// live until the program ends. For programs, not for libraries: a process has one pair.
void interrupt_remove(const struct outputs *outputs, const struct outputs *others);
// The same for outputs that only some programs have.
void interrupt_remove_too(const struct outputs *outputs);
// From now on the first SIGINT, SIGTERM, SIGHUP or SIGXCPU does no more than to leave its number in
// `stop`; the next one ends the program. NULL: so does the first again.
void interrupt_defer(atomic_int *stop);
// Ends the program as this signal would have done.
void interrupt_end(int signal_number);
