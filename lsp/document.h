// An open text: its bytes, and places as the protocol has them, lines and UTF-16 code units from 0.
// A line ends with \n, \r\n or \r; for ptxas, and so in messages of other programs, with \n only.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct lsp_place {
    uint32_t line, character;
};

struct lsp_document {
    char *uri;
    char *text; // `length` bytes and a 0; of the system, not of an arena
    uint32_t length, room;
    int64_t version;
    uint64_t edits;  // since it was opened
    uint32_t *lines; // offset of the start of each line
    uint32_t line_count, line_room;
};

// Returns NULL if there is no memory.
struct lsp_document *document_open(const char *uri, const char *text, uint32_t length);
void document_free(struct lsp_document *document);
// Replaces a range, or the whole text if `whole`. Places behind a line's end count as its end,
// lines behind the last as the text's end. Returns false if there is no memory, or 2 GiB would be
// exceeded.
bool document_change(struct lsp_document *document, bool whole, struct lsp_place begin,
                     struct lsp_place end, const char *text, uint32_t length);

uint32_t document_offset(const struct lsp_document *document, struct lsp_place place);
struct lsp_place document_place(const struct lsp_document *document, uint32_t offset);
