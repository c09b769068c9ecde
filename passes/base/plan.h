// What the passes decide: plans with verdicts, and the edits that carry them out.
#pragma once
#include "ir/edit.h"
#include "ir/ir.h"
#include "passes/base/shape.h"

enum cost_model { COST_TOM, COST_REFINED, COST_MODELS };
enum fma_mode { FMA_FUSED, FMA_SPLIT };

struct capability;   // passes/base/capability.h
struct measurements; // passes/analysis/measured.h

struct pass_options {
    enum cost_model cost;
    enum fma_mode fma;
    bool reorder;
    struct block_shape block; // --block; unknown: all 0
    // --restrict: different pointers of a kernel lead to different memory
    bool restrict_parameters;
    // --min-saving: the least expected saving of a chain, in flits; NULL: any. Finite.
    const double *min_saving;
    const struct capability *capability; // of the unit near the data; NULL: the usual one
    const struct measurements *measured; // of a run of this module; NULL: nothing is measured
};

// Rule ids under which candidates are turned down: PLAN_RULE(identifier, "id", explanation)
enum plan_rule {
#define PLAN_RULE(name, id, text) RULE_##name,
#include "passes/base/rules.def"
#undef PLAN_RULE
    RULE_COUNT,
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
    CANDIDATE_KERNEL, // it keeps its chains, but its cores are none of the places that compute them
};
enum block_kind { BLOCK_LOOP, BLOCK_BASIC, BLOCK_REGION };

// A candidate that was turned down.
struct rejection {
    uint32_t function;
    enum candidate_kind kind;
    enum plan_rule rule;
    uint32_t inst; // where: the load or store, the chain's operation, the first instruction of the
                   // block or kernel
    uint32_t because; // the instruction that caused it, or IR_NONE
    const char *text; // one sentence that a person can act on
    // Of a block that was weighed or looked into, else IR_NONE: its last instruction, and its
    // shape.
    uint32_t last;
    enum block_kind shape;
};

// Instructions: 5, and CHAIN_COPIES of what each but the last makes. With vectors two loads, four
// operations and a store.
enum { CHAIN_COPIES = 2, CHAIN_MOST = 5 + 4 * CHAIN_COPIES };
enum response { RESPONSE_ACK, RESPONSE_DATA, RESPONSE_BITMAP };

// A Load-Compute-Store chain [000 Table 1].
struct chain {
    uint32_t function;
    uint32_t pattern;          // 1 … 9
    uint32_t inst[CHAIN_MOST]; // in the order in which they will stand; copies among them
    uint32_t count;
    bool across; // not all of them are in one basic block: they stay where they are
    bool split;  // the fused multiply-add among `inst` is divided: its multiply ends the chain
    enum response response;
    uint32_t response_flits;
    // Flits per warp and hop that the chain saves if both ends are the same distance: a load is a
    // request of 1 and data of 5, a store data of 5 and an ack of 1; offloaded, the chain is one
    // packet of 1 and its response. Pattern 1: 6 + 6 + 6 - (1 + 1) = 16.
    uint32_t saving;
    // The same with the lines that the accesses are expected to touch, and without the loads that a
    // first-level cache would serve; see passes/chains/saving.h.
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

// What a cost model says of a block.
struct block_estimate {
    enum cost_model cost;
    double in, out;            // words to move the live values
    double saved_tx, saved_rx; // words that an iteration saves
    double bw_tx, bw_rx;       // one iteration, or all of them if their number is constant
    double at_tx, at_rx;       // at the threshold
    double weight;             // words that it saves if chosen: as judged, or as was measured
    uint64_t threshold;        // iterations from which the sum saves; 0: it never does
    uint64_t threshold_tx, threshold_rx; // the same for each channel
    unsigned saves;                      // SAVES_…, judged at the threshold
    bool candidate;                      // saves, maybe under its condition
    bool conditional;                    // only if trips >= threshold
};

// A candidate block of TOM [002 §3.1].
struct block_plan {
    uint32_t function;
    enum block_kind kind;
    uint32_t entry;   // block by which it is entered
    uint32_t *blocks; // all that it has instructions of, ascending
    uint32_t block_count;
    uint32_t tail; // of them: the branch at the end of this one is not part of it; or IR_NONE
    bool again;    // control that comes back to the entry stays in it, else it leaves it
    uint32_t first, last; // of its instructions, by place in the text
    VEC(struct live_value) live_in, live_out;
    double reg_tx, reg_rx;  // registers, a predicate counting 1/32
    uint32_t loads, stores; // per iteration
    enum trip_kind trip;
    uint64_t trips;        // TRIP_CONSTANT
    const char *trip_text; // TRIP_COUNTED: the trip count as an expression of live-in registers
    unsigned
        measured; // MEASURED_…: which numbers of the refined model are (passes/analysis/measured.h)
    double measured_trips;          // mean, if MEASURED_TRIPS of a loop
    struct block_estimate estimate; // by the cost model that decides
    struct block_estimate other;    // by the other one
    bool chosen;                    // a candidate that is not passed over for an overlapping one
};

struct plan {
    struct arena *arena;
    VEC(struct chain) chains;      // by function, then place
    VEC(struct block_plan) blocks; // by function, then place: candidates and the others
    VEC(struct rejection) rejections;
    struct facts_table *facts; // see facts.h; NULL until a pass asks
    struct edits edits;        // of the reordering and of --fma=split; tags are the backend's
};
