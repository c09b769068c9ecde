// The program that ptxoffload-run runs: its file, and what it is linked with.
#pragma once
#include "support/arena.h"

enum { RUNTIME_UNKNOWN = -1, RUNTIME_NONE = 0 };

struct cuda_application {
    const char *path;
    bool is_elf;
    int runtime;          // version of the CUDA runtime library, or one of the above
    bool driver;          // linked with the driver's library
    bool has_device_code; // it has fatbins
    bool fixed_path;      // has an RPATH, which is searched first
};

// Finds the program, as a shell does, and reads how it is linked. Returns NULL, or the fault as a
// sentence without a full stop.
const char *cuda_application_read(struct cuda_application *program, struct arena *arena,
                                  const char *name);
