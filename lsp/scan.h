// The outline of a text, and the statement at a place. Nothing is parsed, so that both are fast and
// also work while the text has errors.
#pragma once
#include "lsp/tokens.h"

// Calls `take` for functions, their labels, and variables, in the order of the text. A function
// precedes its labels.
void scan_symbols(const struct lsp_document *document,
                  void (*take)(void *context, const struct lsp_symbol *symbol), void *context);

// The statement at a place, as far as it is written before the place.
struct scan_statement {
    bool in_body;          // of a function
    struct scan_item item; // the function, if in_body
    struct lsp_span head;  // opcode or directive, empty: the place is before its end or has none
    struct lsp_span word;  // the word that ends at the place or contains it; empty without one
    bool guard;            // the place is the predicate after @
    bool address;          // in square brackets
    bool list;             // in parentheses or braces
    uint32_t operand;      // operand by commas outside of brackets
    uint32_t inside;       // commas since the bracket was opened
};
struct scan_statement scan_statement_at(const struct lsp_document *document, uint32_t offset);
// Returns the opcode of the statement that contains the offset; empty outside instructions.
struct lsp_span scan_opcode(const struct lsp_document *document, uint32_t offset);
