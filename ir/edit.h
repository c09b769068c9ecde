// Changes of the source text. Passes decide them, the backend's writer applies them: it copies the
// source and changes these places only.
#pragma once
#include "support/vec.h"

enum edit_kind {
    EDIT_INSERT, // `text` in front of offset `begin`
    EDIT_REPLACE, // [begin, end) becomes `text`
    EDIT_MOVE,   // [begin, end) goes in front of offset `to`; inserts inside the range go with it
};

struct edit {
    enum edit_kind kind;
    uint32_t begin, end, to;
    const char *text;
    uint32_t order; // among edits at the same place: lower first
};

struct edits {
    VEC(struct edit) list;
};
