// Reads a command line by a table of options, which also gives the help text.
#pragma once
#include "support/vec.h"
#include <stdio.h>

enum option_kind {
    OPTION_FLAG,   // int at `offset` becomes `value`
    OPTION_TEXT,   // const char * at `offset` becomes the argument
    OPTION_CHOICE, // int at `offset` becomes the argument's place in `choices`
    OPTION_SET,    // unsigned at `offset` gets a bit for each of the argument's choices: a,b
    OPTION_CALL,   // `call` reads the argument
};

// The effect of an option on files. Inputs of other persons must not have options that write.
enum option_file {
    OPTION_NO_FILE,
    OPTION_READS,   // its argument may name a file or folder that is read
    OPTION_WRITES,  // it may make the command write a file or folder
    OPTION_PERMITS, // it lets the files that are read name files that are written
};

// Reads the argument into the program's structure. Returns NULL, or the error. `argument` is NULL
// if a joined one is missing.
typedef const char *option_call(struct arena *arena, void *into, const char *argument);

struct option {
    const char *name;     // with its dashes
    const char *argument; // as in the help; NULL: no argument
    enum option_kind kind;
    size_t offset; // in the program's structure
    int value;
    const char *const *choices; // NULL-terminated
    option_call *call;
    enum option_file file;
    bool joined; // `argument` follows the name directly (`-Wname`, `--help=what`) or is missing
    const char *brief; // another name, of one letter: "-h"; NULL: none
    const char *help;  // with its line breaks; NULL: not listed
};

struct option_group {
    const char *title;
    const struct option *options; // up to a name of NULL
};

// A command line, without the command's name, and its effect.
struct option_example {
    const char *line, *text;
};

struct command {
    const char *name;
    const char *purpose;                   // one phrase, as the first line of a manual page
    const char *usage;                     // text after the name
    const char *about;                     // below the usage
    const struct option_group *groups;     // up to a title of NULL
    const char *more;                      // below the options
    const struct option_example *examples; // up to a line of NULL
};

// Loops over all options of a command, with those that are not listed.
#define OPTION_EACH(option, command)                                                               \
    for (const struct option_group *group_ = (command)->groups; group_->title; group_++)           \
        for (const struct option *option = group_->options; option->name; option++)

struct command_line {
    VEC(const char *) operands;            // arguments that are not options, in order
    VEC(const struct option *) recognized; // options, in order, with those whose argument is wrong
    bool failed;
};

// Reads the arguments into the structure at `into`. Options and operands may be mixed. Accepts
// `--opt=val`, `--opt val`, `-oval` and `-o val`; `--` ends the options, `-` is an operand. Reports
// all errors on `errors`, and sets `failed`.
struct command_line options_read(const struct command *command, struct arena *arena, int argc,
                                 char *const *argv, void *into, FILE *errors);

// Returns the place of a text among the choices, or -1.
int options_choice(const char *const *choices, const char *text, size_t length);
enum { USUAL_MEMORY = 8 }; // GiB: the default limit
// Reads a size of --max-memory: 512M, 8G, 0. Returns NULL, or the error.
const char *options_size(const char *text, size_t *bytes);
// Reads FORMAT[:FILE]: the format's place among the choices, and the file, or NULL. Returns NULL,
// or the error.
const char *options_format(struct arena *arena, const char *argument, const char *const *choices,
                           int *format, const char **path);
// "a, b or c"
const char *options_list(struct arena *arena, const char *const *choices);

enum { TOPIC_TEXT = 1, TOPIC_MARKDOWN };
// Returns the form requested by the argument of --help: the topic as text, or as tables for the
// documentation (`keys-markdown`). Returns 0 for another argument.
int options_topic(const char *argument, const char *topic);

void options_usage(const struct command *command, FILE *to);
// "ptxoffload 0.1.0 (0123456789)": version, and git revision if known.
void options_version(const struct command *command, FILE *to);
void options_help(const struct command *command, FILE *to);
