// What a command says: errors, warnings and notes, as text or collected for one document, and what
// it does, for people.
#pragma once
#include "backend/diagnostics.h"
#include "cli/arguments.h"
#include "support/output.h"

// What was said so far. All zero before messages_begin, but for the arena of `outputs`.
struct message_log {
    struct findings findings; // with --diagnostics=json and sarif
    struct outputs outputs;   // the file of --diagnostics
    FILE *to;                 // errors and warnings go there as text; NULL: they are collected
    FILE *document;           // where what was collected will be written, or NULL
    bool colour;
    uint32_t errors, warnings; // by severity, those that were not shown included
    uint32_t hidden_errors, hidden_warnings;
    char last_words[300];
};

struct messages {
    const struct arguments *arguments;
    const char *command;
    FILE *to; // standard error: for people
    bool colour;
    struct message_log *log;
};

void messages_init(struct messages *messages, const char *command,
                   const struct arguments *arguments, struct message_log *log);

// Opens what --diagnostics names, and tells what is wrong with -W options. False if that is an
// error.
bool messages_begin(const struct messages *messages, struct arena *arena);
// Ends what is told, and writes it if it was collected. Returns the exit code: `status`, or 1 if
// that cannot be written.
int messages_end(const struct messages *messages, int argc, char *const *argv, int status);

// True if the descriptor is a terminal that can erase a line: not one with TERM=dumb.
bool messages_can_erase(int descriptor);
// True if what is written to this descriptor is to be in colours.
bool messages_colour(const struct arguments *arguments, int descriptor);

// A file that cannot be read or written: `ptxoffload: error: …`
void message_error(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The same, by another rule of the group "command".
void message_fault(const struct messages *messages, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A fault of this program: `ptxoffload: internal error: …`
void message_internal(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Memory ran out at this size, in bytes. Takes none.
void message_memory(const struct messages *messages, const struct memory *memory);
// Only with -v.
void message_verbose(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Remembers a file that was read, if somebody will ask; see findings_artifact.
int32_t messages_artifact(const struct messages *messages, const char *name, const char *bytes,
                          size_t length, int32_t parent);

// Tells the diagnostics in order of their places, as the -W options ask for. Returns false if one
// of them is an error.
bool messages_diags(const struct messages *messages, struct diags *diags,
                    const struct source *source);
// Tells remarks about the text.
void messages_remarks(const struct messages *messages, const struct remarks *remarks,
                      const struct source *source);
