// From loads to candidates: which loads could be offloaded, what reads them, and which of the nine
// patterns of [000 Table 1] that makes.
#pragma once
#include "passes/chains/across.h"
#include "passes/base/capability.h"
#include "passes/chains/saving.h"
#include "passes/analysis/uses.h"

// Why a load is in no chain.
struct verdict {
    enum plan_rule rule; // RULE_COUNT: nothing is against it so far
    uint32_t because;    // instruction, or IR_NONE
    const char *text;
};

// A load that a person would ask about: of global, generic or shared memory, and atomics.
struct load {
    uint32_t inst;
    uint32_t version; // that it loads, or the last copy of it
    uint32_t reader;  // its only one; IR_NONE of a vector, and if there is none
    bool taken;       // by a chain
    struct verdict verdict;
};

enum { MOST_ASIDE = 3 };

struct candidate {
    uint32_t pattern;
    uint32_t count;
    uint32_t inst[CHAIN_MOST]; // loads, their copies, ALU and copies of its results, store
    uint32_t tail;             // of them: the store, and the copies that only it reads
    uint32_t scalars;
    bool split, across, done;
    uint32_t next; // another form of it: place in `alternatives` + 1, or 0
    // Loads that are its scalar; when it is chosen, also those of its other forms.
    uint32_t aside[MOST_ASIDE], aside_count;
};

struct input; // passes/chains/match_inputs.h

struct matcher {
    struct ir_module *module;
    const struct pass_options *options;
    const struct ir_function *fn;
    uint32_t function;
    struct facts *facts;
    const struct capability *capability;
    struct arena *arena;  // of the plan: sentences
    struct arena scratch; // everything else
    struct uses uses;
    struct order order; // there if there are candidates
    struct across across;
    uint32_t *saved;   // room of the search for the best set, once it is needed
    uint32_t *load_of; // instruction, or a copy of what it loads → place in `loads` + 1, or 0
    uint32_t *copy;    // instruction → the copy that is the only reader of its result, or IR_NONE
    uint32_t *original; // copy → the instruction whose result it passes on, or itself
    VEC(struct load) loads;
    uint64_t *chained;                  // bit set: instructions of the chains that were chosen
    uint64_t *paired;                   // bit set: ALU instructions of patterns 8 and 9
    VEC(struct candidate) candidates;   // by place of the ALU instruction or copying store
    VEC(struct candidate) alternatives; // other forms of them
    VEC(struct rejection) rejections;   // of ALU instructions and stores; loads have their verdict
};

// Finds the copies that stand between members of chains. To be called first.
void match_find_copies(struct matcher *m);
// The last copy of what the instruction makes, or the instruction itself.
uint32_t match_last_copy(const struct matcher *m, uint32_t inst);
void match_add_copies(const struct matcher *m, struct candidate *candidate, uint32_t inst);

// Finds the loads and judges each by itself.
void match_loads(struct matcher *m);
// Finds the candidates; a load that is neither in one nor judged yet is judged by what reads it.
void match_patterns(struct matcher *m);

// The load that made the version, or NULL.
struct load *match_load_of(struct matcher *m, uint32_t version);
// The load at the instruction, which is one.
struct load *match_load_at(struct matcher *m, uint32_t inst);
// What speaks against a load or store by itself, whoever makes or uses its value; RULE_COUNT:
// nothing.
enum plan_rule match_access_fault(const struct matcher *m, uint32_t inst);
// Why a store cannot end a chain whose last result is made at `from`; RULE_COUNT if it can.
enum plan_rule match_store_fault(const struct matcher *m, uint32_t store, uint32_t from);

// How a value goes on from the instruction that made it.
struct ending {
    uint32_t store; // that ends the chain, or IR_NONE
    struct readers readers;
    enum plan_rule rule; // of a single reader that is a store but cannot end the chain
};
struct ending match_ending(struct matcher *m, uint32_t inst);

// Patterns 8 and 9 in two instructions, the outer one given, if there is no other form of them.
void match_pair(struct matcher *m, uint32_t outer);
// The same with all forms that there are if a load is the same in all lanes.
void match_uniform_pair(struct matcher *m, uint32_t outer);

// The chain of vectors that begins at the load, or else a verdict on it.
void match_vector(struct matcher *m, struct load *load);
// Puts an instruction into a candidate: loads by place, then all others as they come.
void match_add(struct candidate *candidate, uint32_t inst);
void match_add_load(struct candidate *candidate, struct load *load);
// The input is the candidate's scalar: a load then stays at the core.
void match_add_scalar(struct candidate *candidate, const struct input *input);
// Puts in what ends it, the last ALU instruction and a store or IR_NONE, and the copies between.
void match_finish(struct matcher *m, struct candidate *candidate, uint32_t alu, uint32_t store);
// Adds a candidate; or another form of the one that was added last.
void match_offer(struct matcher *m, const struct candidate *candidate);
void match_offer_instead(struct matcher *m, const struct candidate *candidate);

// The best set of candidates becomes chains of the plan (choose.c); all other loads of candidates
// get their verdict.
void match_choose(struct matcher *m, struct plan *plan);

// The candidate, which goes on without it, has lost its store to the obstacle.
void stores_left_out(struct matcher *m, const struct candidate *candidate,
                     const struct obstacle *why);
// Says why stores are in no chain, of those in the plan from `first_chain` on. To be called when
// they are chosen and every other load has its verdict.
void stores_judge(struct matcher *m, const struct plan *plan, uint32_t first_chain);

// Sentences (verdict.c). A load that has its verdict keeps it.
void verdict_set(struct matcher *m, struct load *load, enum plan_rule rule, uint32_t because,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));
// "fma in line 41"; the string lives in the scratch arena.
const char *verdict_inst(struct matcher *m, uint32_t inst);
// "%f3"
const char *verdict_value(struct matcher *m, uint32_t version);
// What an operand is called in the source.
const char *verdict_operand(struct matcher *m, uint32_t operand);
// The load's value is read by an instruction that belongs to no pattern.
void verdict_reader(struct matcher *m, struct load *load, uint32_t reader);
// The sum of the multiply-add that reads it stays at the core.
void verdict_addend(struct matcher *m, struct load *load, uint32_t fused);
// The candidate is a chain, and the load was one of another form of it.
void verdict_aside(struct matcher *m, struct load *load, const struct candidate *candidate);
// The store that should end the chain cannot.
void verdict_store(struct matcher *m, struct load *load, uint32_t store, enum plan_rule rule);
// What it is about the store: half a sentence.
const char *verdict_store_reason(enum plan_rule rule);
// The members cannot be brought next to each other.
void verdict_obstacle(struct matcher *m, struct load *load, const struct obstacle *why,
                      const struct candidate *candidate);
// It does not fit into a packet. Half a sentence says what does not.
void verdict_capacity(struct matcher *m, struct load *load, const struct candidate *candidate,
                      const char *what);
// It is expected to save less than the options ask for.
void verdict_gain(struct matcher *m, struct load *load, const struct candidate *candidate);
// The cost model sees no saving in it.
void verdict_saving(struct matcher *m, struct load *load, const struct candidate *candidate,
                    const struct saving *saving);
