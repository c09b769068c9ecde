// Registers of kernels as ptxas allocates them, for --registers=ptxas.
#pragma once
#include "cli/common/messages.h"
#include "runtime-sim/exec/decode/program.h"

// Translates the program's PTX with ptxas, which is found in PATH or in /usr/local/cuda/bin, and
// sets the registers of its functions. Returns false after reporting why it could not.
bool registers_by_ptxas(const struct messages *messages, struct arena *arena,
                        const struct source *source, struct program *program);
