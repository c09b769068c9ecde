// What a load touches, and which lines of it are new. Private to what is found out about reuse.
#pragma once
#include "passes/analysis/intervals.h"
#include "passes/analysis/reuse.h"
#include "passes/analysis/trip.h"

enum { MOST_WARPS = 8 }; // of a CTA that are looked at; as many has one of unknown shape

// Loads in the same innermost loop whose addresses differ by constants, in the order of the text.
struct reuse_member {
    uint32_t inst, bytes;
    int64_t constant;
    const struct reuse *reuse; // NULL: not asked for yet
};

struct reuse_group {
    uint64_t hash;
    uint32_t loop;
    uint16_t space;
    struct affine address; // of the first
    VEC(struct reuse_member) members;
    struct reuse_group *next;
};

// How often a loop runs through what stands before its test; 0: that is no constant.
struct rounds {
    bool asked;
    uint64_t count;
    uint32_t test; // block
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
    bool *no_accesses;          // per instruction: false
    struct reuse_group **table; // by hash; NULL: not made yet
    uint32_t table_mask;
    struct reuse_group **group_of;               // per instruction
    uint32_t *place_of;                          // in its group's members
    struct intervals touched, earlier, own, all; // of one question
    struct intervals lanes; // of the view at work: its first warp, for accesses of `lanes_bytes`
    uint32_t lanes_bytes;   // 0: not made yet
};

// By whom a line may have been touched before.
enum { OF_LOOP = 1, OF_OTHERS = 2 };

struct view {
    struct reuses *r;
    const struct reuse_group *group;
    const struct reuse_member *member;
    const struct reuse_member *only; // NULL, or the one other load that is looked at
    struct affine address;
    bool lanes_known; // else one lane is looked at
    bool in_loop;     // with a step that is known
    int64_t step;
    uint64_t rounds;           // iterations; 0: their number is not known
    uint64_t reach;            // iterations that a line stays
    bool others;               // warps of whose accesses nothing is known
    uint32_t warps, pieces;    // intervals of bytes of the first warp
    int64_t at[MOST_WARPS];    // first byte of each warp, from that of the first
    struct affine_lanes lanes; // of the first
    struct start start;        // if the number of iterations is known, of the first
};

// Warps from `first` on, so many.
struct warps {
    uint32_t first, count;
};

// Lines, over all places where the first warp may begin.
struct counts {
    uint64_t fresh, total;
};

// Bytes of one access of a warp, for an access of `bytes` bytes; the first byte of warp 0 is 0.
void view_put_warp(const struct view *view, struct intervals *to, uint32_t warp, uint32_t bytes);
// The group and the place in it are made on first use; no group: nothing is known of its addresses.
struct reuse_group *reuse_group(struct reuses *r, uint32_t inst);
struct view reuse_view(struct reuses *r, uint32_t inst);

// What lies around the load in its group: from `from` on, `*count` of them.
uint32_t view_others(const struct view *view, uint32_t *count);
// Control that comes to the load has passed the other before, in this iteration or the last.
bool view_precedes(const struct view *view, const struct reuse_member *other);
// Lines of all iterations, or of one far from the beginning if their number is not known. A line
// is new if what `of` names has not touched it, nor another of these warps.
struct counts view_lines(const struct view *view, struct warps warps, unsigned of);
// New lines if no warp finds what another has brought.
uint64_t view_fresh(const struct view *view, unsigned of);
