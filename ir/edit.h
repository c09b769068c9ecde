// Edits of the source text. Passes decide them. The backend's writer applies them: it copies the
// source and changes only these places.
//
// The result is the source read from start to end, where at each offset p
//   1. every MOVE with `to` == p inserts its range, by `order`;
//   2. every INSERT with `begin` == p inserts its text, by `order`;
//   3. the source continues: a moved range that begins at p is skipped, a replaced range is
//      replaced by its text.
// Steps 2 and 3 also apply inside a moved range (range begin <= p < range end): its inserts and
// replacements move with it, including those at its beginning, excluding those at its end. The
// MOVE's own `text` (may be NULL) is inserted after the range.
//
// Invariants: moved ranges do not overlap, replaced ranges do not overlap, and a replaced range
// lies inside one moved range or outside all. `to` lies inside no moved or replaced range; it may
// be the beginning of one, and text inserted there stays there. No two MOVEs have the same `to` and
// `order`.
#pragma once
#include "support/vec.h"

enum edit_kind {
    EDIT_INSERT,  // `text` before offset `begin`
    EDIT_REPLACE, // [begin, end) becomes `text`
    EDIT_MOVE,    // [begin, end), then `text`, goes before offset `to`
};

// `order` of inserts at the same offset: a tag directly precedes its instruction.
enum { EDIT_ORDER_LOC = 0, EDIT_ORDER_TAG = 1 };

struct edit {
    enum edit_kind kind;
    uint32_t begin, end, to;
    const char *text;
    uint32_t order; // order of edits of one kind at the same offset: lower first
};

struct edits {
    VEC(struct edit) list;
};
