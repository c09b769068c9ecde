// Analyses a whole text: its errors and warnings, and what is offloaded.
#pragma once
#include "lsp/document.h"
#include "support/arena.h"

enum lsp_severity { LSP_ERROR = 1, LSP_WARNING = 2, LSP_INFORMATION = 3 };

struct lsp_finding {
    enum lsp_severity severity;
    uint32_t begin, end; // byte range
    const char *rule, *message;
    const char *replacement; // suggested text for the range, or NULL
};

// A decision about an instruction.
struct lsp_decision {
    uint32_t begin, end; // byte range of the statement
    const char *text;    // Markdown
};

struct lsp_result {
    struct memory memory; // memory of the members below
    struct arena arena;
    uint64_t edits; // `edits` of the analysed document
    struct lsp_finding *findings;
    uint32_t finding_count;
    struct lsp_decision *decisions; // in ascending order of `begin`
    uint32_t decision_count;
};

// Parses and checks the text, and decides what is offloaded. Uses at most `limit` bytes of memory
// (0: no limit). Returns NULL if that is not enough.
struct lsp_result *analysis_run(const char *text, uint32_t length, uint64_t edits, size_t limit);
// Frees a result; NULL is allowed.
void analysis_free(struct lsp_result *result);
// Returns the index of the first decision for the statement that contains the offset, or
// `decision_count`. Further decisions for it follow, with the same `begin`.
uint32_t analysis_find(const struct lsp_result *result, uint32_t offset);
