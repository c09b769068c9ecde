// Private to the floor.
#pragma once
#include "ir/read.h"

// Reads and checks the text function by function, and drops the tree and the instructions of each,
// so that they stay in the caches. Returns true if the program has no faults, with the heads of its
// functions in the module. Returns false, with nothing reported, for other programs: faults are
// reported in full only with the whole program at hand.
bool read_each(struct ir_reading *reading);
