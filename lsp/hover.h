// Explains a place in a text, as Markdown.
#pragma once
#include "lsp/analysis.h"
#include "lsp/scan.h"
#include <stdio.h>

// Writes an explanation of the instruction or name at the offset. `result` must be that of the same
// text, or NULL. Returns the explained span, empty if nothing is known.
struct lsp_span hover_write(const struct lsp_document *document, const struct lsp_result *result,
                            uint32_t offset, FILE *to);
