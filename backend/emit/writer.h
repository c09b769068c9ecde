// Applies edits to a source text.
#pragma once
#include "ir/edit.h"
#include "support/source.h"

// [begin, end) of the source became [to, to_end) of the output: copied, or replaced as a whole.
struct writer_span {
    uint32_t begin, end;
    uint32_t to, to_end;
    bool replaced;
};

struct written {
    const char *text; // `length` bytes, then two NUL bytes; the source's text if nothing is edited
    uint32_t length;
    VEC(struct writer_span) spans; // the whole source, in order
};

// Applies edits, given in any order, that obey the rules of ir/edit.h. Returns NULL, or the first
// fault of the edits; `written` is then empty.
const char *writer_apply(struct arena *arena, const struct source *source,
                         const struct edits *edits, struct written *written);

// Returns the place of the source's offset in the output: in a replaced range, the start of its
// replacement; after the last byte, the output's end.
uint32_t writer_offset(const struct written *written, uint32_t offset);
// Sets [to, to_end) to the place of [begin, end) of the source in the output. Requires that it is
// contiguous there. A replaced range becomes its replacement.
void writer_range(const struct written *written, uint32_t begin, uint32_t end, uint32_t *to,
                  uint32_t *to_end);
