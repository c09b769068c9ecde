// The program that ptxoffload-run runs: its file, and what it is linked with.
#pragma once
#include "cli/run/linkage.h"
#include "support/arena.h"

struct cuda_application {
    const char *path;
    bool is_elf;
    struct cuda_linkage linkage; // of an ELF file
};

// Finds the program, as a shell does, and reads how it is linked. Returns NULL, or the fault as a
// sentence without a full stop.
const char *cuda_application_read(struct cuda_application *program, struct arena *arena,
                                  const char *name);
