// What a whole text has: its errors and warnings, and what is offloaded.
#pragma once
#include "lsp/document.h"
#include "support/arena.h"

enum lsp_severity { LSP_ERROR = 1, LSP_WARNING = 2, LSP_INFORMATION = 3 };

struct lsp_finding {
    enum lsp_severity severity;
    uint32_t begin, end; // offsets
    const char *rule, *message;
    const char *replacement; // of the range: probably what was meant; NULL: unknown
};

// What was decided for an instruction.
struct lsp_decision {
    uint32_t begin, end; // offsets of the statement
    const char *text;    // Markdown
};

struct lsp_result {
    struct memory memory; // of all that follows
    struct arena arena;
    uint64_t edits; // of the document that was analysed
    struct lsp_finding *findings;
    uint32_t finding_count;
    struct lsp_decision *decisions; // ascending
    uint32_t decision_count;
};

// Reads, checks and decides. Needs `limit` bytes at most (0: no limit). Returns NULL if there is
// not enough memory.
struct lsp_result *analysis_run(const char *text, uint32_t length, uint64_t edits, size_t limit);
void analysis_free(struct lsp_result *result);
// Returns the first decision for the statement that contains the offset, or their number; the next
// ones have the same `begin`.
uint32_t analysis_find(const struct lsp_result *result, uint32_t offset);
