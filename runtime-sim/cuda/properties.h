// The device properties that programs query.
#pragma once
#include "runtime-sim/cuda/cuda.h"

struct properties_machine {
    size_t bytes, shared, shared_most;
    int registers, threads, warps, ctas, cores; // limits of a multiprocessor; their number
    int clock, memory_clock;                    // kHz
    int bus, llc, major, minor;                 // bus in bits, LLC in bytes, capability
    int number;                                 // of the device
};

// Returns the properties of the current device's machine. In functional mode, where the machine's
// limits do not apply, a multiprocessor has those of sm_80.
struct properties_machine machine_properties(const struct cuda *cuda);
// Sets *value to a device attribute, by CUDA's number. Returns an error.
int device_attribute(struct cuda *cuda, int *value, int attribute, int device);
