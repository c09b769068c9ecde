// Diagnostics as JSON and SARIF. docs/reference/diagnostics.md describes both.
#pragma once
#include "backend/report/remarks.h"
#include "backend/tables/tables.h"
#include "support/diag.h"

// A place; numbers from 1.
struct text_position {
    uint32_t line, column;
    uint32_t utf16; // the column in UTF-16 code units
};

struct finding {
    enum severity severity; // a note belongs to the preceding message
    bool raised;            // a warning raised to an error
    const char *id, *message;
    const char *replacement; // suggested text for [begin, end), or NULL
    int32_t artifact;        // the file; -1: the message is about the run
    bool placed;             // false: the message is about the whole file
    struct text_position begin,
        end;              // `end` is after the last character; unknown numbers are 0
    bool passed;          // of a remark: the candidate is offloaded
    bool analysis;        // of a remark: the result of an analysis
    const char *function; // of a remark
};

// A file that was read.
struct artifact {
    const char *name; // as in messages
    const char *uri;  // NULL: standard input
    uint64_t length;
    char sha256[SHA256_HEX + 1]; // empty: unknown
    int32_t parent;              // the artifact that contains it, or -1
};

// Caches the last place found: places are mostly requested in order, and a line can have millions
// of characters.
struct position_cursor {
    const struct source *source;
    uint32_t line;      // offset of the start of the line
    uint32_t at, units; // offset reached in the line, and UTF-16 code units before it
};

struct findings {
    struct arena *arena;
    struct position_cursor cursor; // in the current text
    int32_t artifact;              // of the current text; -1: the run
    VEC(struct finding) list;
    VEC(struct artifact) artifacts;
    bool by_source; // report places in the CUDA source where they are known
    bool remarks;   // remarks were requested: their rules are listed, too
};

// The tool, its command line and its exit code.
struct tool_invocation {
    const char *tool, *version;
    int argc;
    char *const *argv; // without the command's own name
    int exit_code;
};

// Returns the place of an offset of the cursor's source, and moves the cursor there.
struct text_position position_find(struct position_cursor *cursor, uint32_t offset);

// Empties the findings, which allocate from the arena. Keeps room for findings_add_last.
void findings_init(struct findings *findings, struct arena *arena);
// Sets the text that the following messages are about; NULL: the run.
void findings_about(struct findings *findings, const struct source *source);
// Adds a diagnostic, copying its texts except for `id`. Keeps room for findings_add_last.
void findings_add(struct findings *findings, const struct diag *diag);
// Adds a remark about the current text, with its notes and its places in the CUDA source.
void findings_remark(struct findings *findings, const struct remark *remark);
// Adds an error about the run without allocating, for exhausted memory; `id` and `message` are not
// copied. Call it once, at the end.
void findings_add_last(struct findings *findings, const char *id, const char *message);
// Adds a file and the digest of its bytes. `parent` is the artifact that contains it, or -1.
// Returns its index.
int32_t findings_artifact(struct findings *findings, const char *name, const char *bytes,
                          size_t length, int32_t parent);

// Write the findings as one document. Allocate nothing.
void diagnostics_json(const struct findings *findings, FILE *to);
void diagnostics_sarif(const struct findings *findings, const struct tool_invocation *run,
                       FILE *to);
