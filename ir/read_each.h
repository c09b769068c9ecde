// Private to the floor.
#pragma once
#include "ir/read.h"

// Reads and checks the text function by function, and frees the tree and instructions of each
// function, so that they stay in the caches. Returns true, with the heads of the functions in the
// module, if the program has no faults. Otherwise returns false and reports nothing, since a
// complete report requires the whole program.
bool read_each(struct ir_reading *reading);
