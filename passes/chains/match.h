// From loads to candidates: loads that could be offloaded, their readers, and the matching pattern
// of [000 Table 1].
#pragma once
#include "passes/analysis/uses.h"
#include "passes/base/capability.h"
#include "passes/chains/order.h"
#include "passes/chains/saving.h"

// Chains whose comparison is in another basic block than their loads.
//
// No instruction is moved: the loads are issued at their places and complete at the comparison.
// This is equivalent if
//   - every path from a load reaches the comparison before it reaches the load again or leaves the
//     function, and every path to the comparison comes from the load: one load, one comparison;
//   - no branch on the path diverges: the same lanes load and compare;
//   - no instruction on the path orders memory, and no store on the path may write the loaded data;
//   - the load precedes the comparison in the text, where the tags are read in order.

struct across {
    struct order *order;
    const struct divergence *divergence;
    uint32_t *met; // per block: last search that reached it
    uint32_t round;
};

// Prepares queries about one function.
void across_init(struct across *across, struct arena *arena, struct order *order);

// Returns true if the load may complete at the comparison `last`. Otherwise sets `why`:
// CROSS_BLOCK, DIVERGES, ALIAS_STORE, BARRIER or OPAQUE. Cost: at most some thousand instructions.
bool across_allows(struct across *across, uint32_t load, uint32_t last, struct obstacle *why);

// Reason why a load is in no chain.
struct verdict {
    enum plan_rule rule; // RULE_COUNT: no reason so far
    uint32_t because;    // instruction, or IR_NONE
    const char *text;
};

// A load that needs a verdict: of global, generic or shared memory, and atomics.
struct load {
    uint32_t inst;
    uint32_t version; // its result, or the last copy of it
    uint32_t reader;  // the only reader; IR_NONE if it has no reader or loads a vector
    bool taken;       // it is in a candidate
    struct verdict verdict;
};

// Class of an operand in a chain: the first one that applies.
enum input_kind { INPUT_LOAD, INPUT_SCALAR, INPUT_REGISTER };

struct input {
    enum input_kind kind;
    uint32_t operand;
    uint32_t version;  // of a register, else IR_NONE
    struct load *load; // INPUT_LOAD
    bool uniform;      // equal in all lanes of a warp: it can be a scalar
};

enum { MAX_ASIDE = 3 };

struct candidate {
    uint32_t pattern;
    uint32_t count;
    uint32_t inst[CHAIN_MAX]; // loads, their copies, ALU and copies of its results, store
    uint32_t tail; // number of last members that belong to the store: itself, and copies that only
                   // it reads
    uint32_t scalars;
    bool split, across, done;
    uint32_t next; // another form of the candidate: index in `alternatives` + 1, or 0
    // Loads used as its scalar; of a chosen candidate also the loads of its other forms.
    uint32_t aside[MAX_ASIDE], aside_count;
};

struct matcher {
    const struct ir_module *module;
    const struct pass_options *options;
    const struct ir_function *fn;
    uint32_t function;
    struct facts *facts;
    const struct capability *capability;
    struct arena *arena;  // of the plan, for sentences
    struct arena scratch; // everything else
    struct uses uses;
    struct order order; // valid if candidates exist
    struct across across;
    uint32_t *saved;   // storage for the search for the best set, allocated on demand
    uint32_t *load_of; // instruction, or a copy of its result → index in `loads` + 1, or 0
    uint32_t *copy;    // instruction → the copy that is the only reader of its result, or IR_NONE
    uint32_t *original; // copy → the instruction whose result it copies, or itself
    VEC(struct load) loads;
    uint64_t *chained;                  // bit set: instructions of the chosen chains
    uint64_t *paired;                   // bit set: ALU instructions of patterns 8 and 9
    VEC(struct candidate) candidates;   // by place of the ALU instruction or copying store
    VEC(struct candidate) alternatives; // other forms of them
    VEC(struct rejection) rejections;   // of ALU instructions and stores; loads have a `verdict`
};

// Finds the copies between members of chains. Must be called first.
void match_find_copies(struct matcher *m);
// Returns the last copy of the instruction's result, or the instruction itself.
uint32_t match_last_copy(const struct matcher *m, uint32_t inst);
// Adds the instruction's copies to the candidate.
void match_add_copies(const struct matcher *m, struct candidate *candidate, uint32_t inst);

// Returns true if an access may be to global or shared memory. Accesses to parameters, constants
// and local memory are not listed, because they cannot be offloaded.
bool match_is_listed(const struct matcher *m, uint32_t inst);
// Finds the loads and checks each on its own.
void match_loads(struct matcher *m);
// Finds the candidates. A load without a candidate or verdict gets a verdict by its reader.
void match_patterns(struct matcher *m);

// Returns the load that defines the version, or NULL.
struct load *match_load_of(struct matcher *m, uint32_t version);
// Returns the load of an instruction. Requires that it is a load.
struct load *match_load_at(struct matcher *m, uint32_t inst);
// Returns the reason against a load or store on its own, whatever its value, or RULE_COUNT.
enum plan_rule match_access_fault(const struct matcher *m, uint32_t inst);
// Returns the reason why a store cannot end a chain whose last result is defined at `from`, or
// RULE_COUNT if it can.
enum plan_rule match_store_fault(const struct matcher *m, uint32_t store, uint32_t from);

// The use of an instruction's result.
struct ending {
    uint32_t store; // the store that ends the chain, or IR_NONE
    struct readers readers;
    enum plan_rule rule; // why the only reader, a store, cannot end the chain
};
// Returns the use of the result.
struct ending match_ending(struct matcher *m, uint32_t inst);

// Matches patterns 8 and 9 in two instructions, at the outer one, if no other form exists.
void match_pair(struct matcher *m, uint32_t outer);
// Matches them in all forms, if a load is equal in all lanes.
void match_uniform_pair(struct matcher *m, uint32_t outer);

// Finds the chain of vectors that starts at the load, or sets the load's verdict.
void match_vector(struct matcher *m, struct load *load);
// Add an instruction to a candidate: loads by place, others in the order of calls.
void match_add(struct candidate *candidate, uint32_t inst);
void match_add_load(struct candidate *candidate, struct load *load);
// Sets the candidate's scalar; a load then stays at the core.
void match_add_scalar(struct candidate *candidate, const struct input *input);
// Adds the end: the last ALU instruction, and a store or IR_NONE, with the copies between.
void match_finish(struct matcher *m, struct candidate *candidate, uint32_t alu, uint32_t store);
// Add a candidate, and another form of the last one.
void match_offer(struct matcher *m, const struct candidate *candidate);
void match_offer_instead(struct matcher *m, const struct candidate *candidate);

// Adds the best set of candidates to the plan as chains (choose.c). All other loads of candidates
// get a verdict.
void match_choose(struct matcher *m, struct plan *plan);

// Records the obstacle to the candidate's store. The candidate continues without it.
void stores_left_out(struct matcher *m, const struct candidate *candidate,
                     const struct obstacle *why);
// Adds the reasons of stores that are in no chain of the function; its chains start at
// `first_chain`. Requires that the chains are chosen and that every other load has its verdict.
void stores_check(struct matcher *m, const struct plan *plan, uint32_t first_chain);

// Verdicts of loads (verdict.c). The first verdict of a load is kept.
void verdict_set(struct matcher *m, struct load *load, enum plan_rule rule, uint32_t because,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));
// Returns "fma in line 41"; the string is in the scratch arena.
const char *verdict_inst(struct matcher *m, uint32_t inst);
// Returns "%f3".
const char *verdict_value(struct matcher *m, uint32_t version);
// Returns the name of an operand in the source.
const char *verdict_operand(struct matcher *m, uint32_t operand);
// For a load with a reader that matches no pattern.
void verdict_reader(struct matcher *m, struct load *load, uint32_t reader);
// For a load whose multiply-add keeps its sum at the core.
void verdict_addend(struct matcher *m, struct load *load, uint32_t fused);
// For a load that belonged to another form of a candidate that is now a chain.
void verdict_aside(struct matcher *m, struct load *load, const struct candidate *candidate);
// For a load whose chain cannot contain the store at its end.
void verdict_store(struct matcher *m, struct load *load, uint32_t store, enum plan_rule rule);
// Returns the rule's sentence on a load or store on its own: "the st in line 4 …"; verdict_it
// starts it with "it".
const char *verdict_access(struct matcher *m, uint32_t inst, enum plan_rule rule);
const char *verdict_it(struct matcher *m, uint32_t inst, enum plan_rule rule);
// For a load of a candidate whose members cannot be made adjacent.
void verdict_obstacle(struct matcher *m, struct load *load, const struct obstacle *why,
                      const struct candidate *candidate);
// For a load whose chain does not fit into a packet. `what` is a predicate: "has a scalar operand
// …".
void verdict_capacity(struct matcher *m, struct load *load, const struct candidate *candidate,
                      const char *what);
// Returns the minimum expected saving that the options require of a candidate, or NULL.
const double *verdict_min_saving(const struct matcher *m, const struct candidate *candidate);
// For a load whose chain is expected to save less than that.
void verdict_gain(struct matcher *m, struct load *load, const struct candidate *candidate);
// For a load whose chain saves nothing by the cost model.
void verdict_saving(struct matcher *m, struct load *load, const struct candidate *candidate,
                    const struct saving *saving);

// Operands of an ALU instruction as the patterns classify them.

enum { MAX_INPUTS = 4 };

// Inputs of an ALU instruction.
struct inputs {
    uint32_t count;     // if more than MAX_INPUTS, `v` is incomplete
    uint32_t number[3]; // of each kind, in `v`
    struct input v[MAX_INPUTS];
};

// Returns the inputs of an instruction. `merge`: a register that is used twice is one input. In a
// fused multiply-add each use has its own place.
struct inputs inputs_of(struct matcher *m, uint32_t inst, bool merge);
// Returns the first input of the kind, or NULL.
const struct input *inputs_find(const struct inputs *inputs, enum input_kind kind);
// Returns true if the instruction has exactly these numbers of inputs.
bool inputs_have(const struct inputs *inputs, uint32_t loads, uint32_t scalars, uint32_t registers);
