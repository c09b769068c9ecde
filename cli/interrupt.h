// Leaves no temporary file behind when a signal ends the program.
#pragma once
#include "support/output.h"

// From now on a signal that ends the program removes the temporary files of both first, which must
// live until the program ends. For programs, not for libraries: a process has one pair.
void interrupt_remove(const struct outputs *outputs, const struct outputs *others);
