// An open text of the protocol, and its analysis: its errors and warnings, and what is offloaded.
#pragma once
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

// An open text and its positions in the protocol, which are lines and UTF-16 code units from 0. A
// line ends with \n, \r\n or \r; for ptxas, and therefore in messages of other programs, only with
// \n.

struct lsp_position {
    uint32_t line, character;
};

struct lsp_document {
    char *uri;
    char *text; // `length` bytes and a NUL; allocated by malloc
    uint32_t length, room;
    int64_t version;
    uint64_t edits;  // number of edits since it was opened
    uint32_t *lines; // offset of the start of each line
    uint32_t line_count, line_room;
};

// Opens a document with a copy of the text. Returns NULL if memory runs out.
struct lsp_document *document_open(const char *uri, const char *text, uint32_t length);
// Frees a document with its text.
void document_free(struct lsp_document *document);
// Replaces a range, or with `whole` the entire text. Positions after a line's end are clamped to
// it, lines after the last to the end of the text. Returns false if memory runs out or the text
// would exceed 2 GiB.
bool document_change(struct lsp_document *document, bool whole, struct lsp_position begin,
                     struct lsp_position end, const char *text, uint32_t length);

// Convert between positions of the protocol and byte offsets.
uint32_t document_offset(const struct lsp_document *document, struct lsp_position place);
struct lsp_position document_position(const struct lsp_document *document, uint32_t offset);

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
    const char *hint;    // at the first instruction of what is offloaded: a few words; or NULL
};

// The decisions about a function.
struct lsp_summary {
    uint32_t begin, end; // byte range of the function
    const char *text;    // one line
};

struct lsp_result {
    struct memory memory; // memory of the members below
    struct arena arena;
    uint64_t edits; // `edits` of the analysed document
    struct lsp_finding *findings;
    uint32_t finding_count;
    struct lsp_decision *decisions; // in ascending order of `begin`
    uint32_t decision_count;
    struct lsp_summary *summaries; // of functions with a body, in the order of the text
    uint32_t summary_count;
};

// Parses and checks the text, and decides what is offloaded. Uses at most `limit` bytes of memory
// (0: no limit). Returns NULL if that is not enough.
struct lsp_result *analysis_run(const char *text, uint32_t length, uint64_t edits, size_t limit);
// Frees a result; NULL is allowed.
void analysis_free(struct lsp_result *result);
// Returns the index of the first decision for the statement that contains the offset, or
// `decision_count`. Further decisions for it follow, with the same `begin`.
uint32_t analysis_find(const struct lsp_result *result, uint32_t offset);
