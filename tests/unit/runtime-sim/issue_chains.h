// Chains of the passes, which a drive issues ahead of their loads with shadow.h. The chains that
// are given up midway, and the times at which lanes are computed, are random.
#pragma once
#include "passes/base/passes.h"
#include "runtime-sim/exec/warp/shadow.h"

// An instruction's place in a chain.
struct chain_member {
    uint32_t chain;       // + 1; 0: it is in none
    uint32_t place, last; // of all members
};

// By IR function, then instruction; NULL: the function has no chains.
struct chain_table {
    struct chain_member **functions;
    uint32_t count;
    uint32_t of_pattern[CHAIN_PATTERNS + 1]; // [000 Table 1]
};

// Finds the chains of a program. The text is not reordered: members may have other instructions
// between them.
void chain_table_find(struct chain_table *table, struct arena *arena,
                      const struct ir_module *module, const struct pass_options *options);
struct chain_member chain_member_of(const struct chain_table *table, const struct warp *warp,
                                    const struct code *code);

// A chain that a path of a warp is issuing.
struct forming {
    uint32_t chain;
    uint32_t next;        // place
    uint32_t mask, frame; // of the path
    bool complete;        // nothing of the warp goes on until all is computed
    bool captured;        // has instructions that compute
    bool finishes;        // what it makes goes to registers
    uint32_t computed;    // lanes
    struct shadow *shadow;
    struct held *loads[CHAIN_MAX], *store; // NULL: has none, or gave it back
    uint32_t load_count;
};

struct forming *forming_new(const struct chain_member *member, struct warp *warp,
                            const struct reg_slots_used *slots);
void forming_free(struct forming *forming);
// Issues the next member. Returns true if `*held` is to be served; otherwise it is free again.
bool forming_issue(struct forming *forming, const struct chain_member *member, struct warp *warp,
                   const struct code *code, struct held *held);
// Computes some of the lanes of `wanted` whose loads are complete. Returns true if all lanes are
// done.
bool forming_compute(struct forming *forming, uint32_t wanted);
// Gives up an incomplete chain. The loads that return to the warp are in `given`; if others stay or
// something was captured, the chain is kept as it is.
uint32_t forming_give_up(struct forming *forming, struct held *given[CHAIN_MAX]);
