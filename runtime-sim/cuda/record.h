// --record: the launches of a program as run files of ptxoffload-sim.
//
// A run file has launches up to the next write of the host to memory that kernels access, by a call
// or without one, the next allocation or release, or the next program, and the contents of all
// memory before the first of them. Its buffers have the program's addresses, so that pointers in
// memory and in parameters are right.
#pragma once
#include "runtime-sim/cuda/work.h"

void record_begin(struct cuda *cuda);
// Before a launch that will be issued.
void record_launch(struct cuda *cuda, const struct cuda_launch *launch,
                   const struct program_function *entry);
// After it was issued. Waits for it if the host may write what it accesses without a call.
void record_launched(struct cuda *cuda);
// The host writes memory of the device.
void record_write(struct cuda *cuda);
void record_end(struct cuda *cuda);
