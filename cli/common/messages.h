// Messages of a command: errors, warnings and notes, as text or collected for one document, and
// progress.
#pragma once
#include "backend/diagnostics/diagnostics.h"
#include "cli/common/common_options.h"
#include "support/output.h"

// Messages so far. All zero before messages_begin, except the arena of `outputs`.
struct message_log {
    struct findings findings; // with --diagnostics=json and sarif
    struct outputs outputs;   // the file of --diagnostics
    FILE *to;                 // stream of errors and warnings as text; NULL: they are collected
    FILE *document;           // stream of the collected document, or NULL
    bool colour;
    uint32_t errors, warnings; // by severity, including those that were not shown
    uint32_t hidden_errors, hidden_warnings;
    char last_words[300]; // text of message_memory, which allocates nothing
};

struct messages {
    const struct common_options *options;
    const char *command;
    FILE *to; // standard error
    bool colour;
    struct message_log *log;
};

// Initialises the messages, on standard error. The options may be read later.
void messages_init(struct messages *messages, const char *command,
                   const struct common_options *options, struct message_log *log);

// Opens the file of --diagnostics, and reports wrong -W options. Returns false after an error.
bool messages_begin(const struct messages *messages, struct arena *arena);
// Ends the messages, and writes the collected ones. Returns the exit code: `status`, or 1 if the
// write fails.
int messages_end(const struct messages *messages, int argc, char *const *argv, int status);

// Returns the columns for text on this descriptor: those of COLUMNS, or of the terminal; 0 if it is
// not a terminal.
uint32_t messages_width(int descriptor);
// Returns true if the descriptor is a terminal that can erase a line, which one with TERM=dumb
// cannot.
bool messages_can_erase(int descriptor);
// Returns true if progress is shown: on a terminal that can erase a line, and not with -q.
bool messages_progress(const struct common_options *options);
// Returns true if output to this descriptor has colours.
bool messages_colour(const struct common_options *options, int descriptor);

// Reports a file that cannot be read or written: `ptxoffload: error: …`
void message_error(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// As message_error, with another rule of the group "command".
void message_fault(const struct messages *messages, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports an internal fault: `ptxoffload: internal error: …`
void message_internal(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Reports exhausted memory, with its limit or size. Allocates nothing.
void message_memory(const struct messages *messages, const struct memory *memory);
// Prints `ptxoffload: note: …`, except with -q or with a document on standard error.
void message_note(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Prints a step of the run, with -v only.
void message_verbose(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Records a file that was read, for the document; see findings_artifact.
int32_t messages_artifact(const struct messages *messages, const char *name, const char *bytes,
                          size_t length, int32_t parent);

// Reports the diagnostics in the order of their places, as the -W options select. Returns false if
// one of them is an error.
bool messages_diags(const struct messages *messages, struct diags *diags,
                    const struct source *source);
// Reports remarks on the text.
void messages_remarks(const struct messages *messages, const struct remarks *remarks,
                      const struct source *source);
