// Lines that a load touches, and the new ones. Private to the analysis of reuse.
#pragma once
#include "passes/analysis/memory/coalescing_places.h"
#include "passes/analysis/reuse/reuse.h"
#include "passes/analysis/trip/trip.h"
#include "support/vec.h"

// Intervals of bytes, and the lines that they touch. Private to the analysis of reuse.

struct interval {
    int64_t begin, end;
};

struct intervals {
    VEC(struct interval) list;
    VEC(struct interval) spare; // for merging
};

// Adds an interval unless it is empty. Extends the last one if it ends where the new one begins.
void intervals_put(struct arena *arena, struct intervals *to, int64_t begin, int64_t end);
// Sorts, and merges intervals that overlap or adjoin.
void intervals_merge(struct arena *arena, struct intervals *intervals);

// Returns the number of lines that sorted intervals touch, summed over the line / granule places of
// byte 0 in a line that `start` allows.
uint64_t intervals_lines(const struct intervals *intervals, const struct start *start);

enum {
    MAX_WARPS = 8
}; // maximum number of evaluated warps of a CTA, and their number for an unknown shape

// Loads in the same innermost loop whose addresses differ by constants, in the order of the text.
struct reuse_member {
    uint32_t inst, bytes;
    int64_t constant;
    const struct reuse *reuse; // NULL: not computed
};

struct reuse_group {
    uint64_t hash;
    uint32_t loop;
    uint16_t space;
    struct affine address; // of the first member
    VEC(struct reuse_member) members;
    struct reuse_group *next;
};

// Executions of the part of a loop before its test; 0: not constant.
struct rounds {
    bool asked;
    uint64_t count;
    uint32_t test; // block of the test
};

struct reuses {
    struct arena *arena;
    struct facts *facts;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct affines *affines;
    struct coalescings *coalescings;
    struct block_shape shape;
    struct rounds *rounds;      // per loop
    struct loop_exits *exits;   // per loop; NULL: not listed yet
    struct reuse_group **table; // by hash; NULL: not allocated
    uint32_t table_mask;
    struct reuse_group **group_of;               // per instruction
    uint32_t *position_of;                       // per instruction: index in its group's members
    struct intervals touched, earlier, own, all; // state of one evaluation
    struct intervals lanes; // of the current view: its first warp, for accesses of `lanes_bytes`
    uint32_t lanes_bytes;   // 0: not computed
    struct reuse_memo *memo;
    VEC(uint64_t) key; // of the current view, in the memo
};

// Accesses that may have touched a line before.
enum { OF_LOOP = 1, OF_OTHERS = 2 };

struct view {
    struct reuses *r;
    const struct reuse_group *group;
    const struct reuse_member *member;
    const struct reuse_member *only; // NULL, or the only other load to consider
    struct affine address;
    bool lanes_known; // else one lane is evaluated
    bool in_loop;     // with a known step
    int64_t step;
    uint64_t rounds;           // number of iterations; 0: unknown
    uint64_t reach;            // iterations for which a line stays
    bool others;               // warps with unknown accesses exist
    uint32_t warps, pieces;    // evaluated warps; byte intervals of the first one
    int64_t at[MAX_WARPS];     // first byte of each warp, relative to the first warp's
    struct affine_lanes lanes; // of the first warp
    struct start start;        // of the first iteration, if the number of iterations is known
};

// `count` warps, starting at `first`.
struct warps {
    uint32_t first, count;
};

// Numbers of lines, summed over all possible starts of the first warp.
struct counts {
    uint64_t fresh, total;
};

// Adds the bytes of one access of a warp with `bytes` bytes per lane; the first byte of warp 0 is
// 0.
void view_put_warp(const struct view *view, struct intervals *to, uint32_t warp, uint32_t bytes);
// Returns the group of a load, or NULL if the addresses are unknown. Groups are built at the first
// use.
struct reuse_group *reuse_group(struct reuses *r, uint32_t inst);
// Returns the view of a load that has a group.
struct view reuse_view(struct reuses *r, uint32_t inst);

// Returns the index of the first member of the group that is considered, and their number in
// *count.
uint32_t view_others(const struct view *view, uint32_t *count);
// Returns true if control flow that reaches the load has passed the other load before, in this
// iteration or the previous one.
bool view_precedes(const struct view *view, const struct reuse_member *other);
// Counts the lines of all iterations, or of one in steady state if their number is unknown. A line
// is new if neither the accesses of `of` nor another of these warps has touched it.
struct counts view_lines(const struct view *view, struct warps warps, unsigned of);
// Returns the number of new lines without hits between warps.
uint64_t view_fresh(const struct view *view, unsigned of);

// Returns the memo's entry for views like this one; *found is set if it holds a result. Requires
// equal distances between lanes in all warps of the view.
struct reuse *reuse_memo_find(const struct view *view, bool *found);
