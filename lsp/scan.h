// Queries that scan a text without parsing it, so they are fast and also work while it has errors.
// Hover texts.
#pragma once
#include "lsp/analysis.h"
#include <stdio.h>

struct lsp_span {
    uint32_t begin, end; // byte offsets; equal: nothing found
};

// Returns true for the result of a query that found nothing.
static inline bool lsp_is_empty(struct lsp_span span)
{
    return span.begin == span.end;
}

// Returns the name, opcode or number at or just before an offset, with its dots, % and $.
struct lsp_span scan_word(const struct lsp_document *document, uint32_t offset);
// Returns the declaration of the name in this span: a label or register of the enclosing function,
// one of its parameters, or a function or variable of the module.
struct lsp_span scan_definition(const struct lsp_document *document, struct lsp_span name);
// Returns the opcode of the statement that contains the offset; empty outside instructions.
struct lsp_span scan_opcode(const struct lsp_document *document, uint32_t offset);

enum lsp_symbol_kind { LSP_KERNEL, LSP_FUNCTION, LSP_VARIABLE, LSP_LABEL };
struct lsp_symbol {
    enum lsp_symbol_kind kind;
    struct lsp_span name, whole;
};
// Calls `take` for functions, their labels, and variables, in the order of the text. A function
// precedes its labels.
void scan_symbols(const struct lsp_document *document,
                  void (*take)(void *context, const struct lsp_symbol *symbol), void *context);

// Writes an explanation of the instruction or name at the offset. `result` must be that of the same
// text, or NULL. Returns the explained span, empty if nothing is known.
struct lsp_span hover_write(const struct lsp_document *document, const struct lsp_result *result,
                            uint32_t offset, FILE *to);
