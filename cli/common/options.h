// Reads a command line by a table of options, which also gives the help text.
#pragma once
#include "support/vec.h"
#include <stdio.h>

enum option_kind {
    OPTION_FLAG,   // int at `offset` becomes `value`
    OPTION_TEXT,   // const char * at `offset` becomes the argument, unless `call` has an error
    OPTION_NUMBER, // uint64_t at `offset` becomes the argument, from `least` to `most`
    OPTION_CHOICE, // int at `offset` becomes the argument's place in `choices`
    OPTION_SET,    // unsigned at `offset` gets a bit for each of the argument's choices: a,b
    OPTION_LIST,   // struct text_list at `offset` gets the argument, unless `call` has an error
    OPTION_FORMAT, // struct format_request at `offset` becomes FORMAT[:FILE]; with `value`, the
                   // one of the array there that has the format's place in `choices`
    OPTION_TOPIC,  // struct topic_request at `offset`: --help[=TOPIC], a topic of `choices`
    OPTION_CALL,   // `call` reads the argument
};

// The use of the file that an argument names. Inputs from other people must not have options that
// write.
enum option_file {
    OPTION_NO_FILE,
    OPTION_READS,   // it may be, or contain, the name of a file or folder to read
    OPTION_WRITES,  // it may make the command write a file or folder
    OPTION_PERMITS, // it lets input files name files to write
};

struct format_request {
    int format;
    bool wanted;
    const char *path; // NULL: standard output or standard error
};

struct topic_request {
    int topic; // 0: none, 1: the help, 2 and up: a topic of the row's choices
    bool as_markdown;
};

// Reads the argument into the program's structure. Returns NULL, or the error. `argument` is NULL
// if a joined one is missing.
typedef const char *option_call(struct arena *arena, void *into, const char *argument);

struct option {
    const char *name;     // with its dashes
    const char *argument; // as shown in the help; NULL: no argument
    enum option_kind kind;
    size_t offset; // in the program's structure
    int value;
    uint64_t min, max;
    const char *const *choices; // NULL-terminated
    option_call *call;
    enum option_file file;
    bool folder; // the argument is a folder
    bool joined; // `argument` follows the name directly (`-Wname`, `--help=what`) or is missing
    const char *brief; // another name, of one letter: "-h"; NULL: none
    const char *help;  // with its line breaks; NULL: not listed
};

// Members of a row. OPTIONS_OF is the structure of the options in the file that uses them.
#define INTO(field) .offset = offsetof(OPTIONS_OF, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define NUMBER(field, from, to) .kind = OPTION_NUMBER, INTO(field), .min = (from), .max = (to)
#define ONE_OF(field, names) .kind = OPTION_CHOICE, INTO(field), .choices = (names)
#define SET(field, names) .kind = OPTION_SET, INTO(field), .choices = (names)
#define LIST(field) .kind = OPTION_LIST, INTO(field)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

struct option_group {
    const char *title;            // "": continues the preceding group
    const struct option *options; // up to a name of NULL
};

// A command line, without the command's name, and what it does.
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
    bool starts; // starts another program: the options end at the first operand, as in env
};

// Loops over all options of a command, including those that are not listed.
#define OPTION_EACH(option, command)                                                               \
    for (const struct option_group *group_ = (command)->groups; group_->title; group_++)           \
        for (const struct option *option = group_->options; option->name; option++)

struct command_line {
    const struct command *command;
    struct arena *arena;
    FILE *errors;
    VEC(const char *) operands;            // arguments that are not options, in order
    VEC(const struct option *) recognized; // options, in order, also those with a wrong argument
    int end;                               // index of the first argument after the options
    bool failed;
};

// Reads the arguments into the structure at `into`. Options and operands may be mixed. Accepts
// `--opt=val`, `--opt val`, `-oval` and `-o val`; `--` ends the options, `-` is an operand. Reports
// all errors on `errors`, and sets `failed`.
struct command_line options_read(const struct command *command, struct arena *arena, int argc,
                                 char *const *argv, void *into, FILE *errors);
// Reports an error in the line, and sets `failed`. Returns false.
bool options_fault(struct command_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Calls `add` with each file that an option of the command line names and that it reads or, with
// `written`, writes; in the order of the table. Options of kind OPTION_CALL are left out.
typedef void option_add(void *context, const char *path, const char *option);
void options_files(const struct command *command, const void *options, bool written,
                   option_add *add, void *context);

// Returns the index of a text among the choices, or -1.
int options_choice(const char *const *choices, const char *text, size_t length);
// Reads a size of --max-memory: 512M, 8G, 0. Returns NULL, or the error.
const char *options_size(const char *text, size_t *bytes);
// Reads a whole number from `least` to `most`. Returns NULL, or the error.
const char *options_number(struct arena *arena, const char *text, uint64_t min, uint64_t max,
                           uint64_t *value);

// Prints "usage: NAME …".
void options_usage(const struct command *command, FILE *to);
// Prints "ptxoffload 0.2.0 (0123456789)": version, and git revision if known.
void options_version(const struct command *command, FILE *to);
// Prints the help: usage, options and examples.
void options_help(const struct command *command, FILE *to);
