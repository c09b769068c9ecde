// Caches results of similar views: kernels access memory by few patterns in many places.
#include "passes/analysis/reuse/reuse_view.h"
#include <string.h>

// A key has at most some 80 words, so a full table takes less than half a megabyte.
enum { MEMO_ENTRIES = 512 };

struct memo_entry {
    VEC(uint64_t) key;
    struct reuse reuse;
};

// A new result replaces the old one in its slot.
struct reuse_memo {
    struct arena *arena;
    struct memo_entry *slots[MEMO_ENTRIES];
};

struct reuse_memo *reuse_memo_new(struct arena *arena)
{
    struct reuse_memo *memo = ARENA_NEW(arena, struct reuse_memo);
    memo->arena = arena;
    return memo;
}

static void add_word(struct reuses *r, uint64_t word)
{
    vec_push(r->arena, &r->key, word);
}

static void add_lanes(const struct view *view)
{
    struct reuses *r = view->r;
    for (uint32_t i = 0; i < view->warps; i++)
        add_word(r, (uint64_t)view->at[i]);
    if (!view->lanes_known)
        return;
    add_word(r, view->lanes.active);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        add_word(r, (uint64_t)view->lanes.offset[i]);
}

// Adds the other loads that view_lines considers, relative to the load.
static void add_others(const struct view *view)
{
    struct reuses *r = view->r;
    uint32_t count, from = view_others(view, &count);
    for (uint32_t i = from; i < from + count; i++) {
        const struct reuse_member *other = &view->group->members.v[i];
        bool precedes = other == view->member || view_precedes(view, other);
        add_word(r, (uint64_t)other->constant - (uint64_t)view->member->constant);
        add_word(r, (uint64_t)other->bytes << 2 | (uint64_t)precedes << 1 | (other < view->member));
    }
}

static void make_key(const struct view *view)
{
    struct reuses *r = view->r;
    r->key.n = 0;
    add_word(r, (uint64_t)view->lanes_known << 2 | (uint64_t)view->in_loop << 1 | view->others);
    add_word(r, (uint64_t)view->warps << 32 | view->member->bytes);
    add_word(r, (uint64_t)view->step);
    add_word(r, view->rounds);
    add_word(r, view->reach);
    add_word(r, view->start.value);
    add_word(r, view->start.granule);
    add_lanes(view);
    add_others(view);
}

static uint64_t hash_key(const struct reuses *r)
{
    uint64_t hash = r->key.n;
    for (uint32_t i = 0; i < r->key.n; i++)
        hash = (hash ^ r->key.v[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    return hash ^ hash >> 32;
}

struct reuse *reuse_memo_find(const struct view *view, bool *found)
{
    struct reuses *r = view->r;
    make_key(view);
    struct memo_entry **at = &r->memo->slots[hash_key(r) % MEMO_ENTRIES];
    if (!*at)
        *at = ARENA_NEW(r->memo->arena, struct memo_entry);
    struct memo_entry *slot = *at;
    size_t bytes = r->key.n * sizeof *r->key.v;
    *found = slot->key.n == r->key.n && !memcmp(slot->key.v, r->key.v, bytes);
    if (*found)
        return &slot->reuse;
    vec_reserve(r->memo->arena, &slot->key, r->key.n);
    memcpy(slot->key.v, r->key.v, bytes);
    slot->key.n = r->key.n;
    return &slot->reuse;
}
