// Leaves no temporary file behind when a signal ends the program.
#pragma once
#include "support/output.h"

// From now on a signal that ends the program removes the temporary files of `outputs` first, which
// must live until the program ends. For programs, not for libraries: one set of outputs each.
void interrupt_remove(const struct outputs *outputs);
