// Tags in PTX: the tables as statement-level directives or comments on the lines that are there.
// docs/metadata.md shows their layout.
#pragma once
#include "backend/tables.h"

enum tag_style { TAGS_PRAGMA, TAGS_COMMENT, TAGS_PAPER, TAGS_NONE };

// A tag as it stands in a text.
struct tag {
    uint32_t begin, end; // its bytes with the blank that belongs to it
    uint32_t at;         // where it stood in the text without tags
    const char *content; // what follows `ptxoffload.`, not terminated
    uint32_t length;
    enum tag_style style;
};

struct tags {
    VEC(struct tag) list;
};

// Finds the tags between braces, in pragma and comment style: what is spelled as tags_write spells
// it. Needs no parsed text and takes any.
void tags_find(struct tags *tags, struct arena *arena, const struct source *source);

// The text without these tags; two NUL bytes follow it.
char *tags_strip(struct arena *arena, const struct source *source, const struct tags *tags,
                 uint32_t *length);

// The text with tags for the tables. Needs: `bodies` are those of the untagged output text, which
// the tables' indices describe. Pragma and comment style add what reading back needs. NULL: a
// kernel of the tables is not in the text.
struct bodies;
char *tags_write(struct arena *arena, const struct bodies *bodies, const struct tables *tables,
                 enum tag_style style, uint32_t *length);

// Reads the tables back from a tagged text; `output` is this text. Faults are added to `diags` (id
// "tags") with their place. Returns false, with `tables` in no useful state, if there are any, or
// if there are no tags at all.
bool tags_read(struct tables *tables, struct arena *arena, const struct source *source,
               struct diags *diags);
