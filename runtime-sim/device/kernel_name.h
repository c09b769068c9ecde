// Finds kernels by their name in the program or in the CUDA source.
#pragma once
#include "runtime-sim/exec/decode/program.h"

struct kernel_fault {
    const char *text;    // a sentence without a full stop
    const char *kernels; // a sentence about the program's kernels
};

// Returns the entry that has this name in the program. Otherwise returns the entry with this C++
// name: the whole signature with or without the result, "ns::scale<float>", or its end after a
// "::", each with or without template arguments. Blanks are ignored. Returns NULL, with the fault
// in the arena, if no kernel or more than one matches.
const struct program_function *kernel_find(const struct program *program, struct arena *arena,
                                           const char *text, struct kernel_fault *fault);
// Returns a sentence with the number and names of the program's kernels, for messages.
const char *kernel_list(const struct program *program, struct arena *arena);
// Returns the name of an entry in the program, allocated from the arena.
const char *kernel_name(const struct program *program, struct arena *arena,
                        const struct program_function *function);
