// Applies edits to a source text: what no edit names is copied byte for byte.
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
    char *text; // `length` bytes, then two NUL bytes
    uint32_t length;
    VEC(struct writer_span) spans; // all of the source, in its order
};

// Applies the edits as ir/edit.h says. Needs: a source and edits that keep what is said there;
// edits may come in any order. Returns NULL, or what is wrong with the edits; `written` then holds
// nothing.
const char *writer_apply(struct arena *arena, const struct source *source,
                         const struct edits *edits, struct written *written);

// Where the source's offset stands in the output: in a replaced range, where its replacement
// begins; behind the last byte, at the output's end.
uint32_t writer_offset(const struct written *written, uint32_t offset);
// Where [begin, end) of the source stands in the output, which has it in one piece: the
// replacement if it was replaced.
void writer_range(const struct written *written, uint32_t begin, uint32_t end, uint32_t *to,
                  uint32_t *to_end);
