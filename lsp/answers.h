// Answers to requests about a text. Each is a function in a table; the server calls it with the
// text and sends what it returns.
//
// Values are built with json_pack, because other functions of jansson have the same names as
// functions of support/json.h.
#pragma once
#include "lsp/analysis.h"
#include "lsp/tokens.h"
#include <jansson.h>

struct lsp_query {
    const struct lsp_document *document;
    const struct lsp_result *result; // of this very text; NULL: not analysed
    const json_t *params;
    uint32_t offset;     // of the position, if the request has one
    struct arena *arena; // freed after the answer
    size_t limit;        // bytes of memory for a parse; 0: no limit
    const char *error;   // set by an answer that refuses the request: the reason
};

struct lsp_method {
    const char *name;
    json_t *(*answer)(struct lsp_query *query); // returns the result; NULL stands for null
};
// The methods, up to one without a name.
extern const struct lsp_method lsp_methods[];

// The answers, each in a file named after what it does
json_t *answer_completion(struct lsp_query *query);
json_t *answer_signature(struct lsp_query *query);
json_t *answer_prepare_rename(struct lsp_query *query);
json_t *answer_rename(struct lsp_query *query);
json_t *answer_tokens(struct lsp_query *query);
json_t *answer_tokens_in_range(struct lsp_query *query);
json_t *answer_folding(struct lsp_query *query);

// Returns what the server can do, as `initialize` reports it.
json_t *answers_capabilities(void);
// The types and modifiers of semantic tokens.
json_t *tokens_legend(void);
// Returns a symbol for `documentSymbol` (range) or `workspace/symbol` (location).
int symbol_kind(enum lsp_symbol_kind kind);

// Values of the protocol
json_t *protocol_range(const struct lsp_document *document, struct lsp_span span);
json_t *protocol_position(const struct lsp_document *document, uint32_t offset);
// Returns a string, also for a text that is not UTF-8.
json_t *protocol_text(const char *text);
// Returns a string with the text of a span.
json_t *protocol_span_text(const struct lsp_document *document, struct lsp_span span);
json_t *protocol_finding(const struct lsp_document *document, const struct lsp_finding *finding);
struct lsp_position protocol_read_position(const json_t *place);
// Returns the span of a `range`; the whole text if it is missing.
struct lsp_span protocol_read_range(const struct lsp_document *document, const json_t *range);
