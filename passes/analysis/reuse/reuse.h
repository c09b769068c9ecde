// Loads that hit in L1 because their line was touched before: in an earlier iteration of the
// innermost loop, by another load of the same code or of earlier code, or by another warp of the
// CTA.
//
// Assumptions: the warps of a CTA are in the same iteration. A line stays in L1 until all of them
// have advanced by a line (or by one iteration, if that is more), but not until the loop is entered
// again. Blocks of unknown shape have 256 threads in one dimension; if
// passes/analysis/memory/coalescing.h assumes rows of whole warps, other warps have no common
// lines. The assumptions of passes/analysis/memory/coalescing.h on places within lines hold. Stores
// allocate no lines.
//
// Results are means over all iterations if the trip count is a constant of at most 4096, else over
// the steady state.
#pragma once
#include "passes/analysis/memory/coalescing.h"

enum reuse_kind {
    REUSE_UNKNOWN, // unknown addresses: each access counts as a miss
    REUSE_NONE,    // every line is new
    REUSE_LOOP,    // the thread advances by less than a line per iteration
    REUSE_SAME,    // the address does not change in the loop
    REUSE_OTHER,   // another load touches the same lines
    REUSE_WARPS,   // other warps of the CTA touch the same lines
};

// Causes of hits, in the order of evaluation: each serves lines that the previous ones do not
// serve.
enum reuse_cause {
    CAUSE_LOOP,  // the load itself, of the same warp, in an earlier iteration
    CAUSE_OTHER, // another load of the same warp
    CAUSE_WARPS, // another warp of the CTA
    REUSE_CAUSES,
};

struct reuse {
    enum reuse_kind kind;          // of the cause with the largest share
    struct ratio miss;             // new lines, as a fraction of the lines touched
    uint64_t lines;                // lines that the warps touch; in lowest terms with `served`
    uint64_t served[REUSE_CAUSES]; // lines that hit, by cause; the others are new
    uint32_t warps;                // number of evaluated warps of the CTA
    bool others;                   // other warps with unknown accesses may exist
    int64_t step;                  // bytes from one iteration to the next, if known
    uint32_t loop;                 // the innermost loop, or IR_NONE
};

struct reuses;
struct reuse_memo; // results that functions share

struct facts;

// Creates the memo, which keeps results for all functions.
struct reuse_memo *reuse_memo_new(struct arena *arena);

// Creates the analysis of a function. All loads are evaluated at the first request, in close to
// linear time.
struct reuses *reuses_new(struct facts *facts);
// Returns the reuse of a load.
struct reuse reuse_of(struct reuses *reuses, uint32_t inst);

// The load that serves most lines of another one on its own.
struct reuse_other {
    uint32_t line;
    bool all; // it serves as much as all others together
};

// Returns that load. Requires a load with served[CAUSE_OTHER] > 0.
struct reuse_other reuse_other(struct reuses *reuses, uint32_t inst);

// Returns a clause for remarks: "each iteration advances by 4 bytes: 1 of 32 lines is new". If
// several causes serve a load, it states the share of each.
const char *reuse_text(struct reuses *reuses, struct arena *arena, uint32_t inst);
