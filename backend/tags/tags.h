// Tags in PTX: the tables as statement-level directives or comments on existing lines.
// docs/reference/metadata.md shows their layout.
#pragma once
#include "backend/tables/tables.h"

// Small tags, PRAGMA and COMMENT, have what the simulator reads: chains, and blocks that are
// candidates by one of the cost models. Full tags have the whole tables.
enum tag_style {
    TAGS_PRAGMA,
    TAGS_COMMENT,
    TAGS_PAPER,
    TAGS_NONE,
    TAGS_PRAGMA_FULL,
    TAGS_COMMENT_FULL,
    TAG_STYLES,
};

static inline bool tag_style_is_full(enum tag_style style)
{
    return style == TAGS_PRAGMA_FULL || style == TAGS_COMMENT_FULL;
}

// A tag as it is in a text.
struct tag {
    uint32_t begin, end; // its bytes with the blank that belongs to it
    uint32_t at;         // its place in the text without tags
    const char *content; // what follows `ptxoffload.`, not terminated
    uint32_t length;
    uint32_t rest;        // offset after the word in the content
    unsigned kind;        // enum tag_kind of the word
    enum tag_style style; // TAGS_PRAGMA or TAGS_COMMENT, also of full tags
};

struct tags {
    VEC(struct tag) list;
};

// Finds the tags between braces, in pragma and comment style, as tags_write spells them. Accepts
// any text; no parse is needed.
void tags_find(struct tags *tags, struct arena *arena, const struct source *source);

// Returns the text without these tags; two NUL bytes follow it.
char *tags_strip(struct arena *arena, const struct source *source, const struct tags *tags,
                 uint32_t *length);

// Returns true if there are tags, and they are small.
bool tags_are_small(const struct tags *tags);
// Returns true if all tags, at least one, are of this style.
bool tags_are(const struct tags *tags, enum tag_style style);

// Returns the text with tags for the tables. Requires `bodies` of the untagged output text, which
// the tables' indices refer to. Returns NULL if a kernel of the tables is not in the text.
struct bodies;
char *tags_write(struct arena *arena, const struct bodies *bodies, const struct tables *tables,
                 enum tag_style style, uint32_t *length);

// Reads the tables back from a tagged text; `output` is this text. From small tags, the tables get
// chains without lines and `saving`, entries whose `candidate` is false in place of blocks that are
// no candidate, and no rejections. Adds faults to `diags` (id "tags") with their place. Returns
// false if there are faults or no tags; `tables` is then undefined.
bool tags_read(struct tables *tables, struct arena *arena, const struct source *source,
               struct diags *diags);

// Receives a kernel of the tables, which is valid during the call only. Returns false to stop
// reading.
typedef bool accept_kernel(void *context, const struct table_kernel *kernel);

// As tags_read, for a text that tags_write made with these bodies; the text is not parsed. `take`
// receives the kernels in their order; `tables` gets the rest, without the digest of the output.
// Returns true for a text without tags, too.
bool tags_read_written(struct tables *tables, struct arena *arena, const struct source *source,
                       const struct bodies *bodies, accept_kernel *take, void *context,
                       struct diags *diags);
