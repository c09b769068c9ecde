// The folders that an editor has open, and the symbols of their texts.
#pragma once
#include "lsp/analysis.h"
#include <jansson.h>

enum { WORKSPACE_FOLDERS = 16 };
struct workspace {
    char *folders[WORKSPACE_FOLDERS]; // paths
    uint32_t count;
};

// Reads the folders from the parameters of `initialize`.
void workspace_open(struct workspace *workspace, const json_t *params);
void workspace_close(struct workspace *workspace);
// Returns the functions and variables whose names contain the query's text, of the open texts and
// of the *.ptx files in the folders. A search ends after 1,000 files, 64 MiB or 500 symbols; hidden
// folders and links are not followed.
json_t *workspace_symbols(const struct workspace *workspace, const json_t *params,
                          const struct lsp_document *const *open, uint32_t open_count);
