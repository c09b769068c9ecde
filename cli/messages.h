// What a command says on standard error.
#pragma once
#include "cli/arguments.h"

struct messages {
    const struct arguments *arguments;
    const char *command;
    FILE *to;
    bool colour;
};

void messages_init(struct messages *messages, const char *command,
                   const struct arguments *arguments);

// True if what is written to this descriptor is to be in colours.
bool messages_colour(const struct arguments *arguments, int descriptor);

// `ptxoffload: error: …`
void message_error(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A fault of this program: `ptxoffload: internal error: …`
void message_internal(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Only with -v.
void message_verbose(const struct messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Prints the diagnostics as -w, -Werror and -v ask for. Returns false if one of them is an error.
bool messages_diags(const struct messages *messages, const struct diags *diags,
                    const struct source *source);
