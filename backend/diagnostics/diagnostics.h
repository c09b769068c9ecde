// Diagnostics as JSON and SARIF. docs/reference/diagnostics.md describes both.
#pragma once
#include "backend/report/remarks.h"
#include "backend/tables/tables.h"
#include "support/diag.h"

// A place; numbers from 1.
struct text_place {
    uint32_t line, column;
    uint32_t utf16; // the column in UTF-16 code units
};

struct finding {
    enum severity severity; // a note belongs to the preceding message
    bool raised;            // a warning that is an error
    const char *id, *message;
    const char *replacement; // of the text from begin to end: probably what was meant; or NULL
    int32_t artifact;        // the file, or -1: the message is about the run
    bool placed;             // false: about the whole file
    struct text_place begin,
        end;              // `end` is after the last character; unknown numbers are 0
    bool passed;          // of a remark: a candidate is offloaded
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

// The last place that was found: places are mostly requested in order, and a line can have millions
// of characters.
struct place_cursor {
    const struct source *source;
    uint32_t line; // offset of its begin
    uint32_t at, units;
};

struct findings {
    struct arena *arena;
    struct place_cursor cursor; // with the current text
    int32_t artifact;           // of this text
    VEC(struct finding) list;
    VEC(struct artifact) artifacts;
    bool by_source; // findings are at places of the CUDA source, where these are known
    bool remarks;   // were requested: their rules are listed, too
};

// Outcome of the run.
struct diagnostics_run {
    const char *tool, *version;
    int argc;
    char *const *argv; // without the command's own name
    int exit_code;
};

// Finds the place of an offset.
struct text_place place_find(struct place_cursor *cursor, uint32_t offset);

void findings_init(struct findings *findings, struct arena *arena);
// Sets the text of the following messages; NULL: the run.
void findings_about(struct findings *findings, const struct source *source);
// Copies the parts of the diagnostic that it needs. Leaves room for one more.
void findings_add(struct findings *findings, const struct diag *diag);
// The same for a remark about the text, with its notes.
void findings_remark(struct findings *findings, const struct remark *remark);
// For exhausted memory: allocates nothing, so that `message` must stay valid. Call it once, at the
// end.
void findings_add_last(struct findings *findings, const char *id, const char *message);
// Adds a file with its bytes. Returns its place.
int32_t findings_artifact(struct findings *findings, const char *name, const char *bytes,
                          size_t length, int32_t parent);

// Both write one document and allocate nothing.
void diagnostics_json(const struct findings *findings, FILE *to);
void diagnostics_sarif(const struct findings *findings, const struct diagnostics_run *run,
                       FILE *to);
