// Hover texts.
#pragma once
#include "lsp/tokens.h"
#include <stdio.h>

// Writes an explanation of the instruction or name at the offset, in Markdown. `result` must be
// that of the same text, or NULL. Returns the explained span, empty if nothing is known.
struct lsp_span hover_write(struct arena *arena, const struct lsp_document *document,
                            const struct lsp_result *result, uint32_t offset, FILE *to);
