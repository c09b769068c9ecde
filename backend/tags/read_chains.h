// Chains of tables, checked against the program that the tables describe: one statement of what a
// valid chain is, for the writer, which reads its output back, and for the simulator.
#pragma once
#include "backend/tables/bodies.h"
#include "backend/tables/tables.h"
#include "passes/verify/verify_chain.h"

struct chain_reader {
    struct arena *arena;
    const struct ir_module *module;
    struct pass_options options;
    struct arena own, facts; // for all functions; for the current one
    struct plan plan;        // owner of the facts
    struct chain_check check;
    uint32_t function; // the current function
    const struct body *body;
    bool begun; // `check` is set up for the function
};

// Initialises the reader for the options with which the program was tagged. Requires the module of
// the text that is read.
void read_chains_begin(struct chain_reader *r, struct arena *arena, const struct ir_module *module,
                       const struct tables *tables);
// Selects a function of the module, and its body.
void read_chains_of(struct chain_reader *r, uint32_t function, const struct body *body);
// Returns NULL and sets `chain`, whose instructions are those of the IR; or returns why the
// function has no such chain. Sets `inst` to the instruction at fault.
const char *read_chain(struct chain_reader *r, const struct table_chain *from, struct chain *chain,
                       uint32_t *inst);
// Frees the reader's memory.
void read_chains_end(struct chain_reader *r);
