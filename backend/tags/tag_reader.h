// Parts of the readers of full (tags_read.c) and small tags (tags_read_small.c).
#pragma once
#include "backend/tables/bodies.h"
#include "backend/tables/fields.h"
#include "backend/tags/tag_text.h"
#include "backend/tags/tags_small.h"

// A tag with its continuations.
struct record {
    enum tag_kind kind;
    const char *rest; // what follows the word
    uint32_t length;
    uint32_t at;         // in the text without tags
    uint32_t begin, end; // in the tagged text
};

// Results of the tags at instructions for a chain or block of the current kernel.
struct seen_chain {
    const struct record *facts;
    uint32_t count;             // of a chain's instructions
    const struct record *wrong; // the first of them whose tag is another; NULL: none
    bool begin, end;
};

struct tag_reader {
    struct arena *arena;
    struct tables *tables;
    struct field_reader fields;
    struct small_rows small; // of small tags
    struct tags tags;
    VEC(struct record) records;
    struct source plain; // the text without tags
    struct tag_digests digests;
    struct bodies bodies;        // of the text without tags
    const struct record *record; // at work
    const struct body *body;     // that holds it
    // The kernel at work is the tables' last.
    const struct body *kernel_body;
    VEC(struct seen_chain) chains, blocks;
    // Takes each kernel of small tags instead of the tables; NULL: they are kept in the tables.
    take_kernel *take;
    void *context;
};

// Add a fault with the place of a record, or of that at work. Return false.
bool tag_fault_at(struct tag_reader *r, const struct record *record, const char *what);
bool tag_fault(struct tag_reader *r, const char *what);
// Makes the record the one at work.
void tag_reader_place(struct tag_reader *r, const struct record *record);
// Reads " 12", an id below `count`; `rest` becomes the offset of what follows.
bool tag_read_id(const struct record *record, uint32_t count, uint32_t *id, uint32_t *rest);
// Finds the instruction that the tag precedes.
bool tag_find_instruction(struct tag_reader *r, uint32_t *index);

// Reads the records of small tags. Returns false after adding faults.
bool tags_read_small(struct tag_reader *r);
