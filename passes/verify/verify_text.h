// PTX as statements, with a scanner of its own. Internal to the checker.
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
    uint32_t loc, loc_end; // the .loc in force; empty: no .loc
};

// Reads items. Skips tags, comments and blanks.
struct item_reader {
    const char *text;
    uint32_t at, length;
    uint32_t loc, loc_end;
};

// A range of a text, read without the blanks and comments between its words and signs. One blank
// remains where two words would merge.
struct text_words {
    const char *text;
    uint32_t at, end;
    char before; // the last character, or 0
    bool quoted; // inside a string
};

// Returns the next character, or -1.
int words_next(struct text_words *words);
// Returns true if both have the same words and signs. Otherwise `a` and `b` are after the first
// difference.
bool words_same(struct text_words *a, struct text_words *b);

// Returns the next item. Skips a byte order mark at the beginning of the text.
struct item item_next(struct item_reader *reader);

// Parts of an instruction, as ranges of the text.
struct text_part {
    uint32_t begin, end;
};

enum { MOST_PARTS = 8 };

struct parts {
    struct text_part guard, opcode;
    struct text_part operand[MOST_PARTS];
    uint32_t operands; // if more than MOST_PARTS, `operand` is incomplete
};

// Reads the parts of an instruction.
void parts_read(struct parts *parts, const char *text, const struct item *item);
