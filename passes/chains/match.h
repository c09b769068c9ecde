// From loads to candidates: loads that could be offloaded, their readers, and the matching pattern
// of [000 Table 1].
#pragma once
#include "passes/chains/across.h"
#include "passes/base/capability.h"
#include "passes/chains/saving.h"
#include "passes/analysis/uses.h"

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
    uint32_t reader;  // the only reader; IR_NONE: none, or the load of a vector
    bool taken;       // by a chain
    struct verdict verdict;
};

enum { MOST_ASIDE = 3 };

struct candidate {
    uint32_t pattern;
    uint32_t count;
    uint32_t inst[CHAIN_MOST]; // loads, their copies, ALU and copies of its results, store
    uint32_t tail; // at the end of it: the store, and the copies that only the store reads
    uint32_t scalars;
    bool split, across, done;
    uint32_t next; // another form of the candidate: place in `alternatives` + 1, or 0
    // Loads that are its scalar; of a chosen candidate also those of its other forms.
    uint32_t aside[MOST_ASIDE], aside_count;
};

struct input; // passes/chains/match_inputs.h

struct matcher {
    const struct ir_module *module;
    const struct pass_options *options;
    const struct ir_function *fn;
    uint32_t function;
    struct facts *facts;
    const struct capability *capability;
    struct arena *arena;  // of the plan: sentences
    struct arena scratch; // everything else
    struct uses uses;
    struct order order; // valid if candidates exist
    struct across across;
    uint32_t *saved;   // storage for the search for the best set, allocated on demand
    uint32_t *load_of; // instruction, or a copy of its result → place in `loads` + 1, or 0
    uint32_t *copy;    // instruction → the copy that is the only reader of its result, or IR_NONE
    uint32_t *original; // copy → the instruction whose result it copies, or itself
    VEC(struct load) loads;
    uint64_t *chained;                  // bit set: instructions of the chosen chains
    uint64_t *paired;                   // bit set: ALU instructions of patterns 8 and 9
    VEC(struct candidate) candidates;   // by place of the ALU instruction or copying store
    VEC(struct candidate) alternatives; // other forms of them
    VEC(struct rejection) rejections;   // of ALU instructions and stores; loads have `verdict`
};

// Finds the copies between members of chains. Call it first.
void match_find_copies(struct matcher *m);
// Returns the last copy of the instruction's result, or the instruction itself.
uint32_t match_last_copy(const struct matcher *m, uint32_t inst);
void match_add_copies(const struct matcher *m, struct candidate *candidate, uint32_t inst);

// Returns true if an access may go to global or shared memory. Those to parameters, constants and
// local memory are not listed: they cannot be offloaded.
bool match_is_listed(const struct matcher *m, uint32_t inst);
// Finds the loads and checks each alone.
void match_loads(struct matcher *m);
// Finds the candidates. A load without candidate and verdict gets a verdict by its reader.
void match_patterns(struct matcher *m);

// Returns the load that defines the version, or NULL.
struct load *match_load_of(struct matcher *m, uint32_t version);
// Returns the load of an instruction. Requires that it is a load.
struct load *match_load_at(struct matcher *m, uint32_t inst);
// Returns the reason against a load or store alone, independent of its value; RULE_COUNT: none.
enum plan_rule match_access_fault(const struct matcher *m, uint32_t inst);
// Returns the reason why a store cannot end a chain whose last result is defined at `from`;
// RULE_COUNT if it can.
enum plan_rule match_store_fault(const struct matcher *m, uint32_t store, uint32_t from);

// The use of the result of an instruction.
struct ending {
    uint32_t store; // the store that ends the chain, or IR_NONE
    struct readers readers;
    enum plan_rule rule; // of a single reader that is a store that cannot end the chain
};
struct ending match_ending(struct matcher *m, uint32_t inst);

// Patterns 8 and 9 in two instructions, for the outer one, if no other form exists.
void match_pair(struct matcher *m, uint32_t outer);
// The same with all forms, if a load is equal in all lanes.
void match_uniform_pair(struct matcher *m, uint32_t outer);

// Finds the chain of vectors that begins at the load, or sets its verdict.
void match_vector(struct matcher *m, struct load *load);
// Adds an instruction to a candidate: loads by place, the others in the order of calls.
void match_add(struct candidate *candidate, uint32_t inst);
void match_add_load(struct candidate *candidate, struct load *load);
// Sets the candidate's scalar; a load then stays at the core.
void match_add_scalar(struct candidate *candidate, const struct input *input);
// Adds the end, the last ALU instruction and a store or IR_NONE, with the copies between.
void match_finish(struct matcher *m, struct candidate *candidate, uint32_t alu, uint32_t store);
// Adds a candidate, or another form of the last one.
void match_offer(struct matcher *m, const struct candidate *candidate);
void match_offer_instead(struct matcher *m, const struct candidate *candidate);

// Adds the best set of candidates to the plan as chains (choose.c). All other loads of candidates
// get their verdict.
void match_choose(struct matcher *m, struct plan *plan);

// Records that the candidate, which continues without it, has lost its store to the obstacle.
void stores_left_out(struct matcher *m, const struct candidate *candidate,
                     const struct obstacle *why);
// Adds the reasons of stores that are in no chain, of the chains from `first_chain` on. Call it
// when these are chosen and every other load has its verdict.
void stores_judge(struct matcher *m, const struct plan *plan, uint32_t first_chain);

// Sentences (verdict.c). The first verdict of a load is kept.
void verdict_set(struct matcher *m, struct load *load, enum plan_rule rule, uint32_t because,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));
// "fma in line 41"; the string lives in the scratch arena.
const char *verdict_inst(struct matcher *m, uint32_t inst);
// "%f3"
const char *verdict_value(struct matcher *m, uint32_t version);
// The name of an operand in the source.
const char *verdict_operand(struct matcher *m, uint32_t operand);
// A reader of the load's value matches no pattern.
void verdict_reader(struct matcher *m, struct load *load, uint32_t reader);
// The sum of the multiply-add that reads the load stays at the core.
void verdict_addend(struct matcher *m, struct load *load, uint32_t fused);
// The candidate is a chain, and the load belonged to another form of it.
void verdict_aside(struct matcher *m, struct load *load, const struct candidate *candidate);
// The store at the end of the chain cannot be part of it.
void verdict_store(struct matcher *m, struct load *load, uint32_t store, enum plan_rule rule);
// Returns what the rule says of a load or store alone, as a sentence: "the st in line 4 …";
// verdict_it begins with "it".
const char *verdict_access(struct matcher *m, uint32_t inst, enum plan_rule rule);
const char *verdict_it(struct matcher *m, uint32_t inst, enum plan_rule rule);
// The members cannot be moved next to each other.
void verdict_obstacle(struct matcher *m, struct load *load, const struct obstacle *why,
                      const struct candidate *candidate);
// The chain does not fit into a packet. `what` names the part in half a sentence.
void verdict_capacity(struct matcher *m, struct load *load, const struct candidate *candidate,
                      const char *what);
// The expected saving is less than the option requires.
// Returns the least expected saving that the options ask of a candidate, or NULL.
const double *verdict_least(const struct matcher *m, const struct candidate *candidate);
void verdict_gain(struct matcher *m, struct load *load, const struct candidate *candidate);
// The cost model finds no saving.
void verdict_saving(struct matcher *m, struct load *load, const struct candidate *candidate,
                    const struct saving *saving);
