// The results of the passes: plans with verdicts, and their edits.
#pragma once
#include "ir/edit.h"
#include "ir/ir.h"
#include "passes/base/shape.h"

enum cost_model { COST_TOM, COST_REFINED, COST_MODELS };
enum block_kind { BLOCK_LOOP, BLOCK_BASIC, BLOCK_REGION, BLOCK_KINDS };
// FMA_SAVING: divided only for chains with an expected saving of 0 or more
enum fma_mode { FMA_FUSED, FMA_SPLIT, FMA_SAVING };

struct capability;   // passes/base/capability.h
struct measurements; // passes/analysis/memory/measured.h

struct pass_options {
    enum cost_model cost;
    enum fma_mode fma;
    bool reorder;
    struct block_shape block; // --block; all 0 if unknown
    // --restrict: different pointers of a kernel point to different memory
    bool restrict_parameters;
    // --min-saving: minimum expected saving of a chain, in flits; NULL: no minimum. Finite.
    const double *min_saving;
    bool maps;                           // --maps: compile kernels to maps for spatial cores
    unsigned kinds;                      // --candidates: bit per kind of candidate block; 0: all
    const struct capability *capability; // unit near the data; NULL: the default
    const struct measurements *measured; // profile of this module; NULL: none
};

// Rules under which candidates are rejected.
enum plan_rule {
#define PLAN_RULE(name, id, text, sentences) RULE_##name,
#include "passes/base/rules.def"
    RULE_COUNT,
};
enum {
    MAP_RULES = 0 // rules of maps, the last ones
#define MAP_RULE(...) +1
#define PLAN_RULE(...)
#include "passes/base/rules.def"
};
struct plan_rule_info {
    const char *id, *text;
};
extern const struct plan_rule_info plan_rules[RULE_COUNT];

enum candidate_kind {
    CANDIDATE_LOAD,
    CANDIDATE_CHAIN,
    CANDIDATE_BLOCK,
    CANDIDATE_STORE,
    CANDIDATE_KERNEL, // a kernel whose chains are kept, but not computed at cores
    CANDIDATE_MAP,    // a kernel for spatial cores
};

// A rejected candidate.
struct rejection {
    uint32_t function;
    enum candidate_kind kind;
    enum plan_rule rule;
    uint32_t inst;    // place: the load or store, the chain's operation, the first instruction of
                      // the block or kernel
    uint32_t because; // the instruction that caused it, or IR_NONE
    const char *text; // one sentence on which a user can act
    // The last instruction and the kind of a block that was evaluated, else IR_NONE.
    uint32_t last;
    enum block_kind shape;
};

// Maximum number of instructions: 5, and CHAIN_COPIES for the result of each except the last. A
// vector chain has two loads, four operations and a store.
enum { CHAIN_COPIES = 2, CHAIN_MAX = 5 + 4 * CHAIN_COPIES };

// The patterns of chains [000 Table 1], numbered from 1 to CHAIN_PATTERNS.

enum response { RESPONSE_ACK, RESPONSE_DATA, RESPONSE_BITMAP };

enum {
    CHAIN_PATTERNS = 0
#define CHAIN_PATTERN(...) +1
#include "passes/base/patterns.def"
#undef CHAIN_PATTERN
};

struct chain_pattern {
    const char *form;
    uint8_t loads, operations, stores;
    uint8_t scalars; // bit n: n scalars are allowed
    enum response response;
};
extern const struct chain_pattern chain_patterns[CHAIN_PATTERNS + 1]; // row 0 has no pattern

// Returns the pattern with these counts, or 0. `compares`: the operation is a comparison, whose
// result is a bitmap.
uint32_t pattern_find(uint32_t loads, uint32_t operations, uint32_t scalars, bool stored,
                      bool compares);
// Returns the pattern of the same chain without its store, or 0.
uint32_t pattern_without_store(uint32_t pattern);

// A Load-Compute-Store chain [000 Table 1].
struct chain {
    uint32_t function;
    uint32_t pattern;         // from 1: a row of passes/base/patterns.def
    uint32_t inst[CHAIN_MAX]; // in output order, with copies
    uint32_t count;
    bool across; // spans several basic blocks: no instruction is moved
    bool split; // the fused multiply-add among `inst` is divided: its multiplication ends the chain
    enum response response;
    uint32_t response_flits;
    // Saving in flits per warp and hop, for equal distances of all accesses: a load is a request of
    // 1 and data of 5, a store data of 5 and an ack of 1; an offloaded chain is one packet of 1 and
    // its response. Pattern 1: 6 + 6 + 6 - (1 + 1) = 16.
    uint32_t saving;
    // Saving with the expected lines of the accesses, and without loads that hit in L1; see
    // passes/chains/saving.h.
    double expected_saving;
};

struct live_value {
    uint32_t reg;     // register, or IR_NONE for a special register
    uint32_t special; // isa_special: %tid …
    uint16_t member;
    uint32_t version; // SSA version that enters or leaves; IR_NONE for special registers
};

enum trip_kind { TRIP_ONE, TRIP_CONSTANT, TRIP_COUNTED, TRIP_UNKNOWN };
enum { SAVES_TX = 1, SAVES_RX = 2 };

// Result of a cost model for a block.
struct block_estimate {
    enum cost_model cost;
    double in, out;            // words of the live values
    double saved_tx, saved_rx; // words saved per iteration
    double bw_tx, bw_rx;       // for one iteration; for all if the trip count is constant
    double at_tx, at_rx;       // at the threshold
    double weight;             // words saved if chosen: at the threshold, or at the measured trip
                               // count
    uint64_t threshold;        // minimum iterations for a net saving; 0: never
    uint64_t threshold_tx, threshold_rx; // threshold of each channel
    unsigned saves;                      // SAVES_…, at the threshold
    bool candidate;                      // it saves, under its condition if it has one
    bool conditional;                    // only if trips >= threshold
};

// A candidate block of TOM [002 §3.1].
struct block_plan {
    uint32_t function;
    enum block_kind kind;
    uint32_t entry;   // the block at its entry
    uint32_t *blocks; // all its blocks that have instructions, ascending
    uint32_t block_count;
    uint32_t tail;        // one of `blocks` whose final branch is excluded, or IR_NONE
    bool again;           // a branch back to the entry stays inside; else it leaves
    uint32_t first, last; // first and last instruction, by place in the text
    VEC(struct live_value) live_in, live_out;
    double reg_tx, reg_rx;  // registers; a predicate counts 1/32
    uint32_t loads, stores; // per iteration
    enum trip_kind trip;
    uint64_t trips;        // TRIP_CONSTANT
    const char *trip_text; // TRIP_COUNTED: the trip count as an expression of live-in registers
    unsigned measured;     // MEASURED_…: measured numbers of the refined model
                           // (passes/analysis/memory/measured.h)
    double measured_trips; // mean, if MEASURED_TRIPS of a loop
    struct block_estimate estimate; // of the model that decides
    struct block_estimate other;    // of the other model
    // It is a candidate, and no overlapping one is preferred. Within a chosen block with a
    // condition, others may be chosen: they are offloaded if the condition is false.
    bool chosen;
};

// A kernel that has a map for spatial cores [003]: passes/maps/compile.h.
struct map_plan {
    uint32_t function;
    const char *text; // *.map.yaml
    const char *form; // "threads", "tiles" or "nest"
    // The rate of a copy, tokens / cycles, and the cycle in the graph that limits it.
    uint32_t tokens, cycles;
    const char *limit;
    uint32_t copies, cores, lsus, lanes; // cores and load-store units of a copy
    uint32_t conditions;                 // on the launch
};

struct plan {
    struct arena *arena;
    VEC(struct chain) chains;      // by function, then place
    VEC(struct block_plan) blocks; // by function, then place: candidates and others
    VEC(struct map_plan) maps;     // by function, with --maps
    VEC(struct rejection) rejections;
    struct facts_table *facts; // see facts.h; NULL until the first request
    struct arena *facts_arena; // for the facts of functions; NULL: `arena`
    struct edits edits;        // of reordering and --fma=split; the backend adds tags
};
