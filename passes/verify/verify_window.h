// A window of instructions in which input and output differ. Internal to the checker.
#pragma once
#include "passes/analysis/facts.h"
#include "passes/verify/verify.h"
#include "support/vec.h"

// PTX as statements, with a scanner of its own.

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

// Returns the next item. Skips a byte order mark at the beginning of the text. An instruction with
// the same bytes as `like`, an item of `other`, is not read again; `like` may be NULL.
struct item item_next(struct item_reader *reader, const struct item_reader *other,
                      const struct item *like);

// Parts of an instruction, as ranges of the text.
struct text_part {
    uint32_t begin, end;
};

enum { MAX_PARTS = 8 };

struct parts {
    struct text_part guard, opcode;
    struct text_part operand[MAX_PARTS];
    uint32_t operands; // if more than MAX_PARTS, `operand` is incomplete
};

// Reads the parts of an instruction.
void parts_read(struct parts *parts, const char *text, const struct item *item);

// An instruction of the input between two places at which the texts agree.
struct member {
    struct item item;
    uint32_t inst;
    uint32_t out; // index of its event: its place in the output's order
    bool hard;    // no instruction may cross it
};

// An instruction of the output in the window, or the two instructions of a divided multiply-add.
struct event {
    struct item item;
    struct item sum; // the addition, if `item` is the multiplication before it
    uint32_t member;
    bool pairs;
};

// Items that instructions of a window may cross: `.reg` declarations and `.pragma "nounroll"`.
struct verify_mark {
    struct item in, out;
    uint32_t members, events; // numbers of members and events before it
};

struct checker {
    struct verified *to;
    struct arena *arena;  // of the faults
    struct arena scratch; // of a window
    const struct ir_module *module;
    const struct pass_options *options;
    struct plan own; // holds only the facts of the functions
    struct arena facts;
    struct item_reader input, output;
    const struct ir_function *fn; // function of the input's item, or NULL
    uint32_t function, inst;      // position in the functions
    VEC(struct member) members;
    VEC(struct event) events;
    VEC(struct verify_mark) marks;
    // Per register of `fn`: the current definition, valid if its round is `round`.
    const struct ir_function *defs_of;
    uint32_t *def, *def_round, round;
    struct arena registers;
};

// Adds a fault. The caller must then leave the window, so that each fault is reported once.
void window_fault(struct checker *c, uint32_t input, uint32_t output, const char *text);
// Pairs the instructions of input and output: by text, and with --fma=split a product and its sum
// with a fused multiply-add. Instructions without a counterpart keep IR_NONE.
void window_pair(struct checker *c);
// Checks that no instruction has crossed the declaration of one of its names (verify_marks.c).
// Requires all pairs.
bool window_check_marks(struct checker *c);
// Returns true if instructions may cross the fixed item.
bool window_is_mark(const char *text, const struct item *item);
// Checks that all values read are the same, and that the accesses to memory may be in their new
// order. Counts moved instructions. Requires all pairs.
void window_check_order(struct checker *c);
// Checks the order of accesses to memory (verify_memory.c).
void window_check_memory(struct checker *c);
