// Explanations of a place in a text, as Markdown.
#pragma once
#include "lsp/analysis.h"
#include "lsp/scan.h"
#include <stdio.h>

// Writes what is known of the instruction or name at the offset. `result`: of the same text; or
// NULL. Returns the span that is explained; empty: nothing is.
struct lsp_span hover_write(const struct lsp_document *document, const struct lsp_result *result,
                            uint32_t offset, FILE *to);
