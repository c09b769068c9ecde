// Where a machine computes the chains of a program: the share of instances that one partition, a
// node between two partitions, or the partition of one operand would compute, the flits that this
// takes, and places of arrays by which more of the operands lie in one partition.
//
// The addresses of a chain's operands are sums (passes/analysis/affine). Of two operands, the
// difference is a number, or a number plus values that are constant in a launch, such as pointers,
// or it varies. In the first case the address map says which partitions the operands have together.
// Otherwise the difference is unknown but for a power of two that divides its unknown part;
// pointers are aligned to 256 bytes. All values of the unknown part, all places of the first
// operand and all cores count equally. Loads that hit in an L1 are not known here: all loads count
// as misses.
#pragma once
#include "passes/analysis/facts.h"
#include "runtime-sim/gpu/machine/machine_config.h"
#include <stdio.h>

enum { PLACING_OPERANDS = 3 }; // two loads and a store

// The values of an operand's address that are constant in a launch: a pointer, or a pointer and an
// offset.
struct placing_base {
    const char *text;   // [b]+4*[shift]
    uint32_t parameter; // symbol of the only pointer among the parameters, or IR_NONE
    uint64_t granule;   // a power of two that divides it
    uint64_t place;     // proposal: it modulo the period of the address map, beside the first base
};

struct placing_operand {
    uint32_t inst;
    bool stores;
    uint32_t bytes; // of a lane
    uint32_t base;  // in placing_kernel.bases
    // The operand with which this one has a known difference of its varying parts, and that
    // difference in bytes; of the first operand itself and 0.
    bool follows;
    int64_t offset;
    uint64_t granule; // otherwise: a power of two that divides the difference
};

enum placing_way { PLACING_CORE, PLACING_ONE, PLACING_MEET, PLACING_OPERAND, PLACING_WAYS };

// Means over the instances of a chain: flits that enter the reply network at partitions, and flits
// times hops in both networks.
struct placing_cost {
    double port_flits, flit_hops;
};

struct placing_result {
    double one;       // share of instances whose lines are in one partition
    double core;      // share of the others whose routes meet at a core
    double partition; // at a partition
    double none;      // nowhere
    // If all instances are executed by the core; with LLC-Compute; with Omni-Compute where routes
    // meet, and at one operand.
    struct placing_cost cost[PLACING_WAYS];
};

struct placed_chain {
    uint32_t chain; // in the plan
    struct placing_operand operands[PLACING_OPERANDS];
    uint32_t count;
    struct placing_result now, proposed; // with unknown places of arrays, and with the proposal
};

struct placing_kernel {
    uint32_t function;
    VEC(struct placing_base) bases;
    VEC(struct placed_chain) chains;
    bool proposes; // the proposal takes fewer flits
};

struct placings {
    VEC(struct placing_kernel) kernels; // that have chains
    uint64_t period;                    // bytes after which the address map repeats; 0: it does not
};

// Returns NULL, or why the placement of chains is not known on this machine.
const char *placing_check(const struct machine_config *config);
// Requires a plan with its chains, the options that it was made with, and a machine without a fault
// (placing_check).
struct placings placing_find(struct arena *arena, struct plan *plan, const struct ir_module *module,
                             const struct pass_options *options,
                             const struct machine_config *config);

// The program of a placement, and the name of its machine.
struct placing_program {
    struct arena *arena;
    const struct ir_module *module;
    const struct plan *plan;
    const char *machine;
};

// Prints the placement as text or as JSON.
void placing_print(const struct placings *placing, const struct placing_program *program,
                   bool as_json, FILE *to);
