// Which loads a first-level cache would serve, because a line that they touch was touched before:
// in an earlier iteration of the innermost loop, by another load of the block of code or of what
// leads to it, or by another warp of the CTA.
//
// What is assumed: the warps of a CTA are in the same iteration; a line stays until all of them
// have gone on by a line (or by one iteration, if that is more), but not from one time that the
// loop runs to the next; blocks of unknown shape have 256 threads in one dimension, or, where
// passes/analysis/coalescing.h assumes rows of whole warps, other warps touch nothing; and what it
// says of places within lines. Stores bring no lines.
//
// Answers are the mean over all iterations where their number is a constant, of at most 4096. Else
// they hold far from the loop's beginning.
#pragma once
#include "passes/analysis/coalescing.h"

enum reuse_kind {
    REUSE_UNKNOWN, // nothing is known of its addresses: taken as missing always
    REUSE_NONE,    // every line is new
    REUSE_LOOP,    // the thread goes on by less than a line each iteration
    REUSE_SAME,    // the address does not change in the loop
    REUSE_OTHER,   // another load touches the same lines
    REUSE_WARPS,   // other warps of the CTA touch the same lines
};

// What may serve a line, in the order in which it is asked: each serves what those before it leave.
enum reuse_cause {
    CAUSE_LOOP,  // the load itself, of the same warp, in an earlier iteration
    CAUSE_OTHER, // another load of the same warp
    CAUSE_WARPS, // another warp of the CTA
    REUSE_CAUSES,
};

struct reuse {
    enum reuse_kind kind;          // of the cause that serves most
    struct ratio miss;             // lines that are new, of those that it touches
    uint64_t lines;                // that the warps touch; in lowest terms with what follows
    uint64_t served[REUSE_CAUSES]; // of them; the rest is new
    uint32_t warps;                // of the CTA that were looked at
    bool others;                   // there may be others, of whose accesses nothing is known
    int64_t step;                  // bytes from one iteration to the next, if that is known
    uint32_t loop;                 // the innermost loop, or IR_NONE
};

struct reuses;

struct facts;

// Addresses of all loads are looked at when the first is asked for; close to linear in them.
struct reuses *reuses_new(struct facts *facts);
struct reuse reuse_of(struct reuses *reuses, uint32_t inst);

// Of the other loads that serve one the one that serves most alone.
struct reuse_other {
    uint32_t line;
    bool all; // as much as all of them together
};

// Needs a load with served[CAUSE_OTHER] above 0.
struct reuse_other reuse_other(struct reuses *reuses, uint32_t inst);

// Half a sentence for remarks: "each iteration goes on by 4 bytes: 1 of 32 lines is new". Where
// several causes serve a load, each is named with its share.
const char *reuse_text(struct reuses *reuses, struct arena *arena, uint32_t inst);
