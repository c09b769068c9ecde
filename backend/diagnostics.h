// What was found wrong, for programs: JSON and SARIF. docs/diagnostics.md describes both.
#pragma once
#include "backend/remarks.h"
#include "backend/tables.h"
#include "support/diag.h"

// A place, from 1.
struct text_place {
    uint32_t line, column;
    uint32_t utf16; // the column in UTF-16 code units
};

struct finding {
    enum severity severity; // a note belongs to what stands before it
    bool raised;            // a warning that is an error
    const char *id, *message;
    int32_t artifact; // the file that it is about, or -1: it is about the run
    bool placed;      // false: about the file as a whole
    struct text_place begin,
        end;              // `end` is behind the last letter; a number that is not known is 0
    bool passed;          // of a remark: something is offloaded
    bool analysis;        // of a remark: neither is, something was found
    const char *function; // of a remark
};

// A file that was read.
struct artifact {
    const char *name; // as in messages
    const char *uri;  // NULL: standard input
    uint64_t length;
    char sha256[SHA256_HEX + 1]; // empty: not known
    int32_t parent;              // the artifact that it was found in, or -1
};

// The place that was found last: places are mostly asked for in order, and a line can have
// millions of letters.
struct place_cursor {
    const struct source *source;
    uint32_t line; // offset of its beginning
    uint32_t at, units;
};

struct findings {
    struct arena *arena;
    struct place_cursor cursor; // with the text that what is added is about
    int32_t artifact;           // of that text
    VEC(struct finding) list;
    VEC(struct artifact) artifacts;
    bool remarks; // were asked for: their rules are listed, too
};

// How the run went.
struct diagnostics_run {
    const char *tool, *version;
    int argc;
    char *const *argv; // without the command's own name
    int exit_code;
};

// Finds the place of an offset.
struct text_place place_find(struct place_cursor *cursor, uint32_t offset);

void findings_init(struct findings *findings, struct arena *arena);
// What is added from now on is about this text or, with NULL, about the run.
void findings_about(struct findings *findings, const struct source *source);
// Takes what it needs of the diagnostic. Leaves room for one more.
void findings_add(struct findings *findings, const struct diag *diag);
// The same of a remark about the text, with its notes.
void findings_remark(struct findings *findings, const struct remark *remark);
// For memory that ran out: takes none, so that `message` must stay. To be called once, at the end.
void findings_add_last(struct findings *findings, const char *id, const char *message);
// A file with its bytes. Returns its place.
int32_t findings_artifact(struct findings *findings, const char *name, const char *bytes,
                          size_t length, int32_t parent);

// Both write one document and take no memory.
void diagnostics_json(const struct findings *findings, FILE *to);
void diagnostics_sarif(const struct findings *findings, const struct diagnostics_run *run,
                       FILE *to);
