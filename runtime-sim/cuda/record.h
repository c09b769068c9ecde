// --record: writes the launches of a program, or those that --timed names, as run files for
// ptxoffload-sim.
//
// A run file starts with the contents of all memory before its first launch, with the padding of
// allocations and what kernels have allocated. It ends before the next write of the host to
// memory that kernels access, with or without a call, before the next allocation or release of
// the host, before the next texture or surface object, before the next program, and before a launch
// that is not recorded. Its buffers have the program's addresses, so that pointers in memory and in
// parameters stay valid, and its textures have the program's handles.
//
// With --expect it also has the contents of memory at its end. Left out is memory that the host can
// write without a call or has mapped itself, and what kernels have allocated.
#pragma once
#include "runtime-sim/cuda/work.h"

// Creates the folder and starts to record.
void record_begin(struct cuda *cuda);
// Records a launch. Called before it is issued.
void record_launch(struct cuda *cuda, const struct cuda_launch *launch,
                   const struct program_function *entry);
// Called after a launch was issued. Waits for its end if the host can write memory that it accesses
// without a call.
void record_launched(struct cuda *cuda);
// Called before the host writes device memory: ends the current run file.
void record_write(struct cuda *cuda);
// Ends the current run file, if any. Without expected results if works are open or one had a fault.
void record_end(struct cuda *cuda);
