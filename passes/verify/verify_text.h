// PTX as statements, read by a scanner of its own. Private to the checker.
#pragma once
#include "support/vec.h"

enum item_kind {
    ITEM_END,
    ITEM_INSTRUCTION, // up to its semicolon
    ITEM_FIXED,       // label, brace, directive: everything else
};

struct item {
    enum item_kind kind;
    uint32_t begin, end;
    uint32_t loc, loc_end; // the .loc in force; equal: none
};

// Tags, comments and blanks are passed over.
struct item_reader {
    const char *text;
    uint32_t at, length;
    uint32_t loc, loc_end;
};

struct item item_next(struct item_reader *reader);

// An instruction's parts, as ranges of the text.
struct part {
    uint32_t begin, end;
};

enum { MOST_PARTS = 8 };

struct parts {
    struct part guard, opcode;
    struct part operand[MOST_PARTS];
    uint32_t operands; // more than MOST_PARTS: not all are there
};

void parts_read(struct parts *parts, const char *text, const struct item *item);
