// Applies edits to a source text: what no edit names is copied byte for byte.
#pragma once
#include "ir/edit.h"
#include "support/source.h"

// [begin, end) of the source stands from `to` on in the output. An offset in a replaced range
// stands where its replacement begins.
struct writer_span {
    uint32_t begin, end, to;
    bool replaced;
};

struct written {
    char *text; // `length` bytes, then two NUL bytes
    uint32_t length;
    VEC(struct writer_span) spans; // all of the source, in its order
};

// Applies the edits. Needs: ranges in the source; ranges of replacements and moves that do not
// overlap, except that a replacement may lie inside a moved range; no insertion and no move's target
// strictly inside a replaced range, no target strictly inside a moved one. What is put in front of
// one offset stands there by `order`, then in the order of the list. An insertion in front of a
// moved range goes with it; what is moved to that offset takes the range's old place.
// Returns NULL, or what is wrong with the edits; `written` then holds nothing.
const char *writer_apply(struct arena *arena, const struct source *source,
                         const struct edits *edits, struct written *written);

// Where the source's offset stands in the output; the source's length gives the output's.
uint32_t writer_offset(const struct written *written, uint32_t offset);
