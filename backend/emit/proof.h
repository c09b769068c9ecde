// Writes proven output only: a chain or block that the checker (passes/verify/verify.h) refutes, or
// that is not found again when the output is read back, is left out, and the rest is written and
// checked again.
#pragma once
#include "backend/emit/backend.h"
#include "passes/verify/verify.h"
#include "support/diag.h"

// A refuted chain or block, which is an internal fault.
struct left_out {
    uint32_t begin;   // offset in the input
    const char *what; // "this chain", …
    const char *text; // why: a sentence without a full stop
};

struct proof {
    VEC(struct left_out) list;
    uint64_t statements; // of the input
    uint64_t moved;      // statements in another order
    // Called after each "emit", "verify" and "reread"; may be NULL.
    void (*step)(void *context, const char *name);
    void *context;
};

// As backend_emit, but removes refuted chains and blocks from the plan, each with a rejection and
// an entry of `proof`. If nothing is left to remove, the output is the input. Requires a `proof` in
// which only `step` and `context` are set.
void backend_emit_proven(struct output *output, struct proof *proof, struct arena *arena,
                         struct ir_module *module, struct plan *plan,
                         const struct backend_options *options);
// Adds a warning for each part that is left out.
void proof_report(const struct proof *proof, struct diags *diags);
// Adds the warning that nothing is offloaded, because the program is invalid after this pass.
void proof_give_up(const char *pass, struct diags *diags);

// Reads an output back before it is written, as its readers will. Requires an output of
// backend_emit for this module and plan. Checks that the tags give the tables again, and that each
// chain is valid in the text as written, by the simulator's checks. Returns the first fault, with
// the plan's chain if it concerns one; its text is NULL if all is correct.
struct verify_fault backend_read_back(const struct output *output, struct arena *arena,
                                      const struct ir_module *module, const struct plan *plan);
