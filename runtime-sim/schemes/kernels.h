// Kernels of a program's metadata with their chains and blocks, for schemes.
#pragma once
#include "backend/tables/tables.h"
#include "runtime-sim/gpu/scheme/scheme.h"

// A kernel of the metadata. Its chains and blocks name instructions by their index in the IR.
struct scheme_kernel {
    const struct table_kernel *plan;
    uint32_t function;            // program function
    const struct ir_function *fn; // NULL if the program has no such kernel
};

struct scheme_kernels {
    VEC(struct scheme_kernel) list;
};

// Returns the kernels of the metadata with their functions in the program.
const struct scheme_kernels *scheme_kernels(struct arena *arena, const struct tables *tables,
                                            const struct program *program);
// Implements `read_plan` of struct scheme_configuration. plan->table is the result of
// scheme_kernels, or NULL if the program has no metadata.
void scheme_read_kernels(struct scheme_plan *plan, struct arena *arena, const struct tables *tables,
                         const struct program *program, const void *config, struct diags *diags);
// Marks all instructions of the kernels' chains; called in `create`. Chains are numbered in the
// order of the kernels. Returns the scheme's number for timing_mark_of.
uint8_t scheme_mark_chains(struct machine *machine, const struct scheme_ops *ops,
                           const struct scheme_kernels *kernels);
