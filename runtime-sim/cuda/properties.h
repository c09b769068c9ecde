// The device as programs see it.
#pragma once
#include "runtime-sim/cuda/cuda.h"

struct properties_machine {
    size_t bytes, shared, shared_most;
    int registers, threads, warps, ctas, cores; // of a multiprocessor; their number
    int clock, memory_clock;                    // kHz
    int bus, llc, major, minor;                 // bits, bytes
};

// The configured machine; without time a multiprocessor is one of sm_80, as no limit of the machine
// counts then.
struct properties_machine machine_properties(const struct cuda *cuda);
// Returns an error.
int device_attribute(struct cuda *cuda, int *value, int attribute, int device);
