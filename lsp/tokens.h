// Tokens, items and statements of a text. Nothing is parsed, so that a text with errors is read,
// too. Used by all queries of scan.h, names.h and the files that answer requests.
#pragma once
#include "lsp/analysis.h"
#include "support/vec.h"

struct lsp_span {
    uint32_t begin, end; // byte offsets; equal: nothing found
};

// Returns true for the result of a query that found nothing.
static inline bool lsp_is_empty(struct lsp_span span)
{
    return span.begin == span.end;
}

// Tokens are words with their dots, % and $, strings, and single bytes of punctuation. Comments are
// skipped.
struct scan_token {
    struct lsp_span span;
    char first; // first byte of the token; 0: end of the text
};
struct scan_tokens {
    const char *text;
    uint32_t at, end;
};

struct scan_tokens scan_tokens(const struct lsp_document *document, struct lsp_span span);
struct scan_token scan_next(struct scan_tokens *t);
// Returns true if the token is this word.
bool scan_is(const struct scan_tokens *t, struct scan_token token, const char *word);
// Returns true for a token that begins like a name: a letter, `_`, `$` or `%`.
bool scan_is_name(struct scan_token token);
// Returns true for a directive of a state space of variables, such as .shared.
bool scan_is_space(const struct scan_tokens *t, struct scan_token token);
// Returns the name, opcode or number at or just before an offset.
struct lsp_span scan_word(const struct lsp_document *document, uint32_t offset);
// Returns a word without the parts after its first dot: `%tid` of `%tid.x`, `add` of `add.u32`.
struct lsp_span scan_stem(const char *text, struct lsp_span word);

// The items of a module: functions and variables

enum lsp_symbol_kind { LSP_KERNEL, LSP_FUNCTION, LSP_VARIABLE, LSP_LABEL };
struct lsp_symbol {
    enum lsp_symbol_kind kind;
    struct lsp_span name, whole;
};

struct scan_item {
    struct lsp_symbol symbol;
    // For a function, from its directive to the brace, and inside the braces. Empty without a body.
    struct lsp_span head, body;
};

// Reads the next function or variable of the module. Returns false at the end.
bool scan_next_item(struct scan_tokens *t, struct scan_item *item);
// Finds the item that contains the offset.
bool scan_item_at(const struct lsp_document *document, uint32_t offset, struct scan_item *item);

// Statements of a body

enum scan_place {
    PLACE_OPEN,      // { of a block
    PLACE_CLOSE,     // } of a block
    PLACE_LABEL,     // the colon belongs to the token
    PLACE_GUARD,     // the predicate after @
    PLACE_OPCODE,    // with its modifiers
    PLACE_DIRECTIVE, // the first word of a directive
    PLACE_OPERAND,   // any word or number after one of the two
    PLACE_OTHER,     // punctuation
};

// A walk over the tokens of a body, with the place of the current token in its statement.
struct scan_walk {
    struct scan_tokens tokens;
    struct scan_token token, before; // the current and the previous token; with first 0 at the end
    enum scan_place place;
    bool begins;          // the next token begins a statement
    bool guarded;         // an @ precedes
    struct lsp_span head; // opcode or directive of the statement; empty before it
    uint32_t operand;     // number of the operand, counted by commas outside of brackets
    uint32_t inside;      // number of commas since the innermost bracket was opened
    uint32_t depth;       // open brackets
    bool address;         // in square brackets
    bool value;           // after = in a declaration
};

struct scan_walk scan_statements(const struct lsp_document *document, struct lsp_span body);
// Steps to the next token. Returns false at the end.
bool scan_step(struct scan_walk *walk);
