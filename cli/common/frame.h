// The frame of all programs: command line, messages, outputs, memory, signals and exit code. A
// program is a row, struct cli_program; its state begins with struct frame.
#pragma once
#include "cli/common/messages.h"
#include "support/output.h"
#include <stdatomic.h>

// Exit codes. After a deferred signal, BY_SIGNAL plus its number, as shells report it.
enum {
    DONE = 0,
    BAD_INPUT = 1,
    BAD_USAGE = 2,
    CHECK_FAILED = 3,
    NO_PROGRESS = 4,
    FAULT = 5,
    BY_SIGNAL = 128,
};

struct frame {
    const struct cli_program *program;
    const struct command *command; // with all rows of options
    int argc;
    char **argv;
    struct memory memory;
    struct arena arena; // for the whole run
    struct common_options *options;
    struct messages messages;
    struct message_log log;
    struct outputs outputs;
    atomic_int stop; // number of the signal that interrupted the run, or 0
    bool out_of_memory;
};

// An output that an option requests in place of a run.
struct topic {
    size_t flag;                        // offset of an int in the options
    int value;                          // value that requests it; 0: any value but 0
    bool is_late;                       // needs what `prepare` reads
    bool (*print)(void *own, FILE *to); // returns false after an error
};

struct cli_program {
    const struct command *command;
    // Returns the command with the rows that are known at run time only. NULL: `command` is
    // complete.
    const struct command *(*complete)(struct arena *arena);
    size_t size, options;       // size of the state; offset of the options in it
    const struct topic *topics; // in order of precedence, up to a `print` of NULL
    bool sparse;                // memory.sparse
    bool starts;                // becomes another program, which inherits signals and descriptors
    void (*begin)(void *own);   // initialises the rest of the state
    void (*set_defaults)(void *options, struct arena *arena);
    bool (*check)(void *options, struct command_line *line); // false: after options_fault
    bool (*prepare)(void *own);                              // false: after a message
    int (*run)(void *own);                                   // returns the exit code
    void (*abandon)(void *own); // called when memory is exhausted, to clean up
};

// Row of --help=NAME, for the topic at this place among the choices.
#define TOPIC_OF_HELP(place, late, function)                                                       \
    {                                                                                              \
        .flag = offsetof(struct common_options, help.topic), .value = (place) + 2,                 \
        .is_late = (late), .print = (function)                                                     \
    }

// Runs the program. Returns its exit code.
int frame_main(const struct cli_program *program, int argc, char **argv);
// Reads a command line as the program does, with response files. Returns false after reporting
// errors on `errors`.
bool frame_read(const struct cli_program *program, const struct command *command,
                struct arena *arena, int argc, char *const *argv, void *options, FILE *errors);
// Returns the topic that the options request, or NULL.
const struct topic *frame_topic(const struct cli_program *program, const void *options);

// Opens an output, which frame_commit completes. Returns NULL after a message.
FILE *frame_open(struct frame *frame, const char *path);
// Completes all outputs. Returns the exit code: `status`, or BAD_INPUT after a message.
int frame_commit(struct frame *frame, int status);
