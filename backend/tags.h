// Tags in PTX: the tables as statement-level directives or comments on existing lines.
// docs/metadata.md shows their layout.
#pragma once
#include "backend/tables.h"

enum tag_style { TAGS_PRAGMA, TAGS_COMMENT, TAGS_PAPER, TAGS_NONE };

// A tag as it is in a text.
struct tag {
    uint32_t begin, end; // its bytes with the blank that belongs to it
    uint32_t at;         // its place in the text without tags
    const char *content; // what follows `ptxoffload.`, not terminated
    uint32_t length;
    enum tag_style style;
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

// Returns the text with tags for the tables. Requires `bodies` of the untagged output text, which
// the tables' indices refer to. Pragma and comment style add the tags that reading back needs.
// Returns NULL if a kernel of the tables is not in the text.
struct bodies;
char *tags_write(struct arena *arena, const struct bodies *bodies, const struct tables *tables,
                 enum tag_style style, uint32_t *length);

// Reads the tables back from a tagged text; `output` is this text. Adds faults to `diags` (id
// "tags") with their place. Returns false if there are faults or no tags; `tables` is then
// undefined.
bool tags_read(struct tables *tables, struct arena *arena, const struct source *source,
               struct diags *diags);
