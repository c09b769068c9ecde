// Questions about a text that are answered without parsing it: quick, also while it has errors.
#pragma once
#include "lsp/document.h"

struct lsp_span {
    uint32_t begin, end; // offsets; equal: nothing
};

static inline bool lsp_is_empty(struct lsp_span span)
{
    return span.begin == span.end;
}

// The name, opcode or number at or just before an offset, with its dots, % and $.
struct lsp_span scan_word(const struct lsp_document *document, uint32_t offset);
// The declaration of the name in this span: a label or register of the function around it, a
// parameter of this function, or a function or variable of the module.
struct lsp_span scan_definition(const struct lsp_document *document, struct lsp_span name);
// The opcode of the statement that contains the offset; empty outside instructions.
struct lsp_span scan_opcode(const struct lsp_document *document, uint32_t offset);

enum lsp_symbol_kind { LSP_KERNEL, LSP_FUNCTION, LSP_VARIABLE, LSP_LABEL };
struct lsp_symbol {
    enum lsp_symbol_kind kind;
    struct lsp_span name, whole;
};
// Calls the function for functions, their labels, and variables, in the order of the text. A
// function comes before its labels.
void scan_symbols(const struct lsp_document *document,
                  void (*take)(void *context, const struct lsp_symbol *symbol), void *context);
