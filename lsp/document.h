// An open text and its positions in the protocol, which are lines and UTF-16 code units from 0. A
// line ends with \n, \r\n or \r; for ptxas, and therefore in messages of other programs, only with
// \n.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct lsp_place {
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
bool document_change(struct lsp_document *document, bool whole, struct lsp_place begin,
                     struct lsp_place end, const char *text, uint32_t length);

// Convert between positions of the protocol and byte offsets.
uint32_t document_offset(const struct lsp_document *document, struct lsp_place place);
struct lsp_place document_place(const struct lsp_document *document, uint32_t offset);
