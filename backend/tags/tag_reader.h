// Parts that the readers of full (tags_read.c) and small tags (tags_read_small.c) share.
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

// Tags at instructions that were read for a chain or block of the current kernel.
struct seen_chain {
    const struct record *facts;
    uint32_t count;             // tagged instructions of a chain
    const struct record *wrong; // the first unexpected tag of a chain; NULL: none
    bool begin, end;            // of a block: they are tagged
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
    const struct record *record; // the current one
    const struct body *body;     // the body that contains it
    // The current kernel is the last one of the tables.
    const struct body *kernel_body;
    VEC(struct seen_chain) chains, blocks;
    // Receives each kernel of small tags; NULL: the tables keep them.
    accept_kernel *take;
    void *context;
};

// Add a fault at a record, or at the current one. Return false.
bool tag_fault_at(struct tag_reader *r, const struct record *record, const char *what);
bool tag_fault(struct tag_reader *r, const char *what);
// Makes the record the current one, and the place of faults.
void tag_reader_location(struct tag_reader *r, const struct record *record);
// Reads " 12", an id below `count`; `rest` becomes the offset of what follows.
bool tag_read_id(const struct record *record, uint32_t count, uint32_t *id, uint32_t *rest);
// Finds the instruction that the current tag precedes. Returns false after adding a fault.
bool tag_find_instruction(struct tag_reader *r, uint32_t *index);

// Reads the records of small tags. Returns false after adding faults.
bool tags_read_small(struct tag_reader *r);
